"""What the strategies trade: rounds to a level against the error at the end, on one fixed federation, as plain data.

Four clients with quadratic losses in the plane, unlike curvatures, minimisers and shares; full-batch steps of Corollary 1,
ηₜ = 1/(μ(t + γ)) with γ = 4L/μ. Nothing is random, so every number is reproducible to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory import FedBetter, FedSoftBetter, FedSoftWorse, FedWorse, Proportional, RoundStats
from theory.quantities import error_term, speed_term

__all__ = ["tradeoffs"]

Float = NDArray[np.float64]

_SHARE = np.array([0.4, 0.3, 0.2, 0.1])
_SPECTRUM = np.array([[1.0, 0.4], [0.3, 1.0], [0.6, 0.2], [0.2, 0.5]])
_OPTIMUM = np.array([[0.0, 0.5], [1.0, 0.0], [2.0, 1.5], [-1.0, 2.5]])
_START = np.array([6.0, -5.0])
_LOCAL_STEPS = 2
_ROUNDS = 1000
_HARD: tuple[tuple[str, Callable[..., Any]], ...] = (("FedWorse(k)", FedWorse), ("FedBetter(k)", FedBetter))
_TEMPERATURES = (0.05, 0.2, 1.0, 5.0, 25.0)


def _strategies() -> list[tuple[str, float | None, Any]]:
    """(name, k or temperature, rule)."""
    soft: list[tuple[str, float | None, Any]] = []
    for T in _TEMPERATURES:
        soft += [("FedSoftWorse", T, FedSoftWorse(T)), ("FedSoftBetter", T, FedSoftBetter(T))]
    several = [(name, float(k), rule(k=k)) for k in (2, 3) for name, rule in _HARD]
    return [
        ("FedAvg", None, Proportional()),
        ("FedWorse", None, FedWorse()),
        ("FedBetter", None, FedBetter()),
        *several,
        *soft,
    ]


def _losses(w: Float) -> Float:
    found: Float = 0.5 * (_SPECTRUM * (w - _OPTIMUM) ** 2).sum(axis=1)
    return found


def _run(rule: Any, L: float, mu: float, best: Float) -> dict[str, Any]:
    """The run of one strategy: excess of F at every round start and at the end, skews, the largest gradient."""
    w, floor, n = _START, float(_SHARE @ _losses(best)), len(_SHARE)
    gaps, skews, skews_best, slopes = [], [], [], [0.0]
    for r in range(_ROUNDS):
        losses = _losses(w)
        gaps.append(float(_SHARE @ losses) - floor)
        stats = RoundStats(share=_SHARE, present=np.ones(n, dtype=bool), loss_before=losses, loss_best=np.zeros(n))
        a = rule(stats)
        skews.append(float(a @ losses / (_SHARE @ losses)))
        skews_best.append(float(a @ _losses(best) / floor))
        local = np.broadcast_to(w, _OPTIMUM.shape)
        for e in range(_LOCAL_STEPS):
            slope = _SPECTRUM * (local - _OPTIMUM)
            slopes.append(float(np.linalg.norm(slope, axis=1).max()))
            local = local - slope / (mu * (r * _LOCAL_STEPS + e + 4 * L / mu))
        w = a @ local
    gaps.append(float(_SHARE @ _losses(w)) - floor)
    return {"gaps": np.array(gaps), "rho": min(skews), "rho_best": max(skews_best), "G": max(slopes)}


def tradeoffs(level: float = 0.5) -> list[dict[str, Any]]:
    """One row for every strategy and temperature or k, in the order of the paper.

    `name`, `parameter` (k, temperature, or None); `rho` ρ̄ and `rho_best` ρ̃ over the rounds of the run; `bound_speed` V and
    `bound_error` E of Corollary 1 with τ read as E and G the largest gradient of any of the runs, in units of loss;
    `rounds_to_level`: the first round at whose start F − F* <= `level`, None if there is none; `limit`: F − F* after
    the last round; `trajectory`: F − F* at every round start and at the end, (n_rounds + 1,).
    """
    pull = _SHARE[:, None] * _SPECTRUM
    best = (pull * _OPTIMUM).sum(axis=0) / pull.sum(axis=0)
    L, mu, gamma = float(_SPECTRUM.max()), float(_SPECTRUM.min()), float(_SHARE @ _losses(best))
    runs = [(name, parameter, _run(rule, L, mu, best)) for name, parameter, rule in _strategies()]
    G, rows = max(run["G"] for _, _, run in runs), []
    for name, parameter, run in runs:
        skew, skew_best = np.array([run["rho"]]), np.array([run["rho_best"]])
        speed = speed_term(
            skew, L=L, mu=mu, G=G, sigma=0.0, n_local_steps=_LOCAL_STEPS, heterogeneity=gamma,
            start_squared_distance=float(((_START - best) ** 2).sum()),
        )  # fmt: skip
        reached = np.flatnonzero(run["gaps"] <= level)
        rows.append({
            "name": name,
            "parameter": parameter,
            "rho": run["rho"],
            "rho_best": run["rho_best"],
            "bound_speed": float(speed[0]),
            "bound_error": float(error_term(skew, skew_best, L=L, mu=mu, heterogeneity=gamma)[0]),
            "rounds_to_level": int(reached[0]) if len(reached) else None,
            "limit": float(run["gaps"][-1]),
            "trajectory": run["gaps"],
        })  # fmt: skip
    return rows
