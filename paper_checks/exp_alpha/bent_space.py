"""The world of (14)–(18): bent clients in several dimensions at one local step, W* any point.

Each coordinate has one curvature below the minimiser and another above it: strongly convex and smooth, and no quadratics
unless the two agree. W* is the optimum of one more client of the same curvatures that has all of the data and no weight.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import Case, Family, Instance, LogScale, Signed, Simplex, Size, Space, permuted_clients, units
from validation.world.world import case

__all__ = ["bent", "bent_step", "bent_step_exact"]


def bent_step(x: Instance, *, kept: bool) -> Mapping[str, Any]:
    """Gradients, losses above the minimum and distances at the local models; W̄ᵗ by ρᵗ, the sums by ρᵗ⁺¹, W* any point."""
    low, high, m, W, best = x["low"], x["high"], x["optimum"], x["local"], x["best"]
    b = x["weights"][:, -1]
    a = b if kept else x["weights"][:, 0]
    slope, target = np.where(m <= W, high, low) * (W - m), best[:, None, :]
    there = np.where(m <= target, high, low) * (target - m)
    mu, L = np.minimum(low, high).min(axis=(1, 2)), np.maximum(low, high).max(axis=(1, 2))
    bar, mean = (a[..., None] * W).sum(axis=1), (b[..., None] * slope).sum(axis=1)
    eta = x["step"] / L
    size = (np.abs(W).max(axis=(1, 2)) + np.abs(m).max(axis=(1, 2)) + np.abs(best).max(axis=1)) ** 2
    return {
        "L": L,
        "mu": mu,
        "eta": eta,
        "local": 0.5 * (b * (slope * (W - m)).sum(axis=2)).sum(axis=1),
        "about": 0.5 * (b * (there * (target - m)).sum(axis=2)).sum(axis=1),
        "before": ((bar - best) ** 2).sum(axis=1),
        "drift": (b * ((bar[:, None] - W) ** 2).sum(axis=2)).sum(axis=1),
        "slopes2": (b * (slope**2).sum(axis=2)).sum(axis=1),
        "slope2": (mean**2).sum(axis=1),
        "towards": (b * ((target - W) * slope).sum(axis=2)).sum(axis=1),
        "away": (b * ((target - W) ** 2).sum(axis=2)).sum(axis=1),
        "after": ((bar - eta[:, None] * mean - best) ** 2).sum(axis=1),
        "sizes": {
            **dict.fromkeys(("before", "drift", "away", "after"), size),
            **dict.fromkeys(("local", "about", "towards"), L * size),
            **dict.fromkeys(("slopes2", "slope2"), L**2 * size),
        },
    }


def bent_step_exact(x: Mapping[str, Any], *, kept: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same, coordinate by coordinate."""
    low, high, m, W, best = x["low"], x["high"], x["optimum"], x["local"], x["best"]
    b = x["weights"][-1]
    a = b if kept else x["weights"][0]
    clients, dims = range(len(W)), range(len(best))

    def slope(i: int, j: int, w: Any) -> Any:
        return (high[i][j] if w >= m[i][j] else low[i][j]) * (w - m[i][j])

    def excess(i: int, w: Any) -> Any:
        return sum(slope(i, j, w[j]) * (w[j] - m[i][j]) for j in dims) / 2

    mu, L = min(min(r) for r in [*low, *high]), max(max(r) for r in [*low, *high])
    eta = x["step"] / L
    g = [[slope(i, j, W[i][j]) for j in dims] for i in clients]
    bar = [sum(a[i] * W[i][j] for i in clients) for j in dims]
    mean = [sum(b[i] * g[i][j] for i in clients) for j in dims]
    met = {
        "A1, A2: mu > 0; W* the optimum of one more such client, with all of the data and no weight": mu > 0,
        "0 < eta <= 1/(4 L)": 0 < 4 * x["step"] <= 1,
        "weights on the simplex at every step": all(sum(r) == 1 and min(r) >= 0 for r in x["weights"]),
    }
    found = {
        "L": L,
        "mu": mu,
        "eta": eta,
        "local": sum(b[i] * excess(i, W[i]) for i in clients),
        "about": sum(b[i] * excess(i, best) for i in clients),
        "before": sum((bar[j] - best[j]) ** 2 for j in dims),
        "drift": sum(b[i] * (bar[j] - W[i][j]) ** 2 for i in clients for j in dims),
        "slopes2": sum(b[i] * g[i][j] ** 2 for i in clients for j in dims),
        "slope2": sum(mean[j] ** 2 for j in dims),
        "towards": sum(b[i] * (best[j] - W[i][j]) * g[i][j] for i in clients for j in dims),
        "away": sum(b[i] * (best[j] - W[i][j]) ** 2 for i in clients for j in dims),
        "after": sum((bar[j] - eta * mean[j] - best[j]) ** 2 for j in dims),
    }
    return met, found


def bent(*, most: int = 100, kept: bool = True) -> Family:
    """Up to `most` bent clients in up to 8 dimensions; W* is the optimum of one more that has the data and no weight."""

    def at(N: float, d: float) -> Case:
        shape = (int(N), int(d))
        space = Space(
            (
                LogScale("low", 1e-2, 1e2, shape, at=(1e-2, 1.0, 1e2)),
                LogScale("high", 1e-2, 1e2, shape, at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-2, 1e2, shape),
                Signed("local", 1e-2, 1e2, shape),
                Simplex("weights", shape[0], (1 if kept else 2,)),
                Signed("best", 1e-2, 1e2, (shape[1],)),
                LogScale("step", 1e-3, 0.25, at=(0.25, 0.1)),
            )
        )
        same = (
            permuted_clients({**dict.fromkeys(("low", "high", "optimum", "local"), 0), "weights": 1}),
            units({"low": (1, -2), "high": (1, -2), **dict.fromkeys(("optimum", "local", "best"), (0, 1))}),
        )
        name, cost = f"{shape[0]} bent clients, d = {shape[1]}", max(2.0, N * d / 16)
        return case(name, space, bent_step, bent_step_exact, cost=cost, symmetries=same, kept=kept)

    return Family("bent clients", (Size("N", 1, most, min(2, most)), Size("d", 1, 8, 1)), at)
