"""`python -m validation.papers.find_witnesses KEY …`: find the instances that a paper's `witnesses.toml` lacks.

Every mutant without an instance `at(…)` is searched, shrunk to few digits and checked exactly; every claim that says
where it is tight is searched for equal sides, and for nearly equal ones where it names a limit. What the file has and
still shows what it is for stays as it is.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping

from validation.papers.named import attains, in_a_limit
from validation.papers.papers import load_papers
from validation.papers.witnesses import FILE, TIGHT, Stored, read_witnesses, written
from validation.statement.claim import Claim, Inequality, Number, Paper, Relation, Test
from validation.statement.forms.gram import VectorInequality
from validation.statement.instances.at import At
from validation.study.at_instance import BothSides, cases_at, sides_of
from validation.study.witnesses import falling, nearly, tight

__all__ = ["completed", "main", "says_where"]

__judges__ = "no"

_NOWHERE = ("not", "never")  # how words on tightness begin that name no place


def says_where(claim: Claim) -> bool:
    """Whether a claim says at which instances its sides are equal; of some it is said that they are not, or unknown."""
    return claim.tight is not None and not claim.tight.startswith(_NOWHERE)


def completed(claim: Claim, held: Mapping[str, Stored], seconds: float = 15.0) -> dict[str, Stored]:
    """The instances of a claim: those held that still show what they are for, and what a search adds to them."""
    found: dict[str, Stored] = {}
    for mutant in claim.mutants:
        if mutant.falls_at or isinstance(mutant.test, Relation | Number):
            continue
        here = f"{claim.id}, mutant {mutant.name!r}"
        known = held.get(mutant.name)
        one = _kept(mutant.test, known.instance, here, _falls) if known else None
        one = one or _kept(mutant.test, falling(mutant.test, here, seconds), here, _falls)
        found |= {mutant.name: one} if one else {}
    if says_where(claim) and not claim.tight_at:
        one = _tight(claim, held.get(TIGHT), seconds)
        found |= {TIGHT: one} if one else {}
    return found


def _tight(claim: Claim, known: Stored | None, seconds: float) -> Stored | None:
    here = f"{claim.id}, tight"
    shows = attains(claim)
    tests = [r.test for r in claim.readings if isinstance(r.test, Inequality | VectorInequality)]
    for test in tests:
        one = known if known and (isinstance(test, VectorInequality) or cases_at(test, known.instance)) else None
        kept = _kept(test, one.instance, here, shows) if one else None
        if kept:
            return kept
    found = [_kept(t, tight(t, here, seconds), here, shows) for t in tests]
    if not any(found) and in_a_limit(claim):
        found = [_kept(t, nearly(t, here), here, shows) for t in tests]
    return next(filter(None, found), None)


def _falls(sides: BothSides) -> bool:
    return sides.violates


def _kept(test: Test, instance: At | None, here: str, shows: Callable[[BothSides], bool]) -> Stored | None:
    """The instance with both sides, where it shows what it is for."""
    if instance is None:
        return None
    try:
        sides = sides_of(test, instance, here)
    except (ValueError, ArithmeticError, LookupError):
        return None
    return Stored(instance, sides.words) if shows(sides) else None


def main(arguments: Iterable[str] | None = None) -> None:
    """Complete the files of the papers named, of all without any; a line on each claim that stays without."""
    parser = argparse.ArgumentParser(prog="python -m validation.papers.find_witnesses", description=__doc__)
    parser.add_argument("key", nargs="*", help="papers, all without any")
    parser.add_argument("--seconds", type=float, default=15.0, help="processor time for each (default 15)")
    given = parser.parse_args(None if arguments is None else list(arguments))
    for paper in load_papers():
        if not given.key or paper.key in given.key:
            _complete(paper, given.seconds)


def _complete(paper: Paper, seconds: float) -> None:
    held = dict(read_witnesses(paper.folder))
    found: dict[str, Mapping[str, Stored]] = {}
    for claim in paper.claims:
        found[claim.id] = completed(claim, held.get(claim.id, {}), seconds)
        lacking = [m.name for m in claim.mutants if not m.falls_at and m.name not in found[claim.id]]
        lacking = [] if isinstance(claim.mutants[0].test, Relation | Number) else lacking
        lacking += [TIGHT] if says_where(claim) and not claim.tight_at and TIGHT not in found[claim.id] else []
        if lacking:
            print(f"{claim.id}: none for {', '.join(lacking)}", flush=True)
        later = {one.id: held.get(one.id, {}) for one in paper.claims if one.id not in found}
        (paper.folder / FILE).write_text(written({**found, **later}), encoding="utf-8")


if __name__ == "__main__":
    main()
