"""Two clients of one curvature with opposed optima, their local models a multiple of a gradient step apart; wₜ = 0.

Here the lines on A₆ are attained: with wₜⁱ = wₜ − walk·η∇Fᵢ(wₜ), walk = 1 is a step of gradient descent from wₜ.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.points import USES, at_points_exact, at_points_sides
from validation import Case, Choice, ExactCheck, Family, Instance, LogScale, Signed, Size, Space, Uniform, units

__all__ = ["mirrored_points"]


def _pair(x: Instance) -> Mapping[str, Any]:
    h, c = x["curvature"], x["optimum"]
    away = x["walk"][:, None] * (x["step"] / h.max(axis=1))[:, None] * h * c
    half = np.full((len(h), 2), 0.5)
    pair = {"spectrum": np.stack([h, h], axis=1), "optimum": np.stack([c, -c], axis=1), "weights": half}
    return at_points_sides({**x, **pair, "local": np.stack([away, -away], axis=1), "other": np.zeros_like(c)})


def mirrored_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Clients h/2 (w - c)^2 and h/2 (w + c)^2 in every coordinate, weights 1/2, local models walk eta h c and its opposite."""
    h, c = x["curvature"], x["optimum"]
    away = [x["walk"] * x["step"] / max(h) * a * b for a, b in zip(h, c, strict=True)]
    pair = {"spectrum": [h, h], "optimum": [c, [-v for v in c]], "weights": [Fraction(1, 2)] * 2}
    return at_points_exact({**x, **pair, "local": [away, [-v for v in away]], "other": [Fraction(0) for _ in c]})


def mirrored_points(line: int, *, scaled: bool = True) -> Family:
    """For the lines on A₆: step sizes up to 1/(4L), up to three gradient steps either way."""

    def at(d: float) -> Case:
        dim = int(d)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (dim,), at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-3, 1e2, (dim,)),
                Uniform("walk", -3.0, 3.0, at=(-1.0, 1.0)),
                LogScale("step", 1e-4, 0.25, at=(1e-4, 1e-2, 0.25)),
                Choice("rho", (1.0,)),
                Choice("line", (float(line),)),
            )
        )
        same = (units({"curvature": (1, -2), "optimum": (0, 1)}),) if scaled else ()
        name = f"two mirrored clients, d = {dim}"
        return Case(name, space, _pair, ExactCheck(mirrored_exact, (at_points_exact, *USES)), symmetries=same)

    return Family("two mirrored clients", (Size("d", 1, 8, 1),), at)
