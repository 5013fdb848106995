"""Checking many claims: reuse what is still valid, work in parallel, keep every finished unit of work."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from validation.cost.limits import Limits, NoAnswerError
from validation.fingerprint import of_files
from validation.fingerprint.fingerprints import engine_digest, fingerprint
from validation.fingerprint.source import keep_sources
from validation.job.pool import spread
from validation.judge.entry import Entry, Lead, ReadingRecord
from validation.judge.record import Json, written
from validation.judge.run import run_test
from validation.judge.words.entry import reworded
from validation.ledger.evidence import Row
from validation.ledger.ledger import Ledger, LedgerWarning, load_entries
from validation.ledger.provenance import provenance
from validation.search.scores import TOLERANCE
from validation.search.search import VERSION
from validation.statement.bound import Bound, symbols
from validation.statement.claim import Case, Claim, Inequality, Paper
from validation.statement.instances.draw import LogScale, Space
from validation.statement.roles import roles_of
from validation.statement.verdict import Verdict
from validation.verdict.engine import Unit, assemble, unanswered, units
from validation.verdict.gate import attempted
from validation.verdict.testing import recomputed

if TYPE_CHECKING:
    from distributed import Client

__all__ = [
    "Leads",
    "check_claims",
    "committed",
    "fingerprints_of",
    "input_hash",
    "is_current",
    "lead_of",
    "leads_of",
    "stamped",
]

__judges__ = "no"

Pair = tuple[Paper, Claim]
Leads = Mapping[tuple[str, str], Lead]
Todo = tuple[Paper, Claim, Unit, str | None, Row | None]

_SPREAD = 50  # claims from which on their fingerprints are worth a fork
_MANY_UNITS = 16  # units from which on it pays to make beforehand what each of their forks would make


def input_hash(
    digest: str | None,
    claim: Claim,
    unit: Unit,
    budget: int,
    seed: int,
    limits: Limits | None = None,
    lead: Row | None = None,
) -> str | None:
    """SHA-256 of what the result of a unit depends on: code and data, claim, unit, budget, seed, exact limits, lead.

    Of the limits those of a recheck: a unit that was cut short by the others has no result to keep. `digest`: the
    claim's fingerprint; None for a claim without one.
    """
    if digest is None:
        return None
    exact = limits or Limits()
    numbers = (budget, seed, exact.digits, exact.recheck_seconds)
    led = () if lead is None else (json.dumps(lead),)
    text = "\n".join((digest, engine_digest(), claim.id, unit.key, *map(str, numbers), *led))
    return hashlib.sha256(text.encode()).hexdigest()


def _digest(paper: Paper, claim: Claim) -> str | None:
    """The fingerprint; None where the claim has none: its verdicts are shown and never reused."""
    return _digest_or_why(paper, claim)[0]


def _digest_or_why(paper: Paper, claim: Claim) -> tuple[str | None, str]:
    """(fingerprint, ""), or (None, what of the claim cannot be read)."""
    try:
        return fingerprint(paper, claim), ""
    except (ArithmeticError, LookupError, OSError, TypeError, ValueError, RecursionError, SyntaxError) as error:
        return None, str(error) or type(error).__name__


def is_current(entry: Entry, paper: Paper, claim: Claim, *, budget: int | None = None, seed: int | None = None) -> bool:
    """Whether an entry is of this very statement and judge (and of this budget and seed, where given)."""
    digest = _digest(paper, claim)
    same = digest is not None and entry.fingerprint == digest
    return same and (budget is None or entry.budget == budget) and (seed is None or entry.seed == seed)


def stamped(paper: Paper, claim: Claim, found: Mapping[str, Json], leads: Leads, digest: str | None = None) -> Entry:
    """The entry of what was found of a claim: with its paper, what it depends on, which search made it, where from.

    `digest`: the claim's fingerprint, where it is known.
    """
    begun = {r.name: leads[claim.id, r.name] for r in claim.readings if (claim.id, r.name) in leads}
    return replace(
        Entry.of(found),
        paper=paper.key,
        fingerprint=digest or _digest(paper, claim),
        searched_by=engine_digest(),
        search_version=VERSION,
        provenance=provenance(),
        begun=begun or None,
    )


def fingerprints_of(pairs: Sequence[Pair], jobs: int = 1) -> dict[str, str]:
    """By claim id the fingerprint of each claim that has one; kept by the state of all files, made by `jobs` forks."""
    claims = {claim.id: (paper, claim) for paper, claim in pairs}

    def of(ids: Sequence[str]) -> dict[str, str]:
        digests = ((name, _digest(*claims[name])) for name in ids)
        return {name: digest for name, digest in digests if digest is not None}

    def of_part(ids: Sequence[str]) -> dict[str, str]:
        found = of(ids)
        keep_sources()  # a fork ends without writing what it has read
        return found

    def make(ids: Sequence[str]) -> dict[str, str]:
        if jobs == 1 or len(ids) < _SPREAD:
            return of(ids)
        size = -(-len(ids) // jobs)  # claims of one paper share most of their code, and stay together
        parts = [ids[at : at + size] for at in range(0, len(ids), size)]
        found: dict[str, str] = {}
        for part, made in spread(parts, of_part, jobs=jobs, limits=Limits()):
            found |= of(part) if isinstance(made, NoAnswerError) else made
        return found

    return of_files.kept(list(claims), make)


def committed(pairs: Sequence[Pair], fingerprints: Mapping[str, str] | None = None) -> dict[str, Entry]:
    """The entries of the papers' own ledgers that are still current, by claim id, in today's words.

    `fingerprints`: of the claims by id, where they are known.
    """
    found = {}
    claims = {c.id: (p, c) for p, c in pairs}
    for paper in {p.key: p for p, _ in pairs}.values():
        try:
            entries = load_entries(paper.folder / "ledger.json")
        except (OSError, ValueError) as error:  # its claims are checked again
            warnings.warn(f"{paper.key}: {error}", LedgerWarning, stacklevel=2)
            continue
        for entry in entries:
            if entry.id not in claims:
                continue
            if fingerprints is None:
                current = is_current(entry, *claims[entry.id])
            else:
                current = entry.fingerprint is not None and fingerprints.get(entry.id) == entry.fingerprint
            if current:
                claim = claims[entry.id][1]
                found[entry.id] = reworded(entry, claim, roles_of(claim))
    return found


def check_claims(
    pairs: Sequence[Pair],
    *,
    budget: int,
    seed: int,
    jobs: int = 1,
    ledger: Ledger | None = None,
    known: dict[str, Entry] | None = None,
    resume: bool = False,
    limits: Limits | None = None,
    renew: bool = False,
    as_committed: bool = False,
    workers: Client | None = None,
) -> Iterator[Entry]:
    """Yield the entry of each claim as it is ready; entries in `known` are reused as they are.

    Every finished unit is appended to `ledger` before anything else happens, so an interruption loses at most the
    units in flight; with `resume` the units it already holds for the same inputs are not done again. Verdicts, ratios
    and witnesses do not depend on `jobs`: everything random derives from seed, claim and unit. With several `jobs` the
    claims that took longest when they were committed come first.
    With `workers`, a Dask client (`validation.job.cluster`), units are done there and not by `jobs` forks of this
    process: the same entries, the ledger kept here.
    With `renew` every reading's search begins with the point that led the paper's committed one, stale or not; an entry
    says where its readings began ("begun"). With `as_committed` it begins where the committed one itself began, which
    gives that entry again, counts and all, on the same code and budget; after a change of the search, its verdict.
    A unit that raises, exits, or goes beyond `limits` makes its claim `inconclusive` with the reason, and is tried
    again by the next check that resumes.
    Raises `ValueError` for a budget that is no whole number: entries keep it, and commands repeat it.
    """
    if not isinstance(budget, int):
        raise ValueError(f"check_claims(budget={budget!r}): expected a whole number of evaluations")
    known, limits = known or {}, limits or Limits()
    leads = _begun(pairs) if as_committed else leads_of(pairs) if renew else {}
    held = ledger.parts() if resume and ledger is not None else {}
    asked = [(paper, claim) for paper, claim in pairs if claim.id not in known]
    digests: dict[str, str | None] = {}
    digests |= fingerprints_of(asked, jobs) if len(asked) >= _SPREAD else {}
    done: dict[str, dict[Unit, Row]] = {}
    todo: list[Todo] = []
    owners = {}
    for paper, claim in pairs:
        if claim.id in known:
            yield known[claim.id]
            continue
        owners[claim.id] = (paper, claim)
        done[claim.id] = {}
        why = ""
        if claim.id not in digests:
            digests[claim.id], why = _digest_or_why(paper, claim)
        if why:
            text = f"{claim.id}: its verdict is never reused, as it depends on what cannot be read: {why}"
            warnings.warn(text, LedgerWarning, stacklevel=2)
        for unit in units(claim):
            lead = lead_of(claim, unit, leads)
            key = input_hash(digests[claim.id], claim, unit, budget, seed, limits, lead)
            if key is not None and key in held:
                done[claim.id][unit] = held[key]
            else:
                todo.append((paper, claim, unit, key, lead))

    def finished(claim_id: str) -> Entry | None:
        paper, claim = owners[claim_id]
        if len(done[claim_id]) < len(units(claim)):
            return None
        found = assemble(claim, done.pop(claim_id), budget=budget, seed=seed)
        entry = stamped(paper, claim, found, leads, digests[claim_id])
        if ledger is not None:
            ledger.append(entry)
        return entry

    for claim_id in list(done):  # complete already
        entry = finished(claim_id)
        if entry is not None:
            yield entry

    def work(item: Todo) -> tuple[Row, bool]:
        return attempted(item[1], item[2], budget=budget, seed=seed, lead=item[4])

    if jobs > 1 or workers is not None:  # one long claim left for the end would keep all workers but one waiting
        took = _seconds(pairs)
        todo.sort(key=lambda item: -took.get(item[1].id, 0.0))
    if len(todo) >= _MANY_UNITS and workers is None:
        _warm()
    parts = spread(todo, work, jobs=jobs, limits=limits)
    if workers is not None:
        from validation.job.cluster import Address, spread_over

        sent = [Address(c.id, unit, _digest(p, c), budget, seed, lead, limits) for p, c, unit, _, lead in todo]
        parts = ((todo[place], found) for place, found in spread_over(workers, sent))
    for (_, claim, unit, key, _), found in parts:
        if isinstance(found, NoAnswerError):
            part, answered = unanswered(claim, unit, str(found)), False
        else:
            part, answered = found
        if ledger is not None and answered and key is not None:
            ledger.append_part(claim.id, unit.key, key, part)
        done[claim.id][unit] = part
        entry = finished(claim.id)
        if entry is not None:
            yield entry


def _warm() -> None:
    """Judge something small here: what is made once a process, forks find in their memory instead of making it each."""
    space, number = Space((LogScale("a", 0.1, 10),)), symbols("a", positive=True)

    def sides(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": x["a"] * x["a"], "a": x["a"]}

    small = Inequality(Bound(number**2 + number), (Case("a number", space, sides, recomputed(sides)),))
    run_test(small, claim_id="warm", name="warm", budget=200, seed=0)


def _committed(pairs: Sequence[Pair]) -> Iterator[Entry]:
    """The entries of the papers' own ledgers, of those made by other code, too; none of a damaged one."""
    for folder in {paper.folder for paper, _ in pairs}:
        with suppress(OSError, ValueError):
            yield from load_entries(folder / "ledger.json")


def _seconds(pairs: Sequence[Pair]) -> dict[str, float]:
    """By claim the seconds that its committed check took."""
    return {entry.id: entry.seconds for entry in _committed(pairs)}


def leads_of(pairs: Sequence[Pair]) -> dict[tuple[str, str], Lead]:
    """By claim and reading the point that led the committed search, of entries made by other code, too.

    What is no point of a unit cube leads to nothing. Nor does what led a reading that holds and attains its bound, or
    comes as near as rounding tells: no point of a true statement goes beyond, and a search around one that ties finds
    ties too long for exact arithmetic, which leave it undecided.
    """
    return {
        (entry.id, reading.name): reading.lead
        for entry in _committed(pairs)
        for reading in entry.readings
        if reading.lead is not None and _is_point(reading.lead) and not _at_its_bound(reading)
    }


def lead_of(claim: Claim, unit: Unit, leads: Leads) -> Row | None:
    """The point that the search of this unit begins with, of those of `leads_of`, as JSON."""
    lead = leads.get((claim.id, claim.readings[unit.index].name)) if unit.kind == "reading" else None
    return None if lead is None else written(lead)


def _begun(pairs: Sequence[Pair]) -> dict[tuple[str, str], Lead]:
    """By claim and reading the point that the committed search began with, where its entry says so."""
    begun = ((entry.id, name, lead) for entry in _committed(pairs) for name, lead in (entry.begun or {}).items())
    return {(claim, name): lead for claim, name, lead in begun if _is_point(lead)}


def _at_its_bound(reading: ReadingRecord) -> bool:
    near = reading.worst_ratio is not None and abs(reading.worst_ratio - 1) <= TOLERANCE
    return reading.attained or (near and reading.verdict in (Verdict.HOLDS, Verdict.INCONCLUSIVE))


def _is_point(lead: Lead) -> bool:
    return all(0 <= c <= 1 for c in lead.cube)
