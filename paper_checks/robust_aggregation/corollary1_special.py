"""Two special runs for Corollary 1: one long round of FedAvg, and two clients alike."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.optima import optima_differ
from validation import (
    Case,
    Choice,
    ExactCheck,
    Instance,
    Integer,
    LogScale,
    Signed,
    Simplex,
    Space,
    units,
)

__all__ = ["ALIKE", "ONE_ROUND"]


def _one_round(x: Instance) -> Mapping[str, Any]:
    """FedAvg, one round of E = T steps: both clients walk almost to their own optima before the first aggregation."""
    k, mu, n_steps = x["kappa"], x["mu"], x["T"]
    h, m, p = mu[:, None] * np.stack([np.ones_like(k), k], axis=1), x["optimum"], x["share"]
    # Π(1 − ηₜh) telescopes: ηₜh = (h/μ)/(t + 4κ) with a whole number h/μ.
    slow = (4 * k - 1) / (n_steps + 4 * k - 1)
    fast = np.ones_like(k)
    for j in range(1, 9):
        fast = fast * np.where(j <= k, (4 * k - j) / (n_steps + 4 * k - j), 1.0)
    left = np.stack([slow, fast], axis=1)
    pull = (p * h).sum(axis=1)
    best = (p * h * m).sum(axis=1) / pull
    start = best + x["aim"]
    end = (p * (m + (start[:, None] - m) * left)).sum(axis=1)
    far = np.maximum(np.abs(x["aim"]), np.abs(m - best[:, None]).max(axis=1))
    Gamma = (p * h * (m - best[:, None]) ** 2).sum(axis=1) / 2
    one = np.ones_like(k)
    return {
        "lhs": (gap := pull / 2 * (end - best) ** 2),
        "gap": gap,
        "D0": x["aim"] ** 2,
        "L": k * mu,
        "mu": mu,
        "tau": one,
        "T": n_steps,
        "G2": (h**2 * (far[:, None] + np.abs(m - best[:, None])) ** 2).max(axis=1),
        "sigma2": 0 * one,
        "Gamma": Gamma,
        "rho": one,
        "rho_best": one,
        "magnitude": k * mu * (far**2 + best**2),
        "admissible": optima_differ(p, m[..., None]),
        "resolved": Gamma > 1e-9 * k * mu * (far**2 + best**2),
    }


def left_over(k: Any, kappa: Any, n_steps: Any) -> Any:
    """The product of 1 - k/(t + 4 kappa) over t < n_steps, k a whole number."""
    out = Fraction(1)
    for j in range(1, int(k) + 1):
        out = out * (4 * kappa - j) / (n_steps + 4 * kappa - j)
    return out


def one_round_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One round of E = T steps of FedAvg; gradients bounded on the ball around w* that holds all optima and the start."""
    kappa, mu, m, p, n_steps = x["kappa"], x["mu"], x["optimum"], x["share"], x["T"]
    h = [mu, kappa * mu]
    pull = p[0] * h[0] + p[1] * h[1]
    best = (p[0] * h[0] * m[0] + p[1] * h[1] * m[1]) / pull
    start, zero, one = best + x["aim"], Fraction(0), Fraction(1)
    end = sum(p[i] * (m[i] + (start - m[i]) * left_over(h[i] / mu, kappa, n_steps)) for i in (0, 1))
    far = max(abs(x["aim"]), abs(m[0] - best), abs(m[1] - best))
    Gamma = sum(p[i] * h[i] * (m[i] - best) ** 2 for i in (0, 1)) / 2
    met = {
        "mu > 0 and a whole number kappa >= 1": mu > 0 and kappa >= 1 and kappa == int(kappa),
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "Gamma > 0 (Remark 2)": Gamma > 0,
        "T >= 1, a whole number": n_steps >= 1 and n_steps == int(n_steps),
    }
    found = {"D0": x["aim"] ** 2, "L": kappa * mu, "mu": mu, "tau": one, "T": n_steps, "sigma2": zero, "Gamma": Gamma}
    found |= {"G2": max(h[i] ** 2 * (far + abs(m[i] - best)) ** 2 for i in (0, 1)), "rho": one, "rho_best": one}
    gap = pull * (end - best) ** 2 / 2
    return met, {**found, "lhs": gap, "gap": gap}


ONE_ROUND = Case(
    "FedAvg, one round of T steps",
    Space(
        (
            Choice("kappa", tuple(float(k) for k in range(2, 9))),
            LogScale("mu", 1e-2, 1e2, at=(1.0,)),
            Signed("optimum", 1e-3, 1e2, (2,)),
            Signed("aim", 1e-3, 1e2),
            Simplex("share", 2),
            Integer("T", 1, 1_000_000, at=(10, 10_000)),
        )
    ),
    _one_round,
    ExactCheck(one_round_exact, (left_over,)),
    cost=3.0,
    symmetries=(units({"mu": (1, -2), "optimum": (0, 1), "aim": (0, 1)}),),
)


def _alike(x: Instance) -> Mapping[str, Any]:
    """Two clients of curvature 1 and equal shares, one step a round: 1 − 1/(t + 4) telescopes, so any T is in reach."""
    m, a, T = x["optimum"], (100 * x["weights"] + 0.5) / 101, x["T"]
    best, goal = m.mean(axis=1), (a * m).sum(axis=1)
    gap = goal - best + (best + x["aim"] - goal) * 3 / (T + 3)
    half = np.abs(m[:, 0] - m[:, 1]) / 2
    far = np.maximum(np.maximum(np.abs(x["aim"]), np.abs(gap)), half)
    one = np.ones_like(T)
    values = {"L": one, "mu": one, "tau": one, "T": T, "sigma2": 0 * one, "N": 2 * one, "least": one / 2}
    return {
        **values,
        "lhs": gap**2 / 2,
        "gap": gap**2 / 2,
        "G2": (far + half) ** 2,
        "Gamma": half**2 / 2,
        "D0": x["aim"] ** 2,
        "pi": 2 * a.min(axis=1),
        "Pi": 2 * a.max(axis=1),
        "magnitude": far**2,
    }


def alike_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two clients of curvature 1 and equal shares, mu = L = 1, steps 1/(t + 4); G on the ball around w*."""
    (u, v), T, one = x["optimum"], x["T"], Fraction(1)
    a = [(100 * w + Fraction(1, 2)) / 101 for w in x["weights"]]
    best, goal, half = (u + v) / 2, a[0] * u + a[1] * v, abs(u - v) / 2
    end = goal + (best + x["aim"] - goal) * 3 / (T + 3)
    far = max(abs(x["aim"]), abs(end - best), half)
    met = {"weights positive, on the simplex": sum(a) == 1 and min(a) > 0, "T >= 1, whole": T >= 1 and int(T) == T}
    found = {"L": one, "mu": one, "tau": one, "T": T, "sigma2": 0 * one, "N": 2 * one, "least": one / 2}
    gap = (end - best) ** 2 / 2
    found |= {"lhs": gap, "gap": gap, "G2": (far + half) ** 2, "Gamma": half**2 / 2, "D0": x["aim"] ** 2}
    return met, {**found, "pi": 2 * min(a), "Pi": 2 * max(a)}


ALIKE = Case(
    "two clients of one curvature, any T",
    Space(
        (
            Signed("optimum", 1e-3, 1e2, (2,)),
            Simplex("weights", 2),
            Signed("aim", 1e-3, 1e2),
            Integer("T", 1, 1_000_000, at=(10, 10_000)),
        )
    ),
    _alike,
    ExactCheck(alike_exact),
    cost=2.0,
)
