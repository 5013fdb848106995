"""`python -m validation.report.claims.checked_numbers`: the numbers in claims' texts, and which of them nothing checks.

A number is checked where it is one that was computed for this claim: of its stored outcomes (exact sides, ratios,
counterexamples, worst cases, studies, compared cells, differences of runs), of its instances `at(…)` and stored ones
with both sides, or the ratio or difference of such a pair of sides; or where a formula of the claim has it: of the
print, of its hypotheses, of its readings' names, conditions and edits, and of its mutants' names, whose statements are
tested; or where the text works it out from numbers that are checked, «1 − 19.67/22.33 = 11.9%» (of which whole numbers
up to 10, and 100, are those of the formula); or where a doctest prints it of a function that the text names.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from doctest import DocTestParser
from fractions import Fraction
from itertools import chain
from typing import Any

from validation.judge.entry import Entry
from validation.ledger.ledger import load_entries
from validation.papers.named import named_instances
from validation.papers.papers import load_papers
from validation.papers.witnesses import Stored, read_witnesses
from validation.published.tables import load_table
from validation.report.counterexample.instance import run_script
from validation.report.text.arithmetic import worked_out
from validation.report.text.numerals import RULE, Numeral, numerals
from validation.statement.bound import exact_value
from validation.statement.claim import Claim, Paper, Relation
from validation.statement.instances.at import At

__all__ = ["Said", "known_numbers", "main", "said", "texts", "unchecked"]

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:/\d+)?")
_FRACTION = re.compile(r"\\[tdc]?frac\s*(?:\{(\d+)\}|(\d))\s*(?:\{(\d+)\}|(\d))")
_OUTCOMES = (
    *("worst_ratio", "exact", "worst_instance", "cells", "why", "expectation", "constants", "mechanisms"),
    *("edits", "restored_by", "slopes", "largest_quotient", "certificate"),
)
_NAMED = re.compile(r"`(\w+)`")
_EXAMPLES = DocTestParser()
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
    stored, printed, runs = read_witnesses(paper.folder), _printed_cells(paper), _of_runs(paper)
    found: list[Said] = []
    for claim in paper.claims:
        mine = [(where, numeral) for where, text in texts(claim) for numeral in numerals(text)]
        worked = {n for _, text in texts(claim) for n in worked_out(text)}
        if not mine:
            continue
        lacking = {n for _, n in mine}
        sources = [worked, printed if any(isinstance(r.test, Relation) for r in claim.readings) else set()]
        sources += [runs.get(claim.id, set()), _of_doctests(claim)]
        for known in chain(sources, _sources(claim, entries.get(claim.id), stored.get(claim.id, {}))):
            lacking = {n for n in lacking if not any(map(n.says, known))}
            if not lacking:
                break
        found += [Said(claim.id, where, n, n not in lacking) for where, n in mine]
    return tuple(found)


def unchecked(found: Iterable[Said]) -> tuple[Said, ...]:
    """Those that nothing checks."""
    return tuple(one for one in found if not one.checked)


def known_numbers(claim: Claim, entry: Entry | None, stored: Mapping[str, Stored]) -> set[Fraction]:
    """The numbers that were computed for a claim, or that its formulas have."""
    return set().union(*_sources(claim, entry, stored))


def _sources(claim: Claim, entry: Entry | None, stored: Mapping[str, Stored]) -> Iterator[set[Fraction]]:
    """The numbers of one source after the other, those that take longest to compute last."""
    yield _short(_of_formulas(claim))
    tests = (*(r.test for r in claim.readings), *(m.test for m in claim.mutants))
    yield _short(n for t in tests if isinstance(t, Relation) and t.needs_run is None for n in _of_relation(t))
    if entry is not None:
        yield _short(_of_entry(entry.json()))
    named = _instances(claim, stored)
    yield _short(n for one in named for n in (*_numbers(dict(one.numbers)), *_numbers(one.case)))
    yield _short(n for one in stored.values() for n in _pair(*one.sides) if "≈" not in "".join(one.sides))
    yield _short(n for one in named_instances(claim, stored) for n in _pair(one.sides.left, one.sides.right))
    if entry is not None:
        yield _short(n for source in _scripts(entry.json()) for n in _of_script(source))


def _short(numbers: Iterable[Fraction]) -> set[Fraction]:
    return {one for one in numbers if max(abs(one.numerator), one.denominator).bit_length() < _LONGEST}


def _instances(claim: Claim, stored: Mapping[str, Stored]) -> list[At]:
    named = [*claim.tight_at, *(one for mutant in claim.mutants for one in mutant.falls_at)]
    return named + [one.instance for one in stored.values()]


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
    for key in ("worst_cases", "studies", "supremum"):
        found |= set(_numbers(row.get(key)))
    return found


def _scripts(row: Mapping[str, Any]) -> Iterator[str]:
    yield from (part["counterexample_source"] for part in (row, *row["readings"]) if part.get("counterexample_source"))


def _of_script(source: str) -> set[Fraction]:
    ran = run_script(source)
    if ran is None:
        return set()
    terms = {n for _, term in ran.terms for n in _numbers(term)}
    return set(_numbers(dict(ran.names))) | terms | _pair(ran.left, ran.right)


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


def _of_runs(paper: Paper) -> dict[str, set[Fraction]]:
    """By claim the stored differences between runs: means, intervals, seeds, p-values, and in per cent."""
    file = paper.folder / "results" / "statements.json"
    found: dict[str, set[Fraction]] = {}
    for statement in json.loads(file.read_text("utf-8")) if file.is_file() else ():
        for one in statement["differences"]:
            known = set(_numbers({name: one.get(name) for name in ("mean", "n", "p")}))
            if None not in (one["low"], one["high"]):
                known |= {Fraction(one["high"]), Fraction(one["low"]), Fraction(one["high"] - one["low"]) / 2}
            found.setdefault(statement["claim"], set()).update(known | {100 * value for value in known})
    return found


def _of_doctests(claim: Claim) -> set[Fraction]:
    """What doctests print of functions that the texts name, `such`, in the modules of the claim's paper."""
    names = {name for _, text in texts(claim) for name in _NAMED.findall(text)}
    found: set[Fraction] = set()
    for module in list(sys.modules.values()) if names else ():
        if getattr(module, "__name__", "").startswith("paper_checks."):
            for function in filter(None, (vars(module).get(name) for name in names)):
                for example in _EXAMPLES.get_examples(getattr(function, "__doc__", None) or ""):
                    shown = set(_numbers((example.source.replace("_", ""), example.want)))
                    found |= shown | {100 * value for value in shown}
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
