"""Runs of FedAvg in the plane without noise: clients with Hessians of their own directions, weights fixed in advance.

Letters as those of `line_run`; γ as there, ηₜ = 2/(μ(γ + t)).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from theory.exact import (
    dot,
    is_positive_semidefinite,
    local_sgd_round,
    quadratic_gradient,
    quadratic_loss,
    quadratic_optimum,
    rotated,
    weighted_sum,
)
from theory.federations.families import from_spectra, plane_rotation
from theory.federations.federation import global_loss
from theory.quantities import weighted_excess
from theory.rules import Scheduled
from theory.simulate import simulate
from theory.worlds.line_run import Gamma

__all__ = ["plane_run", "plane_run_exact"]


def plane_run(x: Mapping[str, Any], *, E: int, T: int, gamma: Gamma = "A.9") -> dict[str, Any]:
    """What bounds speak of after T steps, whole rounds, each of shape (n,).

    `spectrum`, `optimum` (n, N, 2), `tilt`, `share` (n, N), `start` (n, 2); `weights` (n, T/E, N), or the shares.
    """
    n, n_clients = x["spectrum"].shape[:2]
    none = np.zeros((n, n_clients))
    federation = from_spectra(x["spectrum"], plane_rotation(x["tilt"]), x["optimum"], none, x["share"])
    constants = federation.constants()
    mu, L = constants.mu, constants.L
    g = L / mu if gamma == "L/μ" else np.maximum(8 * L / mu, E) - 1
    rows = np.broadcast_to(x["weights"] if "weights" in x else x["share"][:, None], (n, T // E, n_clients))
    weights = rows.swapaxes(0, 1)
    run = simulate(
        federation,
        Scheduled(weights),
        start=x["start"],
        step_sizes=2 / (mu * (g + np.arange(T)[:, None])),
        n_local_steps=E,
        record=("step_losses", "gradients"),
    )
    best = federation.optimum()
    at_best = weighted_excess(weights, federation.losses(best[:, None, :])[None], federation.floor[None])
    seen = weighted_excess(np.repeat(weights, E, axis=0), run.step_losses[:-1], federation.floor[None])
    found = {"excess": global_loss(federation, run.final) - global_loss(federation, best), "L": L, "mu": mu}
    found |= {"gamma": g, "T": np.full(n, float(T)), "E": np.full(n, float(E)), "noise": np.zeros(n)}
    found |= {"G2": run.gradients.max(axis=(0, -1)), "Omega": seen.min(axis=0), "Gamma": at_best.max(axis=0)}
    return {**found, "first": ((x["start"] - best) ** 2).sum(axis=-1), "admissible": run.diverged < 0}


def plane_run_exact(
    x: Mapping[str, Any], *, E: int, T: int, gamma: str = "A.9"
) -> tuple[dict[str, bool], dict[str, Any]]:
    """FedAvg on two-dimensional clients, no noise, weights fixed in advance."""
    p, m = x["share"], x["optimum"]
    A = [rotated(spectrum, tilt) for spectrum, tilt in zip(x["spectrum"], x["tilt"], strict=True)]
    clients, rows = range(len(p)), x["weights"] if "weights" in x else [x["share"] for _ in range(T // E)]
    mu, L = min(min(s) for s in x["spectrum"]), max(max(s) for s in x["spectrum"])
    g = L / mu if gamma == "L/μ" else max(8 * L / mu, Fraction(E)) - 1
    best = quadratic_optimum(p, A, m)
    model, t, G2, Omegas, Gammas = x["start"], 0, Fraction(0), [], []
    for a in rows:
        steps = [2 / (mu * (g + t + e)) for e in range(E)]

        def given(_local: list[Any], row: Any = a) -> Any:
            return row

        new, _, paths = local_sgd_round(model, A, m, steps, None, given)
        Gammas.append(sum(a[i] * quadratic_loss(A[i], m[i], Fraction(0), best) for i in clients))
        for e in range(E):
            mean = weighted_sum(a, [path[e] for path in paths])
            Omegas.append(sum(a[i] * quadratic_loss(A[i], m[i], Fraction(0), mean) for i in clients))
            for i in clients:
                slope = quadratic_gradient(A[i], m[i], paths[i][e])
                G2 = max(G2, dot(slope, slope))
        model, t = new, t + E
    low = [[[A[i][r][c] - (mu if r == c else 0) for c in (0, 1)] for r in (0, 1)] for i in clients]
    high = [[[(L if r == c else 0) - A[i][r][c] for c in (0, 1)] for r in (0, 1)] for i in clients]
    met = {
        "mu-strong convexity, by exact LDL^T": mu > 0 and all(is_positive_semidefinite(q) for q in low),
        "L-smoothness, by exact LDL^T": all(is_positive_semidefinite(q) for q in high),
        "data shares on the simplex": sum(p) == 1 and min(p) >= 0,
        "weights on the simplex in every round": all(sum(a) == 1 and min(a) >= 0 for a in rows),
    }
    ends = [sum(p[i] * quadratic_loss(A[i], m[i], Fraction(0), w) for i in clients) for w in (model, best)]
    found = {"excess": ends[0] - ends[1], "L": L, "mu": mu, "gamma": g, "T": Fraction(t), "E": Fraction(E)}
    found |= {"noise": Fraction(0), "G2": G2, "Omega": min(Omegas), "Gamma": max(Gammas)}
    found |= {"first": sum((u - v) ** 2 for u, v in zip(x["start"], best, strict=True))}
    return met, found
