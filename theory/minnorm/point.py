"""What a minimum-norm solve returns, and the certificate that judges it whatever the solver says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Certificate", "Float", "MinNormPoint", "certificate", "certify", "combine"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Certificate:
    """How far weights λ on the simplex are from optimal; d = Σλᵢmᵢ, s = Σλᵢ‖mᵢ‖.

    `squared_norm` ‖d‖² and `gap` 2(‖d‖² − minᵢ⟨mᵢ, d⟩) >= ‖d‖² − ‖d*‖², both in squared units of an update;
    `violation` maxᵢ (‖d‖² − ⟨mᵢ, d⟩)₊ / ((‖mᵢ‖ + s)·s), and `kkt_residual` the same with the absolute value where
    λᵢ > 0; `scale` s².

    The denominator is what rounding (‖mᵢ‖, s)-sized numbers can do to that very line, so the residual asks as much of
    a client with a tiny update as of one with a huge one; gap / maxᵢ‖mᵢ‖² is at most four times `violation`.
    """

    squared_norm: float
    gap: float
    violation: float
    kkt_residual: float
    scale: float


@dataclass(frozen=True, eq=False)
class MinNormPoint:
    """Weights λ of the point d = Σλᵢmᵢ of least norm, with its certificates (`Certificate` has the formulas).

    `weights` (n_clients,), on the simplex. `squared_norm`, `gap`, `violation` and `kkt_residual` come from the updates
    themselves where they were given, from their Gram matrix otherwise. `relative_gap` is gap / ‖d‖²: it bounds the
    relative error of ‖d‖², and is infinite where d is 0 and the gap is not. Without the updates it stops meaning
    anything once ‖d‖² is near 1e-16·s².
    `status`, ours: "optimal" when the residual is within the tolerance of the solve (`kkt_residual` for the active
    set; `violation` for cvxpy and Frank–Wolfe, which leave crumbs of weight on clients they mean to drop), else
    "iteration limit" when the iterations ran out, else "inaccurate". `solver_status` is what the solver itself said.
    """

    weights: Float
    squared_norm: float
    gap: float
    relative_gap: float
    violation: float
    kkt_residual: float
    status: str
    iterations: int
    solver_status: str


def combine(updates: Float, weights: Float) -> tuple[Float, Float]:
    """d = Σλᵢmᵢ (dim,) and the inner products ⟨mᵢ, d⟩ (n_clients,), in float64; two passes over `updates`.

    Clients without weight are left out of the first pass.
    """
    support = np.flatnonzero(weights)
    chosen = updates if support.size == weights.size else updates[support]
    direction: Float = weights[support] @ chosen
    return direction, updates @ direction


def certify(gram: Float, weights: Float, updates: Float | None = None) -> Certificate:
    """The `Certificate` of `weights` (n_clients,), from `updates` (n_clients, dim) or else from their Gram matrix.

    The Gram matrix knows ‖d‖² only to about 1e-16·s²; the updates know d to about 1e-16·s.
    """
    if updates is None:
        inner = gram @ weights
        squared = float(weights @ inner)
    else:
        direction, inner = combine(updates, weights)
        squared = float(direction @ direction)
    lengths = np.sqrt(np.diagonal(gram))
    size = float(weights @ lengths)
    if size == 0.0:  # all the weight is on updates that are 0, where nothing can be wrong
        return Certificate(0.0, 0.0, 0.0, 0.0, 0.0)
    short = (squared - inner) / ((lengths + size) * size)
    gap = 2.0 * max(0.0, squared - float(inner.min()))
    violation = max(0.0, float(short.max()))
    spread = -float(short[weights > 0].min())
    return Certificate(max(squared, 0.0), gap, violation, max(violation, spread), size * size)


def certificate(gram: Float, weights: Float, updates: Float | None = None) -> tuple[float, float, float]:
    """(‖d‖², Frank–Wolfe gap, relative KKT residual) of `weights`; see `Certificate`.

    Source: fedaware, eq. (2) (FA-E2), optimality FA-MN2, gap FA-MN14 and FA-MN15. `gram` (n_clients, n_clients),
    `weights` (n_clients,), `updates` (n_clients, dim) or None.
    """
    found = certify(gram, weights, updates)
    return found.squared_norm, found.gap, found.kkt_residual
