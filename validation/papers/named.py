"""Instances of claims, evaluated exactly: mutants fall at theirs, sides are equal where a claim is tight.

A bound that is attained in a limit alone, as its words say, has an instance at which the sides are close. Authors name
some in the claim, `at(…)`; the others are stored beside the paper, as `validation.papers.witnesses` says.
What is said of printed numbers has these as its only instance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from validation.papers.witnesses import TIGHT, Stored
from validation.statement.claim import Claim, Inequality, Mutant, Number, Relation, Test
from validation.statement.forms.gram import VectorInequality
from validation.statement.instances.at import At
from validation.study.at_instance import BothSides, cases_at, printed_sides, sides_of
from validation.study.witnesses import close

__all__ = ["Named", "attains", "in_a_limit", "named_instances"]

__judges__ = "no"


_LIMIT = re.compile(r"→|\blimit\b|\bgrows?\b|\blarge\b|\bsmall\b|\ball E\b")


def in_a_limit(claim: Claim) -> bool:
    """Whether the words on where a claim is tight name a limit."""
    return claim.tight is not None and _LIMIT.search(claim.tight) is not None


def attains(claim: Claim) -> Callable[[BothSides], bool]:
    """What sides of an instance show that the claim is tight: equal ones, close ones where it is so in a limit.

    Equal are also sides that only a letter of the statement for rounding holds apart.
    """
    limit = in_a_limit(claim)

    def shown(sides: BothSides) -> bool:
        return not sides.unmet and (sides.equal or (limit and close(sides.left, sides.right)))

    return shown


@dataclass(frozen=True)
class Named:
    """An instance of a mutant, or of where the claim is tight; the sides there, and whether it shows what it is for.

    `instance`: None for what is said of printed numbers. `stored`: both sides as the paper's file has them, for what
    stands there.
    """

    claim_id: str
    mutant: str | None
    instance: At | None
    sides: BothSides
    shown: bool
    stored: tuple[str, str] | None = None

    @property
    def as_stored(self) -> bool:
        """Whether the sides are those of the file, where it has them."""
        return self.stored is None or self.stored == self.sides.words

    def __str__(self) -> str:
        what = "the sides are equal" if self.mutant is None else f"the mutant {self.mutant!r} falls"
        where = "the printed numbers" if self.instance is None else str(self.instance)
        met = f"; not met: {', '.join(self.sides.unmet)}" if self.sides.unmet else ""
        return f"{self.claim_id}: {what} at {where}: left {self.sides.left}, right {self.sides.right}{met}"


def named_instances(claim: Claim, stored: Mapping[str, Stored] | None = None) -> tuple[Named, ...]:
    """Every instance of a claim: a mutant is violated at its own, a reading has equal sides at a tight one.

    `stored`: those of the claim in its paper's file. Raises `ValueError` for numbers that no case draws, and for an
    instance of a mutant that the claim does not have.
    """
    stored = stored or {}
    unknown = set(stored) - {mutant.name for mutant in claim.mutants} - {TIGHT}
    if unknown:
        raise ValueError(f"{claim.id}: instances of {', '.join(sorted(unknown))}, which is no mutant of it")
    return tuple(_named(claim, stored))


def _named(claim: Claim, stored: Mapping[str, Stored]) -> Iterator[Named]:
    for mutant in claim.mutants:
        here, held = f"{claim.id}, mutant {mutant.name!r}", stored.get(mutant.name)
        for instance in mutant.falls_at:
            sides = sides_of(mutant.test, instance, here)
            yield Named(claim.id, mutant.name, instance, sides, sides.violates)
        if held is not None:
            sides = sides_of(mutant.test, held.instance, here)
            yield Named(claim.id, mutant.name, held.instance, sides, sides.violates, held.sides)
        yield from _printed(claim, mutant)
    for instance in claim.tight_at:
        yield _tight(claim, instance, None)
    if TIGHT in stored:
        yield _tight(claim, stored[TIGHT].instance, stored[TIGHT].sides)


def _printed(claim: Claim, mutant: Mutant) -> Iterator[Named]:
    sides = printed_sides(mutant.test) if isinstance(mutant.test, Relation | Number) else None
    if sides is not None:
        yield Named(claim.id, mutant.name, None, sides, sides.violates)


def _tight(claim: Claim, instance: At, stored: tuple[str, str] | None) -> Named:
    """At a tight instance the sides of some reading that draws its numbers are equal, or close for a limit."""
    here, shows = f"{claim.id}, tight", attains(claim)
    tests = [r.test for r in claim.readings if _drawn(r.test, instance)]
    tried = [sides for sides in (_value(test, instance, here) for test in tests) if sides is not None]
    equal = [sides for sides in tried if shows(sides)]
    same = [sides for sides in equal if sides.words == stored]
    best = [*same, *equal, *tried] or [sides_of(claim.readings[0].test, instance, here)]
    return Named(claim.id, None, instance, best[0], bool(equal), stored)


def _drawn(test: Test, instance: At) -> bool:
    """Whether a test draws what an instance names."""
    if isinstance(test, VectorInequality):
        return set(instance.numbers) == {*test.names, *test.domain.names}
    return isinstance(test, Inequality) and bool(cases_at(test, instance))


def _value(test: Test, instance: At, here: str) -> BothSides | None:
    """Both sides; None where a reading has none there, as another one that draws these numbers may."""
    try:
        return sides_of(test, instance, here)
    except (ArithmeticError, LookupError, ValueError):
        return None
