"""Never one score: the quantities a search drives upwards, each of which finds a failure the others would miss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from validation.bound import Bound
from validation.claim import Case

__all__ = ["TOLERANCE", "Scores", "evaluate", "scored"]

Float = NDArray[np.float64]

TOLERANCE = 1e-9  # relative to Σ|terms|: a run of a few hundred float64 operations stays well inside


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of many instances, each array (n,); inadmissible draws and undefined sides score −inf.

    `rising` holds by name what a search may climb:
    - "ratio": lhs/rhs where rhs > 0, ∞ where rhs <= 0 and lhs > rhs;
    - "excess": (lhs − rhs)/(|lhs| + Σ|terms of rhs|), which finds cancellation and sign failures;
    - "sinking": −rhs/Σ|terms|, the whole right side driven to 0 and below;
    - "term i", "denominator i": the same for each term and each denominator of the right side alone;
    - "recursion": (lhs − rhs)/(|lhs − common| + |rhs − common|), what one step adds once the shared part is removed.
    """

    ratio: Float
    excess: Float
    rising: Mapping[str, Float]
    admissible: NDArray[np.bool_]


def evaluate(bound: Bound, case: Case, cube: Float) -> Scores:
    """The scores of points of the cube, (n, n_cube)."""
    with np.errstate(all="ignore"):
        constants = case.measure(case.space.decode(cube))
    return scored(bound, constants)


def scored(bound: Bound, constants: Mapping[str, Float]) -> Scores:
    """The scores of measured constants; see `Scores`."""
    with np.errstate(all="ignore"):
        lhs = np.asarray(constants["lhs"], dtype=np.float64)
        rhs, scale = bound(constants)
        rhs, scale = np.broadcast_to(rhs, lhs.shape), np.broadcast_to(scale, lhs.shape)
        admissible = np.isfinite(lhs) & np.isfinite(rhs) & np.isfinite(scale)
        if "admissible" in constants:
            admissible = admissible & np.asarray(constants["admissible"], dtype=bool)
        magnitude = np.broadcast_to(np.asarray(constants.get("magnitude", 0.0)), lhs.shape)
        # What is smaller than 1e-13 of the quantities it was computed from is rounding, on either side.
        size = np.abs(lhs) + scale + 1e-4 * magnitude
        visible = np.maximum(np.abs(lhs), np.abs(rhs)) > 1e-13 * magnitude
        # Both sides exactly 0 is no lead: it would outrank every true instance of a statement that holds.
        excess = np.where((lhs != 0) | (scale != 0), (lhs - rhs) / size, -1.0)
        ratio = np.where(rhs > 0, lhs / rhs, np.where(lhs > rhs, np.inf, 0.0))
        ratio = np.where(visible, ratio, 0.0)
        rising = {"ratio": ratio, "excess": excess, "sinking": np.where(size > 0, -rhs / size, -np.inf)}
        for name, (value, own) in bound.parts(constants).items():
            rising[name] = np.broadcast_to(np.where(own > 0, -value / own, -np.inf), lhs.shape)
        if "common" in constants:
            common = np.asarray(constants["common"], dtype=np.float64)
            moved = np.abs(lhs - common) + np.abs(rhs - common)
            # Below the rounding of the shared part the difference means nothing.
            rising["recursion"] = np.where(moved > 1e-10 * (size + np.abs(common)), (lhs - rhs) / moved, -1.0)
    hidden = {name: np.where(admissible & ~np.isnan(s), s, -np.inf) for name, s in rising.items()}
    return Scores(hidden["ratio"], hidden["excess"], hidden, admissible)
