"""`python -m validation.papers.beyond KEY …`: false bounds that no constants repair, shown exactly, in constants.json.

For every false inequality without a repair: exact instances that no constants serve, or a family of them along which
the left side outgrows every term. A bound that has no term with a constant to change is beyond repair at its stored
counterexample. Rows that have an answer keep it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from theory.base.files import replace_file
from validation.cost.limits import NoAnswerError, announce, current, limited, rechecking, within
from validation.judge.entry import Entry
from validation.ledger.ledger import load_entries
from validation.papers.by_paper import by_paper
from validation.papers.tightened import FILE, started
from validation.statement.bound import Bound
from validation.statement.claim import Case, Claim, Inequality, Paper
from validation.statement.instances.at import exactly
from validation.statement.instances.draw import take
from validation.study.tighten import Template
from validation.study.tighten.beyond import descend, exact_or_none, ray
from validation.study.tighten.program import Certificate
from validation.study.tighten.rows import ExactRow
from validation.study.tighten.tighten import sampled
from validation.study.tighten.unbounded import Growing, Outgrown, outgrown

__all__ = ["beyond_repair", "document", "main", "rebuilt", "shown_at", "templates"]

__judges__ = "no"

Row: TypeAlias = dict[str, Any]
Start: TypeAlias = tuple[Case, Mapping[str, Any]]

_SECONDS = 8.0  # of processor time of one start, all told
_STARTS, _LIMITS = 3, (8, 10**4)  # sampled instances that a search starts from, and their denominators


def beyond_repair(
    test: Inequality, starts: Sequence[Start], kept: Sequence[str] = ()
) -> Certificate | Outgrown | Growing | None:
    """Exact instances that no constants of a bound serve, else a family along which none are large enough; or None.

    `starts`: instances in fractions; `kept`: terms that stay as printed because they are negative somewhere. Where all
    terms with free constants fail, those count as free, too.
    """
    whole, free = templates(test, kept)
    bounds = tuple(Bound(e) for e in (*free.terms, free.kept))
    if not free.names:
        rows = [row for case, instance in starts if (row := exact_or_none(bounds, case, instance)) is not None]
        return ray(rows, 0)
    with within(replace(current(), recheck_seconds=_SECONDS)), rechecking():
        for template in (whole, free) if whole is not free else (free,):
            announce(_from, *((template, case) for case, _ in starts))
            for case, instance in starts:
                try:
                    found = limited(_from, (template, case), instance)
                except NoAnswerError:
                    continue
                if found is not None:
                    return found
    return None


def _from(template: Template, case: Case, instance: Mapping[str, Any]) -> Certificate | Outgrown | Growing | None:
    walk = descend(template, case, instance)
    if walk is None:
        return None
    return ray(walk.rows, len(template.names)) or outgrown(template, case, walk.instance)


def templates(test: Inequality, kept: Sequence[str]) -> tuple[Template, Template]:
    """All terms of the bound free, and those free that are not negative anywhere; a bound without any has none."""
    try:
        whole = Template.of(test.bound.expression)
        return whole, whole.without([whole.names.index(k) for k in kept]) if kept else whole
    except ValueError:
        none = Template((), (), (), test.bound.expression)
        return none, none


def shown_at(test: Inequality, claim: Claim, entry: Entry, place: int, kept: Sequence[str]) -> list[Start]:
    """Where a search starts: the stored counterexample, and sampled instances with the smallest terms, a case each."""
    start = started(claim, entry, place)
    _, free = templates(test, kept)
    found: list[Start] = list(start.known)
    if not free.names:
        return found
    pool = sampled(test, free, 0, claim.id, start.points)
    ratio = pool.terms.sum(axis=1) / (pool.lhs - pool.kept)
    cases: list[str] = []
    for i in np.argsort(ratio, kind="stable"):
        case, cube = pool.places[i]
        if case.name not in cases:
            cases.append(case.name)
            found += [(case, instance) for instance in _rounded(case, cube)]
        if len(cases) == _STARTS:
            break
    return found


def _rounded(case: Case, cube: NDArray[np.float64]) -> Iterator[Mapping[str, Any]]:
    drawn = take(case.space.decode(cube[None]), 0)
    return (case.space.rationalise(drawn, limit) for limit in _LIMITS)


def document(found: Certificate | Outgrown | Growing | None) -> Row:
    """What was found as JSON: exact numbers as text."""
    if isinstance(found, Certificate):
        rows = [
            {
                "case": row.case,
                "instance": _text(row.instance),
                "left": str(row.lhs),
                "terms": list(map(str, row.terms)),
                "y": str(y),
            }
            for y, row in zip(found.duals, found.rows, strict=True)
        ]
        return {"kind": "ray", "rows": rows}
    if isinstance(found, Outgrown):
        quotients = [[[str(c) for c in p] for p in q] for q in (found.left, *found.terms)]
        return {
            "kind": "outgrown",
            "case": found.case,
            "instance": _text(found.instance),
            "along": found.words,
            "until": str(found.until),
            "orders": list(found.orders),
            "quotients": quotients,
        }
    if isinstance(found, Growing):
        return {
            "kind": "growing",
            "case": found.case,
            "instance": _text(found.instance),
            "along": found.words,
            "at": list(map(str, found.epsilons)),
            "ratios": list(found.ratios),
            "power": found.power,
        }
    return {"kind": "open"}


def rebuilt(row: Row) -> Certificate | Outgrown | None:
    """The exact evidence of a row of `document`, without instances' meaning; None of a row that has none."""
    if row["kind"] == "ray":
        rows = tuple(map(_read, row["rows"]))
        duals = tuple(Fraction(r["y"]) for r in row["rows"])
        value = sum((y * r.lhs for y, r in zip(duals, rows, strict=True)), Fraction(0))
        return Certificate((Fraction(0),) * len(rows[0].terms), rows, duals, value)
    if row["kind"] == "outgrown":
        left, *terms = map(_quotient, row["quotients"])
        orders, until = tuple(row["orders"]), Fraction(row["until"])
        return Outgrown(row["case"], row["instance"], row["along"], until, left, tuple(terms), orders)
    return None


def _read(row: Row) -> ExactRow:
    instance = {name: exactly(value) for name, value in row["instance"].items()}
    return ExactRow(row["case"], instance, Fraction(row["left"]), tuple(map(Fraction, row["terms"])))


def _quotient(pair: Sequence[Sequence[str]]) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    top, bottom = (tuple(map(Fraction, one)) for one in pair)
    return top, bottom


def _text(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _text(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_text(one) for one in value]
    return str(value) if isinstance(value, Fraction) else value


def _complete(paper: Paper, only: Iterable[str]) -> None:
    file, chosen = paper.folder / FILE, set(only)
    if not file.is_file():
        return
    whole = json.loads(file.read_text("utf-8"))
    entries = {e.id: e for e in load_entries(paper.folder / "ledger.json")}
    for claim in paper.claims:
        held = whole["claims"].get(claim.id)
        if held is None or held["digest"] != entries[claim.id].fingerprint or (chosen and claim.id not in chosen):
            continue
        for row in held["readings"]:
            lacks = row["false"] and not row.get("repaired") and ("beyond" not in row or claim.id in chosen)
            test = claim.readings[row["reading"] - 1].test
            if not lacks or not isinstance(test, Inequality) or row.get("joint", {}).get("value") is not None:
                continue
            starts = shown_at(test, claim, entries[claim.id], row["reading"] - 1, row.get("kept", ()))
            row["beyond"] = document(beyond_repair(test, starts, row.get("kept", ())))
            print(f"{claim.id} reading {row['reading']}: {row['beyond']}"[:300], flush=True)
            replace_file(file, json.dumps(whole, ensure_ascii=False, indent=1).encode() + b"\n")


def main(arguments: Iterable[str] | None = None) -> None:
    """Search what the files of the papers named lack, of all without any; a line on each false bound."""
    by_paper("beyond", __doc__, _complete, arguments)


if __name__ == "__main__":
    main()
