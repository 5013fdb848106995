"""Minimisers to a certified gradient norm, through SciPy, batched over rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["minimise"]

Floats = NDArray[np.float64]


def minimise(
    objective: Callable[[Floats], tuple[Floats, Floats]],
    start: Floats,
    *,
    tolerance: float = 1e-10,
    name: str,
    stop: float = 0.0,
) -> Floats:
    """Minimisers of strongly convex functions, one per row: ‖∇f(w)‖ <= tolerance · max(‖∇f(start)‖, ‖∇f(0)‖), each.

    `objective` maps models (n_rows, dim) to values (n_rows,) and gradients (n_rows, dim); row r sees only model r.
    L-BFGS first, then Newton steps whose linear systems are solved by conjugate gradients on differences of gradients:
    near the minimum the values are flat to rounding, and only gradients still tell. L-BFGS ends where the gradient's
    norm over all rows is below `stop`, at 0 when it gets no further. Raises `RuntimeError` with the
    residual when that is not reached.
    """
    from scipy.optimize import minimize
    from scipy.sparse.linalg import LinearOperator, cg

    def total(flat: Floats) -> tuple[float, Floats]:
        values, gradients = objective(flat.reshape(start.shape))
        return float(values.sum()), np.asarray(gradients).ravel()

    def norms(models: Floats) -> Floats:
        return np.asarray(np.linalg.norm(objective(models)[1], axis=-1))

    size = np.maximum(np.maximum(norms(start), norms(np.zeros_like(start))), np.finfo(np.float64).tiny)
    limit = tolerance * size
    found = minimize(
        total,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        # gtol bounds the largest entry, and that times √dim the norm.
        options={"maxiter": 2000, "maxfun": 4000, "gtol": stop / np.sqrt(start.size), "ftol": 0},
    )
    models = np.asarray(found.x).reshape(start.shape)
    for _ in range(20):
        if np.all(norms(models) <= limit):
            return models
        flat = models.ravel()
        gradient = total(flat)[1]

        def curve(direction: Floats, flat: Floats = flat) -> Floats:
            step = 6e-6 * (1 + np.linalg.norm(flat)) / max(float(np.linalg.norm(direction)), 1e-300)
            return np.asarray((total(flat + step * direction)[1] - total(flat - step * direction)[1]) / (2 * step))

        hessian = LinearOperator((flat.size, flat.size), matvec=curve, dtype=np.float64)
        with np.errstate(all="ignore"):  # no curvature along a direction: the step is not finite, and not taken
            newton, _ = cg(hessian, -gradient, rtol=1e-4, maxiter=500)
        better = (flat + newton).reshape(start.shape)
        if not np.all(np.isfinite(better)) or not np.linalg.norm(norms(better) / size) < np.linalg.norm(
            norms(models) / size
        ):
            break
        models = better
    residual = float(np.max(norms(models) / size))
    if residual <= tolerance:
        return models
    raise RuntimeError(
        f"{name}: relative gradient {residual:.1e} after L-BFGS ({found.nit} iterations) and Newton; wanted"
        f" {tolerance:.0e}. Raise l2, or standardise the features"
    )
