"""FA-MN16: how the shortest point answers to noise in the updates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked, fact, flagged, hulls, nearest, shortest, squares
from theory.exact import dot
from validation import Bound, Canary, Claim, Inequality, Instance, Reading, Signed, symbols
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]


def _shaken(x: Instance) -> Mapping[str, Any]:
    """t|t| with t = ‖d‖² − ‖d'‖² − δ², so that ‖d‖ <= ‖d'‖ + δ exactly if t|t| <= 4‖d'‖²δ²; `point`: ‖d − d'‖²."""
    m, other = x["m"], x["m"] + x["shake"]
    d, e = nearest(m)[1], nearest(other)[1]
    delta2 = squares(x["shake"]).min(axis=1) if "least" in x else squares(x["shake"]).max(axis=1)
    magnitude = np.maximum(squares(m).max(axis=1), squares(other).max(axis=1))
    if "point" in x:
        return {"lhs": squares(d - e), "room": delta2, "magnitude": magnitude}
    t = squares(d) - squares(e) - delta2
    return {"lhs": t * np.abs(t), "room": 4 * squares(e) * delta2, "magnitude": magnitude**2}


def shaken_exact(x: Mapping[str, Any]) -> Checked:
    """The shortest points of m and of m + shake, and the largest (mutant: the least) change of a vector."""
    other = [[a + b for a, b in zip(u, v, strict=True)] for u, v in zip(x["m"], x["shake"], strict=True)]
    d, e = shortest(x["m"])[1], shortest(other)[1]
    sizes = [dot(v, v) for v in x["shake"]]
    delta2 = min(sizes) if "least" in x else max(sizes)
    if "point" in x:
        return {}, {"lhs": sum((a - b) ** 2 for a, b in zip(d, e, strict=True)), "room": delta2}
    t = dot(d, d) - dot(e, e) - delta2
    return {}, {"lhs": t * abs(t), "room": 4 * dot(e, e) * delta2}


def _shake(n: int, d: int) -> tuple[Coordinate, ...]:
    return (Signed("shake", 1e-4, 1e2, (n, d)),)


room = symbols("room")
MN16_BOUND = Bound(room, again=lambda room: 1 * room, degrees={"room": (0, 4)})
MN16 = fact(
    "FA-MN16",
    "Noisy updates",
    r"\big|\,\|d\|-\|d'\|\,\big|\le\max_i\|m_i-m_i'\|",
    "The length of the shortest point moves no further than the update that moves furthest.",
    (
        Reading(
            "the length",
            "Both directions, since m and m′ are any two sets of vectors; the roots are squared away.",
            Inequality(
                MN16_BOUND, hulls(_shaken, shaken_exact, _shake, clients=("shake",), vectors=("shake",)), degrees=(0, 4)
            ),
        ),
    ),
    (
        Canary(
            "the least change",
            Inequality(
                MN16_BOUND,
                hulls(_shaken, shaken_exact, flagged("least", _shake), clients=("shake",), vectors=("shake",)),
                degrees=(0, 4),
            ),
            "for one moved client of two the least change is 0",
        ),
        Canary(
            "the point itself",
            Inequality(
                Bound(room, degrees={"room": (0, 2)}),
                hulls(_shaken, shaken_exact, flagged("point", _shake), clients=("shake",), vectors=("shake",)),
                degrees=(0, 2),
            ),
            "from (0, 1), (ℓ, 1) to (0, 1), (ℓ, 1 − δ) the point moves by about δ/ℓ, further than δ for short ℓ",
        ),
    ),
    "all vectors moved along d by the same length",
    "The length of d is Lipschitz with constant 1, because d of one hull gives a point of the other that is at most "
    "maxᵢ‖mᵢ − mᵢ′‖ away. The point itself is not: it may move like the square root of the noise, and the weights may "
    "jump.",
)

CLAIMS: tuple[Claim, ...] = (MN16,)
