"""Both sides' ingredients for many small federations at once: Γ, Ω and G of runs with given weights.

By a compiled kernel where it is there, with federations in the lanes of vectors; else through the simulator.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theory.base.arrays import check_simplex, one_blas_thread
from theory.federations.federation import QuadraticFederation, gradient_bound
from theory.quantities.excess import weighted_excess
from theory.rules.by_share.scheduled import Scheduled
from theory.simulate import simulate

__all__ = ["Sides", "both_sides"]

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sides:
    """`gamma` Γ = maxₜ Σ aₖ(Fₖ(w*) − Fₖ*), `omega` Ω = minₜ Σ aₖ(Fₖ(w̄ₜ) − Fₖ*), `bound` G; each (n_federations,)."""

    gamma: Float
    omega: Float
    bound: Float


def both_sides(
    federations: QuadraticFederation, weights: Float, start: Float, step_sizes: Float, n_local_steps: int
) -> Sides:
    """Γ, Ω (units of loss) and G of noiseless runs, `start` (n, dim), with `weights` (n_rounds, n, n_clients) given.

    `federations`: a batch of n different ones, NumPy float64. `step_sizes` (n_steps,), n_rounds·n_local_steps of them.
    Ω is taken before each local step, G is that of `gradient_bound`. Source: exp_alpha EA-D5, EA-A4.
    Raises `ValueError` for shapes that do not fit and weights off the simplex.
    """
    n, n_clients = federations.centers.shape[0], federations.n_clients
    if federations.centers.ndim != 3 or weights.ndim != 3 or weights.shape[1:] != (n, n_clients):
        raise ValueError(
            f"both_sides(weights=…): shape {tuple(weights.shape)} for centers {tuple(federations.centers.shape)};"
            " expected (n_rounds, n, n_clients) and (n, n_clients, dim)"
        )
    if step_sizes.shape != (len(weights) * n_local_steps,) or start.shape != (n, federations.dim):
        raise ValueError(
            f"both_sides(step_sizes=…, start=…): shapes {step_sizes.shape} and {start.shape}; expected"
            f" {(len(weights) * n_local_steps,)} and {(n, federations.dim)}"
        )
    if not bool(np.all(np.isfinite(step_sizes) & (step_sizes > 0))):
        raise ValueError(f"both_sides(step_sizes=…): smallest {step_sizes.min():g}; must be finite and > 0")
    check_simplex(weights, "both_sides(weights=…)")
    found = _compiled(federations, weights, start, step_sizes, n_local_steps)
    return found or _simulated(federations, weights, start, step_sizes, n_local_steps)


def _compiled(
    federations: QuadraticFederation, weights: Float, start: Float, step_sizes: Float, n_local_steps: int
) -> Sides | None:
    """None without a kernel, for other arrays, and where a run diverges."""
    from theory.compiled.library import library
    from theory.worlds.compiled_search import search

    kernels = library()
    spectrum, basis = federations.eigen()
    centers, share = federations.centers, federations.share
    parts = (spectrum, basis, centers, share, weights, start, step_sizes)
    if kernels is None or not all(type(part) is np.ndarray and part.dtype == np.float64 for part in parts):
        return None
    gamma, omega, bound, size = search(
        kernels, spectrum, basis, np.asarray(centers), np.asarray(share), weights, start, step_sizes, n_local_steps
    )
    return Sides(gamma, omega, bound) if bool(size.max() < 1e100) else None


def _simulated(
    federations: QuadraticFederation, weights: Float, start: Float, step_sizes: Float, n_local_steps: int
) -> Sides:
    run = simulate(
        federations,
        Scheduled(weights),
        start=start,
        step_sizes=step_sizes,
        n_local_steps=n_local_steps,
        record=("step_losses",),
    )
    with one_blas_thread():
        best = federations.losses(federations.optimum()[..., None, :])
        gamma = weighted_excess(weights, best, federations.floor).max(axis=0)
        each = np.repeat(weights, n_local_steps, axis=0)
        omega = weighted_excess(each, run.step_losses[:-1], federations.floor).min(axis=0)
        bound, _ = gradient_bound(federations, start)
    return Sides(gamma, omega, bound)
