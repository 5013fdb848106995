"""`python -m validation.papers.tightened KEY …`: how small the constants of a paper's results can be, kept beside it.

For every theorem, lemma, corollary and proposition that is an inequality, in the reading that holds, and for every
refuted inequality in the reading that falls: each constant alone and all together, with exact lower bounds, in
`constants.json` of the paper's folder. A false bound gets the cheapest form that a search leaves standing: another
constant, or a factor of a size that its constant grows with. The point that led the committed search comes first. A row
is measured again where the claim's committed digest is another one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.base.files import replace_file
from validation.judge.entry import Entry
from validation.ledger.ledger import load_entries
from validation.ledger.provenance import provenance
from validation.papers.by_paper import by_paper
from validation.papers.papers import is_result
from validation.search.arms import case_at
from validation.search.search import search
from validation.statement.bound import Bound
from validation.statement.claim import Case, Claim, Family, Inequality, Paper
from validation.statement.instances.at import exactly
from validation.study.courses import case_named
from validation.study.tighten import Template, TermFound, Tightened, tighten
from validation.study.tighten.growth import growth

__all__ = ["FILE", "constants_of", "document", "main", "reading_that", "wanted"]

__judges__ = "no"

FILE = "constants.json"
GOOD, FALSE = frozenset({"holds", "proved"}), frozenset({"refuted", "misprint"})
_BUDGET, _SEEDS, _CAP = 20_000, (0, 1, 2), 1e4
_SECONDS, _SEARCHES, _LEAST = (
    60.0,
    8,
    1_000,
)  # for the searches of a reading, about so many a program; no budget is less
_SIZES = ("E", "N", "K", "T", "R")  # letters that count: local steps, clients, cohort, rounds
_DEAREST = 20  # times the printed constant, of a repair
_ROOM = 0.05  # above the smallest constant found, of a repaired one
_REPAIR_FACTOR = 5  # budgets that a repaired bound has to survive
_SHORT = 10**6  # denominators of lower bounds, rounded down: they stay certain

Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Start:
    """What is known of a reading before it is searched: points of unit cubes, and exact instances, with their cases."""

    points: Sequence[tuple[Case, NDArray[np.float64]]] = ()
    known: Sequence[tuple[Case, Mapping[str, Any]]] = ()


def reading_that(claim: Claim, entry: Entry, *, holds: bool) -> int | None:
    """The place of the first inequality among a claim's readings that is committed as true, or as false as printed."""
    for place, (reading, judged) in enumerate(zip(claim.readings, entry.readings, strict=True)):
        if not isinstance(reading.test, Inequality):
            continue
        if holds and judged.verdict in GOOD:
            return place
        if not holds and judged.verdict == "refuted" and reading.repair is None:
            return place
    return None


def wanted(claim: Claim, entry: Entry) -> tuple[tuple[int, bool], ...]:
    """(place, whether it falls) of the readings that are measured: of a result one that holds, of a false inequality
    one that falls.
    """
    result = is_result(claim)
    good = reading_that(claim, entry, holds=True) if result else None
    false = entry.verdict in FALSE or (result and entry.verdict not in GOOD)
    bad = reading_that(claim, entry, holds=False) if false else None
    return tuple((place, fails) for place, fails in ((good, False), (bad, True)) if place is not None)


def _short(value: Fraction | None) -> str | None:
    """A lower bound as text, rounded down to a short one where it is long."""
    if value is None or value.denominator <= _SHORT:
        return None if value is None else str(value)
    scale = _SHORT if value >= 1 else _SHORT * int(1 / value) if value > 0 else _SHORT
    return str(Fraction(math.floor(value * scale), scale))


def document(found: Tightened) -> Row:
    """The constants as JSON: exact numbers as text, the rest as floats."""
    rows = [
        {
            "term": t.name,
            "printed": str(t.printed),
            "alone": t.alone,
            "at_least": _short(t.at_least),
            "survived": t.survived,
            "jointly": t.jointly,
            "on": t.on,
            "seeds": list(t.seeds),
        }
        for t in found.terms
    ]
    joint = {"value": found.value, "at_least": _short(found.at_least)}
    weights = {t.name: str(w) for t, w in zip(found.terms, found.weights, strict=True)}
    rest = {"kept": list(found.kept), "weights": weights, "survived": found.survived, "slack": found.slack}
    return {"terms": rows, "joint": joint, **rest, "evaluations": found.evaluations}


def _grown(test: Inequality, budget: int, label: str) -> Row:
    """By size how each constant alone grows with it; none for sizes with one value."""
    names = dict.fromkeys(s.name for item in test.cases if isinstance(item, Family) for s in item.sizes)
    found: Row = {}
    for along in names:
        try:
            grown = growth(test, along, budget=max(100, budget // 10), seeds=_SEEDS[:1], cap=_CAP * 100, label=label)
        except (ValueError, ArithmeticError):
            continue
        if len(grown) > 1:
            at = {
                str(n): {t.name: {"alone": t.alone, "at_least": _short(t.at_least)} for t in one.terms}
                for n, one in grown.items()
            }
            found[along] = {"at": at}
            found[along]["powers"] = {name: _power(found[along], name) for name in next(iter(at.values()))}
    return found


def _repaired(test: Inequality, found: Tightened, grown: Row, budget: int, label: str) -> Row | None:
    """The cheapest form of a false bound that a search leaves standing: one term with another constant, or with a size
    as a further factor; None where neither does for less than `_DEAREST` times the printed constant.
    """
    template = Template.of(test.bound.expression)
    printed = [t for t in found.terms if t.printed > 0]
    for term in sorted(printed, key=lambda t: (t.alone is None, (t.alone or 0) / t.printed)):
        form = template.terms[template.names.index(term.name)]
        rest = test.bound.expression - sp.Rational(term.printed) * form
        for factor in _factors(test, term, grown):
            needed = term.alone if factor == 1 else _alone(test, rest, form * factor, budget, label)
            if needed is None or needed > _DEAREST * term.printed:
                continue
            constant = _round_up(max(needed * (1 + _ROOM), 1e-3))
            bound = rest + sp.Rational(constant) * form * factor
            raised = replace(test, bound=Bound(bound), switches=(), trivial=None, grid=None)
            kept = search(raised, budget=_REPAIR_FACTOR * budget, seed=len(_SEEDS), label=f"{label}/repaired")
            if not kept.witnesses:
                new = {"term": term.name, "factor": str(factor), "constant": str(constant), "needs": needed}
                return {**new, "bound": str(bound), "evaluations": kept.instances}
    return None


def _factors(test: Inequality, term: TermFound, grown: Row) -> list[Any]:
    """Further factors of a term, the likeliest first: what its constant grows with, else none, then each size."""
    letters = {s.name: s for s in test.bound.expression.free_symbols}
    steep = {along: round(_power(g, term.name)) for along, g in grown.items()}
    steep = {along: power for along, power in steep.items() if power > 0}
    if steep:
        known = all(along in letters for along in steep)
        return [sp.Mul(*(letters[along] ** power for along, power in steep.items()))] if known else []
    return [sp.Integer(1), *(letters[name] for name in _SIZES if name in letters)]


def _power(along: Row, term: str) -> float:
    """The exponent with which the constant alone grows between the last two values of a size; 0 where it has none."""
    (before, one), (after, two) = list(along["at"].items())[-2:]
    low, high = (at.get(term, {}).get("alone") for at in (one, two))
    return math.log(high / low) / math.log(int(after) / int(before)) if low and high else 0.0


def _alone(test: Inequality, rest: Any, term: Any, budget: int, label: str) -> float | None:
    """The smallest constant of one term beside what else is printed; None without one."""
    one = replace(test, bound=Bound(rest + term), switches=(), trivial=None, grid=None)
    try:
        free = tighten(one, terms={"term": term}, budget=budget, seeds=_SEEDS, cap=_CAP, label=f"{label}/factor")
    except (ValueError, ArithmeticError):
        return None
    return free.terms[0].alone


def _round_up(value: float) -> Fraction:
    """The next number of one digit and a half: 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 times a power of ten."""
    scale = Fraction(10) ** math.floor(math.log10(value))
    steps = (Fraction(n, 2) for n in (2, 3, 4, 5, 6, 8, 10, 12, 16, 20))
    return next(step * scale for step in steps if float(step * scale) >= value * (1 - 1e-12))


def budget_of(entry: Entry, n_terms: int) -> int:
    """Evaluations of a search of a claim with so many terms, fewer where its committed check says they are dear."""
    rate = (entry.evaluations or 0) / entry.seconds if entry.seconds else math.inf
    affordable = rate * _SECONDS / (_SEARCHES * len(_SEEDS) * (n_terms + 1))
    return int(min(_BUDGET, max(_LEAST, affordable)))


def started(claim: Claim, entry: Entry, place: int) -> Start:
    """The point that led the committed search of a reading, and its worst instance, each with its case."""
    found, test = entry.readings[place], claim.readings[place].test
    if not isinstance(test, Inequality):
        return Start()
    lead, worst = found.lead, dict(found.worst_instance or {})
    led = None if lead is None else case_at(test, lead.case)
    case = case_named(test, str(worst.pop("case", "")))
    try:
        exact = {name: exactly(value) for name, value in worst.items()}
    except ValueError:  # kept in floats
        case = None
    return Start(
        points=[(led, np.array(lead.cube))] if lead and led and len(lead.cube) == led.space.n_cube else [],
        known=[(case, exact)] if case else [],
    )


def constants_of(claim: Claim, place: int, budget: int, *, false: bool, start: Start = Start()) -> Row:
    """The constants of one reading, of a `false` one how they grow and what repairs it too.

    `budget`: evaluations of a search. `why`: why there are none, for a bound without terms of its own.
    """
    test = claim.readings[place].test
    assert isinstance(test, Inequality)
    label = f"{claim.id}/{place}"
    row: Row = {"reading": place + 1, "name": claim.readings[place].name, "false": false, "budget": budget}
    try:
        found = tighten(test, budget=budget, seeds=_SEEDS, cap=_CAP, label=label, start=start.points, known=start.known)
    except (ValueError, ArithmeticError) as error:
        return {**row, "why": str(error)}
    grown = _grown(test, budget, label) if false else {}
    more = {"along": grown, "repaired": _repaired(test, found, grown, budget, label)} if false else {}
    return {**row, **document(found), **more}


def _complete(paper: Paper, only: Iterable[str]) -> None:
    entries: Mapping[str, Entry] = {e.id: e for e in load_entries(paper.folder / "ledger.json")}
    file, chosen = paper.folder / FILE, set(only)
    held: dict[str, Row] = json.loads(file.read_text("utf-8"))["claims"] if file.is_file() else {}
    for claim in paper.claims:
        entry = entries.get(claim.id)
        places = () if entry is None else wanted(claim, entry)
        if entry is None or not places or (chosen and claim.id not in chosen):
            continue
        if not chosen and held.get(claim.id, {}).get("digest") == entry.fingerprint:
            continue
        readings = []
        for place, false in places:
            test = claim.readings[place].test
            n_terms = len(sp.Add.make_args(test.bound.expression)) if isinstance(test, Inequality) else 0
            start = started(claim, entry, place)
            readings.append(constants_of(claim, place, budget_of(entry, n_terms), false=false, start=start))
        held[claim.id] = {"digest": entry.fingerprint, "readings": readings}
        said = "; ".join(_in_short(row) for row in readings)
        print(f"{claim.id}: {said}", flush=True)
        _write(file, {c.id: held[c.id] for c in paper.claims if c.id in held})
    _write(file, {c.id: held[c.id] for c in paper.claims if c.id in held})


def _write(file: Path, claims: Mapping[str, Row]) -> None:
    if claims:
        made = {"budget": _BUDGET, "seeds": len(_SEEDS), "cap": _CAP, "claims": claims, "provenance": provenance()}
        replace_file(file, json.dumps(made, ensure_ascii=False, indent=1).encode() + b"\n")


def _in_short(row: Row) -> str:
    if "why" in row:
        return f"reading {row['reading']}: {row['why']}"
    shown = ", ".join(f"{t['term']} {t['printed']} → {t['alone']}" for t in row["terms"])
    mended = f"; repaired: {row['repaired']}" if row["false"] else ""
    return f"reading {row['reading']}: {shown}{mended}"


def main(arguments: Iterable[str] | None = None) -> None:
    """Measure what the files of the papers named lack, of all without any; a line on each claim."""
    by_paper("tightened", __doc__, _complete, arguments)


if __name__ == "__main__":
    main()
