"""Clients on the line with one curvature to the left and another to the right of their optimum, at one local step.

They are strongly convex and smooth, and no quadratics; all is rational. Weights are one vector a round.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import Case, ExactCheck, Instance, LogScale, Signed, Simplex, Space, permuted_clients, units

__all__ = ["bent_case", "bent_optimum"]


def bent_gradient(low: Any, high: Any, m: Any, w: Any) -> Any:
    """F'(w) of a client of curvature `low` below m and `high` above."""
    return (high if w >= m else low) * (w - m)


def bent_optimum(low: list[Any], high: list[Any], m: list[Any], p: list[Any]) -> Any:
    """The zero of sum p_i F_i': linear between neighbouring minimisers."""
    clients = range(len(m))
    for kink in sorted(m, reverse=True):
        if sum(p[i] * bent_gradient(low[i], high[i], m[i], kink) for i in clients) <= 0:
            h = [p[i] * (high[i] if m[i] <= kink else low[i]) for i in clients]
            return sum(h[i] * m[i] for i in clients) / sum(h)
    raise ZeroDivisionError("no minimiser")


def bent_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Both sides of Lemma 1 at t = 1, full gradients, one weight vector a round."""
    low, high, m, a = x["low"], x["high"], x["optimum"], x["weights"]
    clients = range(len(m))
    mu, L = min([*low, *high]), max([*low, *high])
    eta, best = x["step"] / L, bent_optimum(low, high, m, x["share"])
    W = x["local"]
    before = sum(a[i] * W[i] for i in clients)
    after = before - eta * sum(a[i] * bent_gradient(low[i], high[i], m[i], W[i]) for i in clients)

    def excess(w: Any) -> Any:
        return sum(a[i] * bent_gradient(low[i], high[i], m[i], w) * (w - m[i]) for i in clients) / 2

    hypotheses = {
        "A1, A2: mu > 0, curvatures in [mu, L]": mu > 0,
        "eta <= 1/(4 L)": 0 < x["step"] <= Fraction(1, 4),
        "shares and weights on the simplex": sum(x["share"]) == sum(a) == 1 and min([*x["share"], *a]) >= 0,
    }
    constants = {
        "lhs": (after - best) ** 2,
        "eta": eta,
        "mu": mu,
        "L": L,
        "before": (before - best) ** 2,
        "spread": sum(a[i] * (W[i] - before) ** 2 for i in clients),
        "Omega": min(excess(x["start"]), excess(before)),
        "Gamma": excess(best),
        "deviation": Fraction(0),
    }
    return hypotheses, constants


def _bent(x: Instance) -> Mapping[str, Any]:
    low, high, m, a, W = x["low"], x["high"], x["optimum"], x["weights"], x["local"]
    mu, L = np.minimum(low, high).min(axis=1), np.maximum(low, high).max(axis=1)
    eta = x["step"] / L

    def curvature(w: Any) -> Any:
        return np.where(w >= m, high, low)

    # Row k: every client's curvature at the k-th minimiser, where the sum of the gradients is tried.
    kinks = m[:, :, None]
    there = x["share"][:, None, :] * np.where(kinks >= m[:, None, :], high[:, None, :], low[:, None, :])
    slope = (there * (kinks - m[:, None, :])).sum(axis=2)
    row = np.argmax(np.where(slope <= 0, m, -np.inf), axis=1)
    chosen = np.take_along_axis(there, row[:, None, None], axis=1)[:, 0]
    best = (chosen * m).sum(axis=1) / chosen.sum(axis=1)
    before = (a * W).sum(axis=1)
    after = before - eta * (a * curvature(W) * (W - m)).sum(axis=1)

    def excess(w: Any) -> Any:
        return 0.5 * (a * curvature(w[:, None]) * (w[:, None] - m) ** 2).sum(axis=1)

    reach = np.maximum(np.abs(W).max(axis=1), np.abs(m).max(axis=1))
    return {
        "lhs": (after - best) ** 2,
        "eta": eta,
        "mu": mu,
        "L": L,
        "before": (before - best) ** 2,
        "spread": (a * (W - before[:, None]) ** 2).sum(axis=1),
        "Omega": np.minimum(excess(x["start"]), excess(before)),
        "Gamma": excess(best),
        "deviation": np.zeros_like(eta),
        "common": (before - best) ** 2,
        "magnitude": reach**2,
        "admissible": (x["share"] > 0).any(axis=1),
    }


def bent_case(n_clients: int) -> Case:
    """`n_clients` bent clients on the line."""
    drawn = Space(
        (
            LogScale("low", 1e-2, 1e2, (n_clients,), at=(1e-2, 1.0, 1e2)),
            LogScale("high", 1e-2, 1e2, (n_clients,), at=(1e-2, 1.0, 1e2)),
            Signed("optimum", 1e-2, 1e2, (n_clients,)),
            Simplex("share", n_clients),
            Simplex("weights", n_clients),
            Signed("start", 1e-2, 1e2),
            Signed("local", 1e-2, 1e2, (n_clients,)),
            LogScale("step", 1e-3, 0.25, at=(0.25, 0.1)),
        )
    )
    names = ("low", "high", "optimum", "share", "weights", "local")
    lengths = dict.fromkeys(("optimum", "start", "local"), (0, 1))
    same = (permuted_clients(dict.fromkeys(names, 0)), units({"low": (1, -2), "high": (1, -2), **lengths}))
    exact = ExactCheck(bent_exact, (bent_gradient, bent_optimum))
    return Case(f"{n_clients} bent clients on the line, full gradients", drawn, _bent, exact, cost=2.0, symmetries=same)
