"""Checks of stated effort: minutes of processor time for a theorem, seconds for a step of a proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from validation.cost.allowed import DEFAULT_BUDGET
from validation.cost.limits import Limits, NoAnswerError
from validation.job.job import Leads, committed, is_current, lead_of, leads_of, stamped
from validation.job.pool import spread
from validation.judge.entry import Entry
from validation.ledger.evidence import Row
from validation.ledger.ledger import Ledger, load_entries
from validation.papers.papers import is_result
from validation.statement.claim import Claim, Identity, Number, Paper, Relation
from validation.verdict.engine import assemble, unanswered, units
from validation.verdict.gate import attempted

__all__ = ["RESULT_SECONDS", "STEP_SECONDS", "check_thoroughly", "first_budget", "next_budget", "wanted_seconds"]

__judges__ = "no"

RESULT_SECONDS = 300.0
STEP_SECONDS = 5.0
_MOST = 2 * 10**8  # evaluations a reading; what is decided sooner needs no more

Measured = tuple[int, float]


def wanted_seconds(claim: Claim) -> float:
    """Processor seconds a committed verdict of this claim takes at least; 0 where nothing is searched."""
    if all(isinstance(r.test, Identity | Number | Relation) for r in claim.readings):
        return 0.0
    return RESULT_SECONDS if is_result(claim) else STEP_SECONDS


def check_thoroughly(
    pairs: Sequence[tuple[Paper, Claim]],
    *,
    seed: int,
    jobs: int,
    ledger: Ledger,
    wanted: Callable[[Claim], float] = wanted_seconds,
    limits: Limits | None = None,
    renew: bool = False,
) -> Iterator[tuple[Entry, bool]]:
    """Check each claim with budgets that grow until they took the `wanted` seconds; yields (entry, made now).

    A claim is one piece of work. Entries of `ledger`, and committed ones, that are current and took long enough are
    not made again, so an interrupted check continues where it stopped; those that are not say which budget to begin
    with. `limits` as in `check_claims`, their seconds for all of a claim's units at all its budgets. With `renew` each
    search begins with the point that led the committed one, as in `check_claims`.
    """
    leads = leads_of(pairs) if renew else {}
    held = committed(pairs) | ledger.entries()
    before = _last_measured(pairs) | {key: _measured(entry) for key, entry in held.items()}
    todo = []
    for paper, claim in pairs:
        entry = held.get(claim.id)
        enough = entry is not None and is_current(entry, paper, claim, seed=seed)
        if entry is not None and enough and entry.effort == wanted(claim):
            yield entry, False
        else:
            todo.append((paper, claim))
    todo.sort(key=lambda pair: -wanted(pair[1]))

    def work(pair: tuple[Paper, Claim]) -> Row:
        return _grown(pair[1], seed, wanted(pair[1]), before.get(pair[1].id), leads)

    for (paper, claim), found in spread(todo, work, jobs=jobs, limits=limits or Limits()):
        if isinstance(found, NoAnswerError):
            parts = {unit: unanswered(claim, unit, str(found)) for unit in units(claim)}
            found = assemble(claim, parts, budget=DEFAULT_BUDGET, seed=seed)
        entry = stamped(paper, claim, found, leads)
        ledger.append(entry)
        yield entry, True


def _last_measured(pairs: Sequence[tuple[Paper, Claim]]) -> dict[str, Measured]:
    """(budget, seconds) of committed entries, of those made by other code, too, by claim id."""
    found: dict[str, Measured] = {}
    for folder in {paper.folder for paper, _ in pairs}:
        with suppress(OSError, ValueError):  # `committed` has said so
            found |= {e.id: _measured(e) for e in load_entries(folder / "ledger.json")}
    return found


def _measured(entry: Entry) -> Measured:
    return entry.budget, entry.seconds


def _grown(claim: Claim, seed: int, wanted: float, before: Measured | None, leads: Leads) -> Row:
    budget = first_budget(before, wanted)
    measured: list[Measured] = []
    while True:
        tried = {
            unit: attempted(claim, unit, budget=budget, seed=seed, lead=lead_of(claim, unit, leads))
            for unit in units(claim)
        }
        parts = {unit: part for unit, (part, _) in tried.items()}
        entry = assemble(claim, parts, budget=budget, seed=seed)
        measured.append((budget, entry["seconds"]))
        if not all(answered for _, answered in tried.values()):
            return entry
        if entry["seconds"] >= wanted or budget >= _MOST:
            return entry | {"effort": wanted}
        budget = next_budget(measured, wanted)


def first_budget(before: Measured | None, wanted: float) -> int:
    """The budget to begin with where an earlier check took the `before` (budget, seconds).

    A quarter of what should do: what has changed since may have made evaluations dearer, and then the rest is learnt.
    """
    if before is None or wanted == 0:
        return DEFAULT_BUDGET
    aim = before[0] if before[1] >= wanted else next_budget([before], wanted)
    return max(DEFAULT_BUDGET, aim // 4000 * 1000)


def next_budget(measured: Sequence[Measured], wanted: float) -> int:
    """The budget that should take `wanted` seconds, after those of `measured` (budget, seconds), which took less.

    What starts up does not grow with the budget, so one short measurement says little: the second budget is at most
    eight times the first, and then the last two say what an evaluation costs, within twice what the last alone says.
    Always at least half more, at most 2e8.
    """
    budget, seconds = measured[-1]
    if len(measured) == 1:
        spare = 1.3 if seconds > 20 else 2.5  # starting up is a small part of 20 s
        aim = budget * min(8.0, spare * wanted / max(seconds, 1e-3))
    else:
        before, spent = measured[-2]
        per_evaluation = max((seconds - spent) / (budget - before), 1e-7)
        aim = budget + (1.1 * wanted - seconds) / per_evaluation
        aim = min(aim, 2.2 * budget * wanted / max(seconds, 1e-3))  # late evaluations, of climbers, cost more
    return min(_MOST, int(max(aim, 1.5 * budget)) // 1000 * 1000)
