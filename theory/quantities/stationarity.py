"""How far a model is from Pareto stationarity, by the point of least norm in the hull of the local gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.base.arrays import Array, device_of, namespace, to_host
from theory.quantities.consensus import pseudo_gradient

__all__ = ["pareto_gap"]


def pareto_gap(gradients: Array) -> Any:
    """min over the simplex of ‖Σ λᵢ∇Fᵢ(w)‖, in units of a gradient, (*batch,); 0 iff w is Pareto stationary.

    Source: fedaware §3, eq. (2) with local gradients for updates (FA-MN4); `gradients` (*batch, n_clients, dim).
    The quadratic program is solved on the host in float64, one batch element at a time; the norm is that of the
    combination found, so it is never below the true one. `RuntimeError` where a solve's certificate fails.
    """
    from theory.minnorm import min_norm_point  # SciPy's solvers take long to import

    xp = namespace(gradients)
    host = np.asarray(to_host(gradients), dtype=np.float64)
    weights = np.zeros(host.shape[:-1])
    for index in np.ndindex(*host.shape[:-2]):
        point = min_norm_point(host[index] @ host[index].T)
        if point.kkt_residual > 1e-6:
            raise RuntimeError(
                f"pareto_gap: batch element {index}: relative KKT residual {point.kkt_residual:.1e} (allowed 1e-6),"
                f" solver status {point.solver_status!r}"
            )
        weights[index] = point.weights
    found = xp.asarray(weights, dtype=gradients.dtype, device=device_of(gradients))
    return xp.sqrt(xp.sum(pseudo_gradient(gradients, found) ** 2, axis=-1))
