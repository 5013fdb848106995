"""How a numbered equation of FedSSA becomes a claim: its identities, steps between vectors, and measured rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from validation import Canary, Claim, Identity, Inequality, Kind, Property, Reading
from validation.statement.claim import Test
from validation.statement.domain import Domain
from validation.statement.gram import VectorInequality

__all__ = ["ANY_VECTORS", "ROUND", "asked", "equation", "grown", "proved", "same", "split"]

ROUND = (
    "one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises independent between "
    "the clients, as said below (24); w on the simplex (never stated), fixed before the round unless said"
)
ANY_VECTORS = "any vectors; expectations of both sides follow"

Repair = Literal["condition", "edit"] | None


def asked(name: str, says: str, test: Test, repair: Repair = None) -> Reading:
    """A reading, in one line."""
    return Reading(name, says, test, repair)


def proved(name: str, since: str, left: Any, right: Any) -> Canary:
    """A false identity that has to be refuted."""
    return Canary(name, Identity(left, right), since)


def same(left: Any, right: Any, says: str = "One coordinate, two clients, two local steps.") -> tuple[Reading, ...]:
    """An identity between sums, the same in every coordinate."""
    return (Reading("as printed", says, Identity(left, right)),)


def grown(left: Any, right: Any, says: str) -> Reading:
    """The step of an induction over the length of a sum: the identity with one more summand."""
    return Reading("one summand more", says, Identity(left, right))


def split(left: Any, right: Any, domain: Domain | None = None, says: str = "Path by path.") -> tuple[Reading, ...]:
    """A step between squares of free vectors."""
    return (Reading("for all vectors", says, VectorInequality(left, right, domain or Domain())),)


def equation(
    number: int,
    source: str,
    title: str,
    statement: str,
    says: str,
    readings: tuple[Reading, ...],
    canaries: tuple[Canary, ...],
    words: str,
    needs: Sequence[str] = (),
    assumes: tuple[str, ...] = (ROUND,),
    tight: str | None = None,
) -> Claim:
    """The claim SSA-E`number`; `needs` are the ids it rests on, without their prefix."""
    first = readings[0].test
    kind = Kind.INEQUALITY
    if isinstance(first, Identity):
        kind = Kind.IDENTITY
    elif isinstance(first, Property):
        kind = Kind.PROPERTY
    elif not isinstance(first, Inequality | VectorInequality):
        kind = Kind.RELATION
    return Claim(
        id=f"SSA-E{number:02d}",
        kind=kind,
        source=source,
        title=title,
        statement=statement,
        says=says,
        assumes=assumes,
        readings=readings,
        canaries=canaries,
        tight=tight,
        depends_on=tuple(f"SSA-{n}" for n in needs),
        verdict_words=words,
    )
