"""The point of least norm in the hull of the clients' updates, as a quadratic program on their Gram matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["MinNormPoint", "certificate", "min_norm_point"]

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MinNormPoint:
    """Weights λ of d = Σλᵢmᵢ with its certificates, all computed from the Gram matrix that was given.

    `weights` (n_clients,); `squared_norm` ‖d‖²; `gap` 2(‖d‖² − minᵢ⟨mᵢ, d⟩) >= ‖d‖² − ‖d*‖² (Frank–Wolfe gap);
    `kkt_residual` max of the gap and the spread of ⟨mᵢ, d⟩ on the support, both in units of the largest ‖mᵢ‖²;
    `status`: "optimal" when `kkt_residual` <= 1e-10, else "inaccurate"; `solver_status` as the solver reported.
    """

    weights: Float
    squared_norm: float
    gap: float
    kkt_residual: float
    status: str
    solver_status: str


def certificate(gram: Float, weights: Float) -> tuple[float, float, float]:
    """(‖d‖², Frank–Wolfe gap, relative KKT residual) of `weights` for the Gram matrix; see `MinNormPoint`."""
    inner = gram @ weights
    squared = float(weights @ inner)
    scale = float(np.max(np.diag(gram))) or 1.0
    gap = max(0.0, 2.0 * (squared - float(np.min(inner))))
    on_support = inner[weights > 0]
    spread = float(np.max(np.abs(on_support - squared))) if on_support.size else 0.0
    return squared, gap, max(gap, spread) / scale


def min_norm_point(gram: Float) -> MinNormPoint:
    """argmin over the simplex of λᵀGλ, G = MMᵀ the Gram matrix of the rows mᵢ, shape (n_clients, n_clients), float64.

    Source: fedaware, eq. (2) (FA-E2), facts FA-MN1 to FA-MN4.
    Solved by cvxpy in factor form, then polished on the support it found by one linear solve, and kept only if that
    lowers the KKT residual: the answer is judged by its certificate, never by the solver's status.
    Raises `ValueError` when G is not square, not finite or not symmetric.
    """
    gram = np.asarray(gram, dtype=np.float64)
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1] or gram.shape[0] == 0:
        raise ValueError(f"min_norm_point(gram): shape {gram.shape}; expected (n_clients, n_clients), n_clients >= 1")
    if not np.all(np.isfinite(gram)):
        raise ValueError("min_norm_point(gram): contains NaN or infinity; did a client's update diverge?")
    scale = float(np.max(np.abs(np.diag(gram))))
    if float(np.max(np.abs(gram - gram.T))) > 1e-10 * max(scale, 1e-300):
        raise ValueError("min_norm_point(gram): not symmetric; expected inner products of the updates")
    n = gram.shape[0]
    if n == 1 or scale == 0.0:
        weights = np.full(n, 1.0 / n)
        squared, gap, kkt = certificate(gram, weights)
        return MinNormPoint(weights, squared, gap, kkt, "optimal", "closed form")
    weights, solver_status = _solve(gram / scale)
    polished = _polish(gram / scale, weights)
    if certificate(gram, polished)[2] < certificate(gram, weights)[2]:
        weights = polished
    squared, gap, kkt = certificate(gram, weights)
    return MinNormPoint(weights, squared, gap, kkt, "optimal" if kkt <= 1e-10 else "inaccurate", solver_status)


def _solve(gram: Float) -> tuple[Float, str]:
    import cvxpy as cp

    values, vectors = np.linalg.eigh(gram)
    factor = np.sqrt(np.clip(values, 0.0, None))[:, None] * vectors.T
    weights = cp.Variable(gram.shape[0], nonneg=True)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(factor @ weights)), [cp.sum(weights) == 1])
    problem.solve(solver=cp.CLARABEL)
    if weights.value is None:
        raise RuntimeError(f"min_norm_point: cvxpy ended with status {problem.status!r} and no weights")
    clipped = np.clip(np.asarray(weights.value, dtype=np.float64), 0.0, None)
    return clipped / clipped.sum(), str(problem.status)


def _polish(gram: Float, weights: Float, limit: int = 200) -> Float:
    """Primal active-set steps from the solver's answer: exact on the support, which shrinks and grows until KKT holds.

    On a support, optimality is linear (⟨mᵢ, d⟩ equal for all i). Where the solution leaves the simplex, go as far as
    it stays inside and drop the client that became 0; where KKT fails, let the most violating client in.
    """
    current: Float = np.where(weights > 1e-6, weights, 0.0)
    current /= current.sum()
    for _ in range(limit):
        support = np.flatnonzero(current)
        system = np.block([[gram[np.ix_(support, support)], np.ones((support.size, 1))], [np.ones(support.size), 0.0]])
        target = np.zeros_like(current)
        target[support] = np.linalg.lstsq(system, np.append(np.zeros(support.size), 1.0), rcond=None)[0][:-1]
        if np.all(target[support] > 0):
            current = np.asarray(target / target.sum(), dtype=np.float64)
            inner = gram @ current
            worst = int(np.argmin(inner))
            if inner[worst] >= float(current @ inner) - 1e-15 or current[worst] > 0:
                return current
            # A first step towards the newcomer, by exact line search along the segment.
            edge = -current
            edge[worst] += 1.0
            curve = float(edge @ gram @ edge)
            length = min(1.0, -float(edge @ inner) / curve) if curve > 0 else 1.0
            current = np.asarray(current + length * edge, dtype=np.float64)
            continue
        falling = support[target[support] <= 0]
        step = current[falling] / (current[falling] - target[falling])
        current = np.asarray(np.clip(current + float(step.min()) * (target - current), 0.0, None), dtype=np.float64)
        current[falling[int(np.argmin(step))]] = 0.0
        current /= current.sum()
    return current
