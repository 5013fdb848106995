"""Two ways from all clients inwards, for many of them: no factorisation of more than is needed.

Both solve x >= 0, y = Hx − b >= 0, x·y = 0 (`theory.minnorm.active_set` says what H and b are) and give None where they
are not the right way; what they find is judged by the certificate as everything is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import lapack

from theory.minnorm.point import Float

__all__ = ["leaving_one_factor", "spread_out"]

EPS = float(np.finfo(np.float64).eps)


def leaving_one_factor(lower: Float, matrix: Float, target: Float, limit: int) -> tuple[Float, int] | None:
    """(x, exchanges) from the Cholesky factor `lower` (n, n) of the whole H, the clients outside held at 0.

    With Z the columns of H⁻¹ of the clients outside, x⁰ = H⁻¹b and w = Z_out⁻¹·x⁰_out: x = x⁰ − Zw, and y is −w there.
    Clients with a wrong sign change sides, all at once. None where more than a fifth are outside, where a new
    factorisation is cheaper, or after five exchanges without fewer wrong signs than ever before.
    """
    n = target.size
    everyone = lapack.dpotrs(lower, target, lower=1)[0]
    columns: Float = np.zeros((n, 0), order="F")
    place = np.full(n, -1)  # of a client's column
    outside = np.flatnonzero(everyone < 0.0)
    fewest, patience = n + 1, 5
    for done in range(1, limit + 1):
        fresh = outside[place[outside] < 0]
        if columns.shape[1] + fresh.size > n // 5:
            return None
        if fresh.size:
            units = np.zeros((n, fresh.size), order="F")
            units[fresh, range(fresh.size)] = 1.0
            place[fresh] = columns.shape[1] + np.arange(fresh.size)
            columns = np.concatenate([columns, lapack.dpotrs(lower, units, lower=1)[0]], axis=1)
        chosen = columns[:, place[outside]]
        x, held = _held_at_zero(everyone, chosen, outside)
        wrong_in, wrong_out = np.flatnonzero(x < 0.0), held > 4.0 * EPS * float(np.abs(x).sum())
        wrong = wrong_in.size + int(wrong_out.sum())
        if wrong == 0:
            left = target - matrix @ x
            left[outside] = 0.0
            finer = x + _held_at_zero(lapack.dpotrs(lower, left, lower=1)[0], chosen, outside)[0]
            return (finer if finer.min() >= 0.0 else x), done
        patience = 5 if wrong < fewest else patience - 1
        fewest = min(fewest, wrong)
        if patience < 0:
            return None
        outside = np.concatenate([outside[~wrong_out], wrong_in])
    return None


def _held_at_zero(x: Float, columns: Float, outside: Any) -> tuple[Float, Float]:
    """x less what makes its entries `outside` 0, exactly 0 there; and the multipliers w."""
    if outside.size == 0:
        return x, np.zeros(0)
    held = np.linalg.solve(columns[outside], x[outside])
    moved = x - columns @ held
    moved[outside] = 0.0
    return moved, held


def spread_out(matrix: Float, target: Float, limit: int) -> tuple[Float, int] | None:
    """(x, passes) with Hx = b where H (n, n) has a low rank: least norm, without those it makes negative.

    With H = RᵀR of rank r and Rᵀc = b, x = R_Sᵀ(R_S·R_Sᵀ)⁻¹c leaves y = 0 everywhere as long as S holds r independent
    updates; so it ends where 0 lies well inside the hull. None where a pass makes more than a quarter negative, as
    where 0 is outside, or S gets too small.
    """
    factor, order, rank, _ = lapack.dpstrf(matrix.T, tol=-1.0)
    order -= 1
    factor = np.triu(factor[:rank])
    right, _ = lapack.dtrtrs(factor[:, :rank], target[order[:rank]], trans=1)
    support = np.arange(target.size)
    for done in range(1, limit + 1):
        if support.size < 1.05 * rank:
            return None
        rows = factor if done == 1 else factor[:, support]
        lower, failed = lapack.dpotrf(rows @ rows.T, lower=1, clean=0)
        if failed:
            return None
        found = rows.T @ lapack.dpotrs(lower, right, lower=1)[0]
        found += rows.T @ lapack.dpotrs(lower, right - rows @ found, lower=1)[0]
        falling = found < 0.0
        if not falling.any():
            x = np.zeros_like(target)
            x[order[support]] = found
            return x, done
        if 4 * int(falling.sum()) > support.size:
            return None
        support = support[~falling]
    return None
