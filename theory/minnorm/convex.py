"""The quadratic program as cvxpy solves it: what a user asks for by name, and the oracle of the fast solver."""

from __future__ import annotations

import warnings

import numpy as np

from theory.minnorm.point import Float

__all__ = ["FORMS", "convex"]

FORMS = ("gram", "factor")


def convex(gram: Float, form: str = "factor", backend: str | None = None) -> tuple[Float, int, str]:
    """(weights, iterations, solver status) of min λᵀGλ over the simplex by cvxpy; `gram` (n_clients, n_clients).

    Source: fedaware, eq. (2) (FA-E2). `form` "gram" states λᵀGλ itself, "factor" states ‖Fλ‖² with G = FᵀF from the
    eigenvalues of G, cut off at 0. `backend` is any solver cvxpy knows ("CLARABEL", "OSQP", …), None its own choice.
    The answer is cut off at 0 and rescaled to the simplex, not polished. Raises `ValueError` for an unknown `form`,
    `RuntimeError` when cvxpy returns no weights.
    """
    import cvxpy as cp

    if form not in FORMS:
        raise ValueError(f"convex(form={form!r}): expected one of {FORMS}")
    scaled = gram / float(gram.diagonal().max())
    weights = cp.Variable(gram.shape[0], nonneg=True)
    if form == "gram":
        objective = cp.quad_form(weights, cp.psd_wrap(scaled))
    else:
        values, vectors = np.linalg.eigh(scaled)
        objective = cp.sum_squares((np.sqrt(np.clip(values, 0.0, None))[:, None] * vectors.T) @ weights)
    problem = cp.Problem(cp.Minimize(objective), [cp.sum(weights) == 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # «may be inaccurate»: the certificate says how much
        try:
            problem.solve(**({} if backend is None else {"solver": backend}))
        except cp.error.SolverError as error:
            raise RuntimeError(f"convex(form={form!r}, backend={backend!r}): {error}") from error
    if weights.value is None:
        raise RuntimeError(f"convex(form={form!r}, backend={backend!r}): status {problem.status!r} and no weights")
    clipped: Float = np.clip(np.asarray(weights.value, dtype=np.float64), 0.0, None)
    iterations = problem.solver_stats.num_iters
    return clipped / clipped.sum(), int(iterations or 0), str(problem.status)
