"""One problem, any solver, judged by its certificate."""

from __future__ import annotations

import numpy as np

from theory.minnorm.active_set import AT_ONCE, active_set, at_once
from theory.minnorm.convex import convex
from theory.minnorm.frank_wolfe import frank_wolfe
from theory.minnorm.point import Certificate, Float, MinNormPoint, certify
from theory.minnorm.refine import refine
from theory.minnorm.settings import LOST_DIGITS, TOLERANCE, check_settings

__all__ = ["min_norm_point"]


def min_norm_point(
    gram: Float,
    updates: Float | None = None,
    *,
    solver: str = "active-set",
    tolerance: float | None = None,
    max_iterations: int | None = None,
) -> MinNormPoint:
    """argmin over the simplex of ‖Σλᵢmᵢ‖² = λᵀGλ, G the Gram matrix of the updates mᵢ.

    Source: fedaware, eq. (2) (FA-E2), facts FA-MN1 to FA-MN4. `gram` (n_clients, n_clients) float64; `updates`
    (n_clients, dim), optional: then the certificates come from them, and where ‖d‖² < 1e-6·(Σλᵢ‖mᵢ‖)² the active set
    takes back the digits of ‖d‖² the Gram matrix does not hold.
    `solver`: "active-set" (exact), "cvxpy" (the factor form by cvxpy's own choice of solver, unpolished) or
    "frank-wolfe". `tolerance`: what "optimal" asks, relative (1e-12, 1e-6, 1e-6), for Frank–Wolfe also where it stops.
    `max_iterations`: of the active set (per method) or of Frank–Wolfe (1000); reaching it is a status, not an error.
    Updates that are exactly 0 share the weight equally.
    Raises `ValueError` when G is empty, not square, not finite, not symmetric or negative on its diagonal, when
    `updates` does not match, or a setting is out of range.
    """
    quick = solver == "active-set" and tolerance is None and max_iterations is None
    if not quick:
        check_settings("min_norm_point", solver, tolerance, max_iterations)
    elif updates is None:
        found = at_once(gram)
        if found is not None:
            weights, (squared, gap, violation, residual, _) = found
            return _point(weights, squared, gap, violation, residual, 0, AT_ONCE, "optimal")
    gram = _checked(gram)
    if updates is not None:
        updates = np.asarray(updates, dtype=np.float64)
        if updates.ndim != 2 or updates.shape[0] != gram.shape[0]:
            raise ValueError(
                f"min_norm_point(updates): shape {updates.shape}; expected ({gram.shape[0]}, dim), as gram"
            )
        if not np.all(np.isfinite(updates)):
            raise ValueError("min_norm_point(updates): contains NaN or infinity; did a client's update diverge?")
    allowed = TOLERANCE[solver] if tolerance is None else tolerance
    shortest = float(gram.diagonal().min())
    judged = None
    if gram.shape[0] == 1 or shortest == 0.0:
        null = (gram.diagonal() == shortest).astype(np.float64)
        weights, iterations, said = null / null.sum(), 0, "closed form"
    elif solver == "active-set":
        weights, iterations, said, judged = active_set(gram, max_iterations)
    elif solver == "cvxpy":
        weights, iterations, said = convex(gram)
    else:
        found, taken = frank_wolfe(gram, tolerance=allowed, max_iterations=max_iterations or 1000)
        weights, iterations, said = found, int(taken), "line search"
    if judged is None or updates is not None:
        judged = certify(gram, weights, updates)
    if updates is not None and solver == "active-set" and judged.squared_norm < LOST_DIGITS * judged.scale:
        weights = refine(gram, updates, weights)
        judged = certify(gram, weights, updates)
    status = _status(gram, judged, solver, allowed, iterations, max_iterations)
    figures = (judged.squared_norm, judged.gap, judged.violation, judged.kkt_residual)
    return _point(weights, *figures, iterations, said, status)


def _point(
    weights: Float,
    squared: float,
    gap: float,
    violation: float,
    residual: float,
    iterations: int,
    said: str,
    status: str,
) -> MinNormPoint:
    """The answer without the generated constructor, whose nine assignments take longer than a small problem."""
    point = object.__new__(MinNormPoint)
    point.__dict__.update(
        weights=weights,
        squared_norm=squared,
        gap=gap,
        relative_gap=gap / squared if squared > 0 else (0.0 if gap == 0 else np.inf),
        violation=violation,
        kkt_residual=residual,
        status=status,
        iterations=iterations,
        solver_status=said,
    )
    return point


def _status(
    gram: Float, judged: Certificate, solver: str, allowed: float, iterations: int, max_iterations: int | None
) -> str:
    """Ours, from the certificate; the iteration limit is named only when the certificate fails."""
    if solver == "active-set":
        good = judged.kkt_residual <= allowed
    elif solver == "cvxpy":
        good = judged.violation <= allowed
    else:  # the gap Frank-Wolfe stops at; 1.01 for the rounding between its running gap and this one
        good = judged.gap <= 1.01 * allowed * float(gram.diagonal().max())
    if good:
        return "optimal"
    limit = (max_iterations or 1000) if solver == "frank-wolfe" else max_iterations
    return "iteration limit" if limit is not None and iterations >= limit else "inaccurate"


def _checked(gram: Float) -> Float:
    gram = np.asarray(gram, dtype=np.float64)
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1] or gram.shape[0] == 0:
        raise ValueError(f"min_norm_point(gram): shape {gram.shape}; expected (n_clients, n_clients), n_clients >= 1")
    skew = _skew(gram)
    if not np.isfinite(skew):  # as soon as an entry is not
        raise ValueError("min_norm_point(gram): contains NaN or infinity; did a client's update diverge?")
    if float(gram.diagonal().min()) < 0.0:
        raise ValueError("min_norm_point(gram): negative on its diagonal; expected squared norms of the updates")
    if skew > 1e-10 * max(float(gram.diagonal().max()), 1e-300):
        raise ValueError("min_norm_point(gram): not symmetric; expected inner products of the updates")
    return gram


def _skew(gram: Float) -> float:
    """The largest |Gᵢⱼ − Gⱼᵢ|; not finite as soon as an entry is not."""
    n, rows = gram.shape[0], 256  # a larger matrix is compared with its transpose piece by piece, within the cache
    with np.errstate(invalid="ignore"):
        if n <= rows:
            return float(np.abs(gram - gram.T).max())
        pieces = (slice(begin, begin + rows) for begin in range(0, n, rows))
        return float(np.max([np.abs(gram[p, : p.stop] - gram[: p.stop, p].T).max() for p in pieces]))
