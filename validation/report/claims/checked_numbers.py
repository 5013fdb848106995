"""`python -m validation.report.claims.checked_numbers`: the numbers in claims' texts, and which of them nothing checks.

A number is checked where it is one that was computed for this claim: of its stored outcomes (exact sides, ratios,
counterexamples, worst cases, studies, compared cells), of its instances `at(…)` and stored ones with both sides, or the
ratio or difference of such a pair of sides; or where a formula of the claim has it: of the print, of its hypotheses, of
its readings' names, conditions and edits, and of its mutants' names, whose statements are tested.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from validation.judge.entry import Entry
from validation.ledger.ledger import load_entries
from validation.papers.named import named_instances
from validation.papers.papers import load_papers
from validation.papers.witnesses import Stored, read_witnesses
from validation.published.tables import load_table
from validation.report.counterexample.instance import run_script
from validation.report.text.numerals import RULE, Numeral, numerals
from validation.statement.bound import exact_value
from validation.statement.claim import Claim, Paper, Relation

__all__ = ["Said", "known_numbers", "main", "said", "texts", "unchecked"]

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:/\d+)?")
_FRACTION = re.compile(r"\\[tdc]?frac\s*(?:\{(\d+)\}|(\d))\s*(?:\{(\d+)\}|(\d))")
_OUTCOMES = (
    *("worst_ratio", "exact", "worst_instance", "cells", "why", "expectation", "constants", "mechanisms"),
    *("edits", "restored_by", "slopes", "largest_quotient", "certificate"),
)
_LONGEST = 400  # bits of a number that anybody writes


@dataclass(frozen=True)
class Said:
    """A number in a text of a claim."""

    claim: str
    where: str
    numeral: Numeral
    checked: bool


def texts(claim: Claim) -> Iterator[tuple[str, str]]:
    """(which, text) of what a claim says of itself in prose."""
    yield "title", claim.title
    yield "sentence", claim.plainly
    yield "verdict", claim.verdict
    if claim.tight and not claim.tight_at:
        yield "tight", claim.tight
    for mutant in claim.mutants:
        if str(mutant.falls_at[:1]) and mutant.false_since not in {str(one) for one in mutant.falls_at}:
            yield "mutant", mutant.false_since


def said(paper: Paper) -> tuple[Said, ...]:
    """Every number that counts in the texts of a paper's claims."""
    entries = {entry.id: entry for entry in load_entries(paper.folder / "ledger.json")}
    stored, printed = read_witnesses(paper.folder), _printed_cells(paper)
    found: list[Said] = []
    for claim in paper.claims:
        mine = [(where, numeral) for where, text in texts(claim) for numeral in numerals(text)]
        if not mine:
            continue
        known = known_numbers(claim, entries.get(claim.id), stored.get(claim.id, {}))
        known |= printed if isinstance(claim.readings[0].test, Relation) else set()
        found += [Said(claim.id, where, n, any(map(n.says, known))) for where, n in mine]
    return tuple(found)


def unchecked(found: Iterable[Said]) -> tuple[Said, ...]:
    """Those that nothing checks."""
    return tuple(one for one in found if not one.checked)


def known_numbers(claim: Claim, entry: Entry | None, stored: Mapping[str, Stored]) -> set[Fraction]:
    """The numbers that were computed for a claim, or that its formulas have."""
    known = _of_formulas(claim)
    for named in named_instances(claim, stored):
        known |= _pair(named.sides.left, named.sides.right)
        known |= set() if named.instance is None else set(_numbers(dict(named.instance.numbers)))
        known |= set() if named.instance is None else set(_numbers(named.instance.case))
    for test in (*(r.test for r in claim.readings), *(m.test for m in claim.mutants)):
        if isinstance(test, Relation) and test.needs_run is None:
            known |= _of_relation(test)
    if entry is not None:
        known |= _of_entry(entry.json())
    return {one for one in known if max(abs(one.numerator), one.denominator).bit_length() < _LONGEST}


def _of_formulas(claim: Claim) -> set[Fraction]:
    said = [claim.printed, *claim.assumes, *(m.name for m in claim.mutants)]
    for reading in claim.readings:
        said += [reading.name, reading.says]
    for role in () if claim.roles is None else claim.roles.readings:
        said += [*role.conditions, *role.edits, *role.options.values()]
    latex = {Fraction(int(a or b), int(c or d)) for a, b, c, d in _FRACTION.findall(claim.printed) if int(c or d)}
    return latex | {one for text in said for one in _numbers(text)}


def _of_relation(test: Relation) -> set[Fraction]:
    comparisons = test.comparisons()
    found = {Fraction(len(comparisons))}
    for one in comparisons:
        values = {name: Fraction(cell.value) for name, cell in one.cells.items()}
        found |= set(values.values())
        found |= _pair(exact_value(one.left, values), exact_value(one.right, values))
    return found


def _of_entry(row: Mapping[str, Any]) -> set[Fraction]:
    found: set[Fraction] = set()
    for part in (row, *row["readings"]):
        for key in _OUTCOMES:
            found |= set(_numbers(part.get(key)))
        sides = part.get("exact")
        if isinstance(sides, dict):
            both = [next(iter(_numbers(sides[name])), None) for name in ("left", "right")]
            found |= set() if None in both else _pair(both[0], both[1])
        if part.get("counterexample_source"):
            ran = run_script(part["counterexample_source"])
            if ran is not None:
                found |= set(_numbers(dict(ran.names))) | {n for _, t in ran.terms for n in _numbers(t)}
                found |= _pair(ran.left, ran.right)
    for key in ("worst_cases", "studies", "supremum"):
        found |= set(_numbers(row.get(key)))
    return found


def _pair(left: Any, right: Any) -> set[Fraction]:
    """Both sides, their distance, and how often one goes into the other."""
    both = [*_numbers(left), *_numbers(right)]
    if len(both) != 2:
        return set(both)
    a, b = both
    return (
        {a, b, a - b}
        | ({a / b, 100 * a / b, 100 * (a - b) / b} if b else set())
        | ({b / a, 100 * b / a} if a else set())
    )


def _numbers(value: Any) -> Iterator[Fraction]:
    """Every number in a value of JSON or of Python, in texts too."""
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _numbers(one)
    elif isinstance(value, list | tuple | set):
        for one in value:
            yield from _numbers(one)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, str):
        for text in _NUMBER.findall(value.replace("−", "-").replace(",", "")):
            try:
                yield Fraction(text) if "/" not in text or "." not in text else Fraction(text.split("/")[0])
            except (ValueError, ZeroDivisionError):
                continue
    elif isinstance(value, int | float | Fraction):
        if not isinstance(value, float) or abs(value) < float("inf"):
            yield Fraction(value)
    else:
        try:
            yield Fraction(float(value))
        except (TypeError, ValueError, OverflowError):
            return


def _printed_cells(paper: Paper) -> set[Fraction]:
    """The numbers of the paper's published tables."""
    found: set[Fraction] = set()
    for file in sorted((paper.folder / "published").glob("*.csv")):
        for row in load_table(file).rows:
            found |= set(_numbers(dict(row)))
    return found


def main(arguments: Iterable[str] | None = None) -> None:
    """Print the rule and the counts by paper and kind of text; with `--list` the numbers that nothing checks."""
    parser = argparse.ArgumentParser(prog="python -m validation.report.claims.checked_numbers")
    parser.add_argument("key", nargs="*", help="papers, all without any")
    parser.add_argument("--list", action="store_true", help="name every number that nothing checks")
    given = parser.parse_args(None if arguments is None else list(arguments))
    print(RULE)
    print(__doc__.partition("\n\n")[2])
    whole: Counter[str] = Counter()
    for paper in load_papers():
        if given.key and paper.key not in given.key:
            continue
        found = said(paper)
        lacking = unchecked(found)
        by = ", ".join(f"{where} {n}" for where, n in Counter(one.where for one in lacking).items())
        whole += Counter({"all": len(found), "unchecked": len(lacking)})
        print(f"{paper.key}: {len(found)} numbers, {len(lacking)} unchecked ({by})")
        for one in lacking if given.list else ():
            print(f"  {one.claim}, {one.where}: {one.numeral.text}")
    print(f"{whole['all']} numbers, {whole['unchecked']} unchecked")


if __name__ == "__main__":
    main()
