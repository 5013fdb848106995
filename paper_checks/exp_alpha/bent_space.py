"""Clients in several dimensions, each coordinate of one curvature below the optimum and another above, at one step.

They are strongly convex and smooth, and no quadratics unless the curvatures agree. W* is any point: it is the optimum of
one more client of the same curvatures that has all of the data and no weight.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Switch,
    permuted_clients,
    units,
)

__all__ = ["DEGREES", "KEPT", "bent_family", "bent_values", "bent_values_exact"]

DEGREES = {
    **dict.fromkeys(("L", "mu"), (1, -2)),
    **dict.fromkeys(("at_local", "at_best"), (1, 0)),
    **dict.fromkeys(("before", "spread"), (0, 2)),
    "eta": (-1, 2),
}
KEPT = Switch(
    "one weight vector a round",
    "ρᵗ is the same at every step of a round",
    lambda x: {**x, "weights": np.broadcast_to(x["weights"][:, 1:], x["weights"].shape)},
)


def bent_values(x: Instance) -> dict[str, Any]:
    """Gradients, excess losses and distances at the local models; W̄ᵗ by ρᵗ, the sums by ρᵗ⁺¹."""
    low, high, m, W, best = x["low"], x["high"], x["optimum"], x["local"], x["best"]
    b = x["weights"][:, 1]
    a = np.where(x["kept"][:, None] > 0, b, x["weights"][:, 0])
    slope = np.where(m <= W, high, low) * (W - m)
    target = best[:, None, :]
    there = np.where(m <= target, high, low) * (target - m)
    mu, L = np.minimum(low, high).min(axis=(1, 2)), np.maximum(low, high).max(axis=(1, 2))
    bar = (a[..., None] * W).sum(axis=1)
    mean = (b[..., None] * slope).sum(axis=1)
    eta = x["step"] / L
    each = 0.5 * (slope * (W - m)).sum(axis=2)
    reach = (np.abs(W).max(axis=(1, 2)) + np.abs(m).max(axis=(1, 2)) + np.abs(best).max(axis=1)) ** 2
    return {
        "L": L,
        "mu": mu,
        "eta": eta,
        "at_local": (b * each).sum(axis=1),
        "at_best": 0.5 * (b * (there * (target - m)).sum(axis=2)).sum(axis=1),
        "before": ((bar - best) ** 2).sum(axis=1),
        "spread": (b * ((bar[:, None] - W) ** 2).sum(axis=2)).sum(axis=1),
        "squares": (b * (slope**2).sum(axis=2)).sum(axis=1),
        "square": (mean**2).sum(axis=1),
        "towards": (b * ((target - W) * slope).sum(axis=2)).sum(axis=1),
        "away": (b * ((target - W) ** 2).sum(axis=2)).sum(axis=1),
        "after": ((bar - eta[:, None] * mean - best) ** 2).sum(axis=1),
        "reach": reach,
    }


def bent_values_exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Any]]:
    """The same, coordinate by coordinate."""
    low, high, m, W, best = x["low"], x["high"], x["optimum"], x["local"], x["best"]
    b = x["weights"][1]
    a = b if x["kept"] > 0 else x["weights"][0]
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
        "at_local": sum(b[i] * excess(i, W[i]) for i in clients),
        "at_best": sum(b[i] * excess(i, best) for i in clients),
        "before": sum((bar[j] - best[j]) ** 2 for j in dims),
        "spread": sum(b[i] * (bar[j] - W[i][j]) ** 2 for i in clients for j in dims),
        "squares": sum(b[i] * g[i][j] ** 2 for i in clients for j in dims),
        "square": sum(mean[j] ** 2 for j in dims),
        "towards": sum(b[i] * (best[j] - W[i][j]) * g[i][j] for i in clients for j in dims),
        "away": sum(b[i] * (best[j] - W[i][j]) ** 2 for i in clients for j in dims),
        "after": sum((bar[j] - eta * mean[j] - best[j]) ** 2 for j in dims),
    }
    return met, found


def bent_family(
    measure: Callable[[Instance], Mapping[str, Any]],
    exact: Callable[[Mapping[str, Any]], tuple[Mapping[str, bool], Mapping[str, Fraction]]],
    *,
    most: int = 100,
    kept: bool = True,
) -> Family:
    """Up to `most` clients in up to 8 dimensions; `kept`: W̄ᵗ is the mean under ρᵗ⁺¹."""

    def at(N: float, d: float) -> Case:
        shape = (int(N), int(d))
        drawn = Space(
            (
                LogScale("low", 1e-2, 1e2, shape, at=(1e-2, 1.0, 1e2)),
                LogScale("high", 1e-2, 1e2, shape, at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-2, 1e2, shape),
                Signed("local", 1e-2, 1e2, shape),
                Simplex("weights", shape[0], (2,)),
                Signed("best", 1e-2, 1e2, (shape[1],)),
                LogScale("step", 1e-3, 0.25, at=(0.25, 0.1)),
                Choice("kept", (float(kept),)),
            )
        )
        lengths = dict.fromkeys(("optimum", "local", "best"), (0, 1))
        same = (
            permuted_clients({**dict.fromkeys(("low", "high", "optimum", "local"), 0), "weights": 1}),
            units({"low": (1, -2), "high": (1, -2), **lengths}),
        )
        cost = max(2.0, N * d / 16)
        words = f"{shape[0]} bent clients, d = {shape[1]}"
        return Case(words, drawn, measure, ExactCheck(exact, (bent_values_exact,)), cost=cost, symmetries=same)

    return Family("bent clients", (Size("N", 1, most, min(2, most)), Size("d", 1, 8, 1)), at)
