"""FA-R14: whether d leads from the model to the nearest point of a hull, the updates laid at the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paper_checks.fedaware.hulls import SHORTEST, Checked, nearest, shortest, squares
from paper_checks.fedaware.notation import NOTATION
from validation import Case, Claim, Family, Instance, Signed, Size, Space, permuted_clients, rotated_space, units
from validation.statement.says import le
from validation.world.front import claim, mutant, reading
from validation.world.world import World, case

__all__ = ["CLAIMS"]

apart2 = NOTATION.symbols("apart2")


def from_model(x: Instance, *, sign: int, first: bool) -> Mapping[str, Any]:
    """‖v − d‖² with v the vector from the model to the nearest point of the hull of the local models.

    The local models are x − mᵢ (`sign` 1, Algorithm 1) or x + mᵢ (−1, eq. (1)); `first`: v is seen from x⁰.
    """
    m, model = x["m"], x["model"]
    base = x["first"] if first else model
    away = nearest(-sign * m)[1]
    size = squares(m).max(axis=1) + squares(model) + squares(base)
    return {"apart2": squares(away + model - base - nearest(m)[1]), "sizes": {"apart2": size}}


def from_model_exact(x: Mapping[str, Any], *, sign: int, first: bool) -> Checked:
    """The point of the hull of the local models that is nearest to the broadcast model, seen from there."""
    m, model = x["m"], x["model"]
    local = [[a - sign * b for a, b in zip(model, v, strict=True)] for v in m]
    base = x["first"] if first else model
    away = shortest([[a - b for a, b in zip(v, model, strict=True)] for v in local])[1]
    d = shortest(m)[1]
    return {}, {"apart2": sum((a + b - c - e) ** 2 for a, b, c, e in zip(away, model, base, d, strict=True))}


def local_hulls(*, sign: int, first: bool = False) -> World:
    """Up to 4 updates of up to 8 dimensions, and up to 300 on a line, laid at any model."""
    vectors = ("m", "model", *(("first",) if first else ()))
    same = (units(dict.fromkeys(vectors, (0, 1))), permuted_clients({"m": 0}), rotated_space(vectors))

    def at(N: float, d: float = 1) -> Case:
        n, size = int(N), int(d)
        space = Space((Signed("m", 1e-2, 1e2, (n, size)), *(Signed(name, 1e-2, 1e2, (size,)) for name in vectors[1:])))
        return case(
            f"{n} vectors, d = {size}",
            space,
            from_model,
            from_model_exact,
            uses=SHORTEST,
            cost=max(1.0, n / 75),
            symmetries=same if size > 1 else same[:2],
            sign=sign,
            first=first,
        )

    few = Family("vectors in space", (Size("N", 1, 4, 3), Size("d", 1, 8, 2)), at)
    return World(NOTATION, (few, Family("vectors on a line", (Size("N", 1, 300, 3),), at)))


R14 = claim(
    "FA-R14",
    level="remark",
    at="min-norm points, used by eq. (2), §3",
    title="From the model to the nearest point",
    printed=r"d\ \text{is a vector from initial model parameters to this minimum-norm point}",
    plainly="The direction is the vector from the model to the point of least norm in the hull of the averaged updates.",
    assumes=("m₁, …, m_N any vectors", "d the point of least norm in their convex hull, λ its weights"),
    says=le(apart2, 0),
    world=local_hulls(sign=-1),
    readings=(
        reading(
            "g = x^K − x⁰ as in eq. (1)",
            "From the broadcast model to the nearest point of the hull of the local models x + mᵢ.",
            because="the hull of the mᵢ carried to the model, x + mᵢ: so whatever the sign of g",
        ),
        reading(
            "g = x⁰ − x^K as in Algorithm 1",
            "The same, with the local models x − mᵢ.",
            world=local_hulls(sign=1),
            ours="the print speaks of the hull of the mᵢ, taken «as base vectors», not of the local models x − mᵢ",
        ),
    ),
    mutants=(
        mutant(
            "from the first model of the run",
            le(apart2, 0),
            "x⁰ is not the current model",
            world=local_hulls(sign=-1, first=True),
        ),
    ),
    tight="always equal",
    rests_on=("FA-E1", "FA-E2"),
    verdict="""
        It holds: d leads from the model to the point of least norm in the hull of the mᵢ, the mᵢ being «base vectors»
        laid at the model. With the sign of eq. (1) and fresh updates of all clients, x + mᵢ are the local models, so d
        leads to the nearest point of their hull. That picture is ours. With the sign of Algorithm 1, which the server
        step needs, the local models are x − mᵢ, and d points the opposite way. With α < 1 or absent clients the mᵢ
        belong to no current local models. The sign of eq. (1) counts at FA-E1.""",
)

CLAIMS: tuple[Claim, ...] = (R14,)
