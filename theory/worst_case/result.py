"""The answer of a worst-case problem: its value, what proves it, and the instance that attains it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from theory.worst_case.status import Residuals, Status

__all__ = ["FunctionPoints", "Size", "WorstCase", "in_units", "interpolation_violation"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Size:
    """Size of the semidefinite program: order of the Gram matrix, function values, scalar constraints."""

    gram: int
    values: int
    constraints: int

    @property
    def rows(self) -> int:
        """Rows of the cone program, n(n+1)/2 + constraints: what the time grows with, about as its cube."""
        return self.gram * (self.gram + 1) // 2 + self.constraints

    def __str__(self) -> str:
        n = self.gram
        return f"Gram matrix {n} × {n}, {self.values} function values, {self.constraints} constraints: {self.rows} rows"


@dataclass(frozen=True, eq=False)
class FunctionPoints:
    """One function of the worst instance where it was asked: `points` xⱼ, `gradients` ∇F(xⱼ), `values` F(xⱼ).

    Shapes (n_points, dim), (n_points, dim), (n_points,); `mu` and `L` are the constants of its class.
    """

    points: Float
    gradients: Float
    values: Float
    mu: float
    L: float


@dataclass(frozen=True, eq=False)
class WorstCase:
    """The largest value of a performance measure over a whole class of functions, in any dimension.

    `value`: attained by the instance in `functions` (recomputed from it); +∞ when `status` is "unbounded", −∞ when it
    is "infeasible". `upper`: the dual value, what the multipliers prove; the truth lies between, up to `residuals`.
    `functions`: the points of every declared function, in order; `trace`: named sequences of points, (length, dim).
    `residuals` is None, and the two others empty, when no instance exists. `seconds`: wall time of posing and solving.
    """

    value: float
    upper: float
    status: Status
    solver: str
    solver_status: str
    residuals: Residuals | None
    size: Size
    seconds: float
    functions: tuple[FunctionPoints, ...] = ()
    trace: Mapping[str, Float] = field(default_factory=dict)

    def ratio_to(self, bound: float) -> float:
        """Value / published bound: > 1 refutes the bound, <= 1 says it holds at these constants, 1 that it is tight.

        Raises `ValueError` for a bound that is not positive, and when the hypotheses are contradictory.
        """
        if not bound > 0:
            raise ValueError(f"ratio_to(bound={bound}): must be > 0")
        if self.status == "infeasible":
            raise ValueError("ratio_to(…): no instance meets the hypotheses, so the bound was not compared to anything")
        return self.value / bound


def in_units(worst: WorstCase, *, length: float, curvature: float, value: float) -> WorstCase:
    """The answer to a problem solved at L = 1 and radius 1, put back into its own units, one per argument.

    Interior-point solvers stop at absolute tolerances: at L = 10⁴ one called "optimal" a value that was off by half.
    The smallest eigenvalue of the Gram matrix keeps the units it was solved in.
    """
    slope, loss = curvature * length, curvature * length**2
    functions = tuple(
        FunctionPoints(f.points * length, f.gradients * slope, f.values * loss, f.mu * curvature, f.L * curvature)
        for f in worst.functions
    )
    residuals = worst.residuals and replace(
        worst.residuals,
        gap=worst.residuals.gap * value,
        dual=worst.residuals.dual * value,
        interpolation=worst.residuals.interpolation * loss,
    )
    return replace(
        worst,
        value=worst.value * value,
        upper=worst.upper * value,
        residuals=residuals,
        functions=functions,
        trace={name: points * length for name, points in worst.trace.items()},
    )


def interpolation_violation(function: FunctionPoints) -> tuple[float, float]:
    """(largest violation, scale) of the conditions under which a μ-L function through these points exists.

    F(x) >= F(y) + ⟨∇F(y), x−y⟩ + [‖Δg‖²/L + μ‖Δx‖² − 2(μ/L)⟨Δg, Δx⟩] / (2(1 − μ/L)) for all pairs, Δ = at x − at y.
    Source: A. Taylor, J. Hendrickx, F. Glineur, "Smooth strongly convex interpolation and exact worst-case performance
    of first-order methods", 2017, Theorem 4; for −L <= μ < 0 the same after adding (−μ/2)‖x‖².
    Both in units of loss; the scale is the largest sum of the sizes of the terms and of L‖Δx‖². Valid for μ < L.
    """
    x, g, f = function.points, function.gradients, function.values
    dx, dg = x[:, None] - x[None, :], g[:, None] - g[None, :]
    ratio = function.mu / function.L
    linear = np.sum(g[None, :] * dx, axis=-1)
    bend = (
        np.sum(dg**2, axis=-1) / function.L
        + function.mu * np.sum(dx**2, axis=-1)
        - 2 * ratio * np.sum(dg * dx, axis=-1)
    ) / (2 * (1 - ratio))
    violation = f[None, :] - f[:, None] + linear + bend
    # A function that is zero over a long way has no terms of its own to compare with, hence L‖Δx‖².
    size = np.abs(f[None, :] - f[:, None]) + np.abs(linear) + np.abs(bend) + function.L * np.sum(dx**2, axis=-1)
    return max(0.0, float(np.max(violation))), float(np.max(size))
