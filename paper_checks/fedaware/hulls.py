"""The shortest point of a hull, twice: in batch by `theory.minnorm`, and exactly over Fractions by looking at every face."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.known_truths.exact import FACES, stationary_points
from theory.exact import dot
from theory.minnorm import enumerate_faces
from theory.quantities import pseudo_gradient
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Instance,
    Kind,
    Property,
    Reading,
    Signed,
    Size,
    Space,
    permuted_clients,
    rotated_space,
    units,
)
from validation.statement.draw import Coordinate

__all__ = [
    "SHORTEST",
    "Checked",
    "Extra",
    "fact",
    "flagged",
    "hulls",
    "nearest",
    "never",
    "nothing",
    "shortest",
    "squares",
]

Number = Any
Vector = list[Any]
Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]
Extra = Callable[[int, int], tuple[Coordinate, ...]]


def squares(v: Any) -> Any:
    """‖v‖² along the last axis."""
    return (v**2).sum(axis=-1)


def nearest(m: Any) -> tuple[Any, Any]:
    """(weights, point) of least norm in the hull of m (batch, N, d): in closed form on a line, else face by face."""
    if m.shape[2] > 1:
        weights, _ = enumerate_faces(np.einsum("nid,njd->nij", m, m))
        return weights, pseudo_gradient(m, weights)
    values = m[..., 0]
    rows = np.arange(len(m))
    low, high = values.argmin(axis=1), values.argmax(axis=1)
    least, most = values[rows, low], values[rows, high]
    span = np.where(most > least, most - least, 1.0)
    share = np.where(least > 0, 1.0, np.where(most < 0, 0.0, np.where(most > least, most / span, 1.0)))
    weights = np.zeros_like(values)
    weights[rows, high] += 1.0 - share
    weights[rows, low] += share
    point = np.where(least > 0, least, np.where(most < 0, most, 0.0))
    return weights, point[:, None]


def shortest(m: Sequence[Vector]) -> tuple[Vector, Vector]:
    """(weights, point) of least norm in the hull of the vectors m: from its two ends on a line, else from its faces."""
    if len(m[0]) > 1:
        return min(stationary_points(m), key=lambda one: dot(one[1], one[1]))
    values = [v[0] for v in m]
    low, high = values.index(min(values)), values.index(max(values))
    least, most = values[low], values[high]
    share = Fraction(1)
    if least <= 0 and most > least:
        share = Fraction(0) if most < 0 else most / (most - least)
    weights = [Fraction(0) for _ in m]
    weights[high] += 1 - share
    weights[low] += share
    return weights, [share * least + (1 - share) * most]


SHORTEST = (*FACES, shortest)  # `shortest` and all it calls


def nothing(_n: int, _d: int) -> tuple[Coordinate, ...]:
    """No further coordinates."""
    return ()


def flagged(name: str, extra: Extra = nothing) -> Extra:
    """`extra` and the flag that turns a statement into its mutant `name`."""
    return lambda n, d: (*extra(n, d), Choice(name, (1.0,)))


def hulls(
    measure: Callable[[Instance], Mapping[str, Any]],
    exact: Callable[[Mapping[str, Any]], Checked],
    extra: Extra = nothing,
    *,
    uses: tuple[Callable[..., Any], ...] = (),
    clients: tuple[str, ...] = (),
    vectors: tuple[str, ...] = (),
    numbers: Mapping[str, tuple[int, int]] | None = None,
    symmetric: bool = True,
    line: bool = True,
    least: int = 1,
    dim: int = 2,
) -> tuple[Family, ...]:
    """Any `least` to 4 vectors m of up to 8 dimensions, and (`line`) up to 300 on a line, with `extra` coordinates.

    `clients` names the extra coordinates with a client axis first, `vectors` those in units of m with the space last,
    `numbers` the degrees of further ones; `dim` is the usual dimension.
    """

    def at(N: float, d: float = 1) -> Case:
        n, size = int(N), int(d)
        space = Space((Signed("m", 1e-2, 1e2, (n, size)), *extra(n, size)))
        lengths = {"m": (0, 1), **dict.fromkeys(vectors, (0, 1)), **(numbers or {})}
        same = (units(lengths), permuted_clients({"m": 0, **dict.fromkeys(clients, 0)}), rotated_space(("m", *vectors)))
        return Case(
            f"{n} vectors, d = {size}",
            space,
            measure,
            ExactCheck(exact, (*SHORTEST, *uses)),
            cost=max(1.0, n / 75),
            symmetries=(same if size > 1 else same[:2]) if symmetric else (),
        )

    few = Family("vectors in space", (Size("N", least, 4, 3), Size("d", 1, 8, dim)), at)
    many = Family("vectors on a line", (Size("N", least, 300, 3),), at)
    return (few, many) if line else (few,)


def never(cases: tuple[Case | Family, ...], degrees: tuple[int, int] = (0, 2)) -> Property:
    """Nothing is missed on any instance; the amount missed is in squared units of a vector unless said otherwise."""
    return Property(cases, degrees=degrees)


def fact(
    claim_id: str,
    title: str,
    statement: str,
    says: str,
    readings: tuple[Reading, ...],
    canaries: tuple[Canary, ...],
    tight: str | None,
    verdict_words: str,
    depends_on: tuple[str, ...] = (),
) -> Claim:
    """A fact about the shortest point d of the hull C of N vectors, which the paper uses without printing it."""
    assumed = ("m₁, …, m_N any vectors", "d the point of least norm in their convex hull, λ its weights")
    return Claim(
        id=claim_id,
        kind=Kind.PROPERTY,
        source="min-norm points, used by eq. (2), §3",
        title=title,
        statement=statement,
        says=says,
        assumes=assumed,
        readings=readings,
        canaries=canaries,
        tight=tight,
        depends_on=depends_on,
        verdict_words=verdict_words,
    )
