"""How a claim is written: what it says over a world; readings and mutants are what differs from that.

claim(
"X-S2", level="step", at="A.9", title="…", printed="…", plainly="…",
says=le(eta(t), 2 * eta(t + E)), world=STEPS,
readings=(reading("as printed", "…"), reading("short rounds", "…", where=(le(E, 8 * kappa - 1),))),
mutants=(mutant("factor 2 dropped", le(eta(t), eta(t + E)), "the step size falls strictly"),),
verdict="…",
)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import sympy as sp

from validation.statement.claim import (
    Claim,
    Identity,
    Kind,
    Mechanism,
    Mutant,
    Number,
    Property,
    Reading,
    Relation,
    Test,
    no_mutant,
)
from validation.statement.forms.orders import Order
from validation.statement.forms.studies import Study
from validation.statement.roles import ClaimRoles, Level, Open, ReadingRole
from validation.statement.says import Eq, Le, le
from validation.world.world import World

__all__ = ["FalseVariant", "Says", "Variant", "claim", "mutant", "reading"]

Says: TypeAlias = "Le | Eq | Test"
"""Two sides over a world, or a statement of another kind, which brings what it is tested on."""


@dataclass(frozen=True)
class Variant:
    """A reading as it differs from the claim: another statement, further hypotheses, another world; and what it is."""

    plainly: str
    role: ReadingRole
    says: Says | None = None
    where: tuple[Le, ...] = ()
    world: World | None = None


@dataclass(frozen=True)
class FalseVariant:
    """A structural mutant of what is said: false by the argument in `since`, so the search must refute it."""

    name: str
    says: Says
    since: str
    where: tuple[Le, ...] = ()
    world: World | None = None


def reading(
    name: str,
    plainly: str,
    *,
    says: Says | None = None,
    where: tuple[Le, ...] = (),
    world: World | None = None,
    **terms: Any,
) -> Variant:
    """One reading; `where` are the conditions that it adds, `terms` what else it is, as `ReadingRole` takes them.

    Raises `TypeError` for a condition alone, which is no tuple.
    """
    if isinstance(where, Le):
        raise TypeError(f"reading({name!r}): where is {where.words}; expected a tuple of conditions, (le(…),)")
    if where and "conditions" not in terms:
        terms["conditions"] = tuple(h.words for h in where)
    return Variant(plainly, ReadingRole(name, **terms), says, where, world)


def mutant(
    name: str, says: Says, since: str, *, where: tuple[Le, ...] = (), world: World | None = None
) -> FalseVariant:
    """A mutant of the claim; see `FalseVariant`. Raises `TypeError` for a condition alone, which is no tuple."""
    if isinstance(where, Le):
        raise TypeError(f"mutant({name!r}): where is {where.words}; expected a tuple of conditions, (le(…),)")
    return FalseVariant(name, says, since, where, world)


def claim(
    claim_id: str,
    *,
    level: str,
    at: str,
    title: str,
    printed: str,
    plainly: str,
    says: Says,
    world: World | None = None,
    mutants: Sequence[FalseVariant],
    verdict: str,
    readings: Sequence[Variant] = (),
    assumes: Sequence[str] = (),
    undecided: Mapping[str, tuple[str, str]] | None = None,
    tight: str | None = None,
    rests_on: Sequence[str] = (),
    supremum: float | None = None,
    repeats: str = "",
    ours: str = "",
    written: str = "",
    meets: Mapping[str, str] | None = None,
    studies: Sequence[Study] = (),
    mechanisms: Sequence[Mechanism] = (),
) -> Claim:
    """The claim as search and judge take it. Without `readings` the print itself is the only one.

    `undecided`: issue → ("twice" or "nowhere", why), for what the print leaves open; `ours`: why the statement as a
    whole is asked by us and not printed; `written`: what of `printed` we wrote out; `meets`: a claim it rests on → the
    hypothesis by which it meets what that one lacks. Raises `ValueError` as `ClaimRoles` and `Claim` do, for an unknown
    level, and for what is no identity and has no world.
    """
    if level not in list(Level):
        raise ValueError(f"claim({claim_id!r}): level = {level!r}; expected one of {', '.join(Level)}")
    given: dict[str, object] = {"mutants": mutants, "readings": readings}
    for one, what in given.items():
        if not isinstance(what, Sequence):
            call = one.removesuffix("s")
            raise TypeError(f"claim({claim_id!r}): {one} is one {call}; expected a tuple of them, ({call}(…),)")
    variants = tuple(readings) or (reading("as printed", plainly),)

    def tested(of: Variant | FalseVariant) -> Test:
        said, over = of.says or says, of.world or world
        if not isinstance(said, Le | Eq):
            return said
        if isinstance(said, Eq) and (said.identity or (over is None and not of.where)):
            return Identity(said.left, said.right, said.sample)
        if over is None:
            raise ValueError(f"claim({claim_id!r}): no world; expected one for what is no identity of all letters")
        if isinstance(said, Eq):  # of what is drawn; numbers outside its range are not spoken of
            said = le(sp.Abs(said.left - said.right), 0)
        return over.where(*of.where).test(said)

    with _named(claim_id):
        for false in mutants:
            if all(_same(false, variant, says, world) for variant in variants):
                raise ValueError(no_mutant(false.name))
        made = tuple(Reading(v.role.name, v.plainly, tested(v), repair=_repair(v.role)) for v in variants)
        roles = ClaimRoles(
            Level(level),
            tuple(v.role for v in variants),
            {issue: Open(*held) for issue, held in (undecided or {}).items()},
            repeats,
            ours=ours,
            written=written,
            meets=meets or {},
        )
        return Claim(
            id=claim_id,
            kind=next((kind for of, kind in _KINDS.items() if isinstance(made[0].test, of)), Kind.INEQUALITY),
            source=at,
            title=title,
            statement=printed,
            says=plainly,
            assumes=tuple(assumes),
            readings=made,
            mutants=tuple(Mutant(m.name, tested(m), m.since) for m in mutants),
            tight=tight,
            depends_on=tuple(rests_on),
            verdict_words=" ".join(verdict.split()),
            supremum=supremum,
            roles=roles,
            studies=tuple(studies),
            mechanisms=tuple(mechanisms),
        )


def _same(one: FalseVariant, variant: Variant, says: Says, world: World | None) -> bool:
    """Whether a mutant says what a reading says, over the same world under the same hypotheses."""
    if (one.world or world) is not (variant.world or world) or one.where != variant.where:
        return False
    mine, other = one.says or says, variant.says or says
    if mine is other:
        return True
    if not isinstance(mine, Le | Eq) or type(mine) is not type(other):
        return False
    shifted = (mine.left - mine.right) - (other.left - other.right)
    if isinstance(mine, Le) and isinstance(other, Le):
        return mine.strict == other.strict and bool(shifted == 0)
    return bool(shifted == 0)


@contextmanager
def _named(claim_id: str) -> Iterator[None]:
    """What is wrong with a reading, a mutant or the roles, with the claim it is wrong in: a paper has hundreds."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if type(error) not in (TypeError, ValueError) or repr(claim_id) in str(error):
            raise
        raise type(error)(f"claim({claim_id!r}): {error}") from error


_KINDS: Mapping[type, Kind] = {
    Identity: Kind.IDENTITY,
    Order: Kind.ORDER,
    Relation: Kind.RELATION,
    Number: Kind.NUMBER,
    Property: Kind.PROPERTY,
}


def _repair(role: ReadingRole) -> Any:
    if role.edits:
        return "edit"
    return "condition" if role.conditions else None
