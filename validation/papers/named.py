"""Instances that a claim names, evaluated exactly: its mutants fall at theirs, sides are equal where it is tight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from validation.papers.look_up import BothSides, sides_at
from validation.statement.claim import Case, Claim, Inequality
from validation.statement.instances.at import At
from validation.study.courses import case_named

__all__ = ["Named", "named_instances"]


@dataclass(frozen=True)
class Named:
    """An instance of a mutant, or of where the claim is tight; the sides there, and whether it shows what it is for."""

    claim_id: str
    mutant: str | None
    instance: At
    sides: BothSides
    shown: bool

    def __str__(self) -> str:
        what = "the sides are equal" if self.mutant is None else f"the mutant {self.mutant!r} falls"
        met = f"; not met: {', '.join(self.sides.unmet)}" if self.sides.unmet else ""
        return f"{self.claim_id}: {what} at {self.instance}: left {self.sides.left}, right {self.sides.right}{met}"


def named_instances(claim: Claim) -> tuple[Named, ...]:
    """Every instance that a claim names: a mutant is violated at its own, a reading has equal sides at a tight one.

    Raises `ValueError` for numbers that no case draws, and for an instance of what is no inequality.
    """
    return tuple(_named(claim))


def _named(claim: Claim) -> Iterator[Named]:
    for mutant in claim.mutants:
        for instance in mutant.falls_at:
            here = f"{claim.id}, mutant {mutant.name!r}"
            sides = _sides(mutant.test, instance, here)
            yield Named(claim.id, mutant.name, instance, sides, sides.violates)
    for instance in claim.tight_at:
        tests = [r.test for r in claim.readings if isinstance(r.test, Inequality) and _cases(r.test, instance)]
        here = f"{claim.id}, tight"
        tried = [_sides(test, instance, here) for test in tests] or [_sides(claim.readings[0].test, instance, here)]
        equal = [sides for sides in tried if not sides.unmet and sides.left == sides.right]
        yield Named(claim.id, None, instance, [*equal, *tried][0], bool(equal))


def _sides(test: object, instance: At, here: str) -> BothSides:
    if not isinstance(test, Inequality):
        raise ValueError(f"{here}: at({instance}) is an instance of a {type(test).__name__}; expected an inequality")
    cases = _cases(test, instance)
    if len(cases) != 1:
        drawn = "; ".join(f"{c.name}: {', '.join(k.name for k in c.space.coordinates)}" for c in _all(test))
        what = f"{len(cases)} cases draw these numbers" if cases else "no case draws these numbers"
        raise ValueError(f"{here}: at({instance}): {what}; expected at('case', …) of one of: {drawn}")
    return sides_at(test, cases[0], instance.numbers, here)


def _cases(test: Inequality, instance: At) -> list[Case]:
    """The cases that draw what an instance names, of that name where it names one."""
    named = case_named(test, instance.case) if instance.case else None
    found = ([named] if named else []) if instance.case else _all(test)
    return [case for case in found if {c.name for c in case.space.coordinates} == set(instance.numbers)]


def _all(test: Inequality) -> list[Case]:
    return [item if isinstance(item, Case) else item.at(**item.usual()) for item in test.cases]
