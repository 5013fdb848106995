"""Digits the Gram matrix has lost, taken back from the updates themselves."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from theory.minnorm.point import Float, certify, combine

__all__ = ["refine"]


def refine(gram: Float, updates: Float, weights: Float, steps: int = 4) -> Float:
    """`weights` (n_clients,) improved by up to `steps` Newton steps whose residual comes from `updates`.

    Source: fedaware, eq. (2). Near stationarity ‖d‖² is a difference of much larger numbers in the Gram matrix, which
    knows it to 1e-16·(Σλᵢ‖mᵢ‖)² only. With rᵢ = ⟨mᵢ, d⟩ from the updates the change δ solves (Gδ + r)ᵢ = μ on the
    support, Σδ = 0: the Gram matrix is then needed for the direction of a small step alone. A client that violates
    optimality joins the support with weight 0; one whose weight would turn negative ends the step and leaves. A step
    is kept only if it makes the duality gap or ‖d‖² smaller: near 0 the gap is rounding first. Each costs two passes
    over `updates` (n_clients, dim) float64.
    """
    lengths = np.sqrt(gram.diagonal())
    best = certify(gram, weights, updates)
    for _ in range(steps):
        direction, inner = combine(updates, weights)
        size = float(weights @ lengths)
        slope = inner - float(direction @ direction)
        noise = 4.0 * np.finfo(np.float64).eps * lengths * float(np.linalg.norm(direction))
        support = np.flatnonzero((weights > 0.0) | (slope < -noise))
        # The positive definite form of the bordered system: on Σδ = 0 the added rank-one term vanishes.
        unit = lengths[support] + size
        system = gram[np.ix_(support, support)] + size * size
        system /= unit * unit[:, None]
        system.flat[:: support.size + 1] += support.size * np.finfo(np.float64).eps
        lower, failed = lapack.dpotrf(system, lower=1, clean=0)
        if failed:
            return weights
        right = np.stack([slope[support] / unit, 1.0 / unit], axis=1)
        solved = lapack.dpotrs(lower, right, lower=1)[0] / unit[:, None]
        change = solved[:, 1] * (solved[:, 0].sum() / solved[:, 1].sum()) - solved[:, 0]
        here = weights[support]
        falling = change < -here
        reach = float((here[falling] / -change[falling]).min()) if falling.any() else 1.0
        moved = np.zeros_like(weights)
        moved[support] = np.maximum(here + reach * change, 0.0)
        if falling.any():
            moved[support[falling][int((here[falling] / -change[falling]).argmin())]] = 0.0
        moved /= moved.sum()
        found = certify(gram, moved, updates)
        if found.gap >= best.gap and found.squared_norm >= best.squared_norm:
            return weights
        weights, best = moved, found
    return weights
