"""The point of least norm for a few clients, by looking at every face of the hull: batched, array API."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from theory.base.arrays import Array, device_of, namespace

__all__ = ["MOST_CLIENTS", "enumerate_faces"]

MOST_CLIENTS = 5
# Problems worked on together: the arrays of all their faces still fit a core's cache.
AT_ONCE = 1024


def enumerate_faces(gram: Array, present: Array | None = None) -> tuple[Any, Any]:
    """(weights, KKT residual) of argmin λᵀGλ over the simplex, for at most 5 clients and any number of problems.

    Source: fedaware, eq. (2) (FA-E2), optimality FA-MN2. `gram` (*batch, n_clients, n_clients) float64, `present`
    booleans (*batch, n_clients), everyone if None; weights (*batch, n_clients), exactly 0 for absent clients; the
    residual (*batch,) is `Certificate.kkt_residual` from the Gram matrix.
    On each of the 2ⁿ − 1 faces the weights with equal ⟨mᵢ, d⟩ come from one Cholesky factorisation, written out entry
    by entry over all problems and faces at once. A face with a negative weight is out; of the others the smallest
    whose residual is at rounding level wins, so with duplicated updates the choice does not hang on noise, or else
    the one of least residual. A pivot below rounding is raised to it: that face passes the same test, or loses.
    Equal weights go to updates that are exactly 0. Raises `ValueError` for more clients.
    """
    n = gram.shape[-1]
    if n > MOST_CLIENTS:
        raise ValueError(f"enumerate_faces(gram): {n} clients; at most {MOST_CLIENTS}, beyond them use min_norm_point")
    xp = namespace(gram)
    here = xp.ones(gram.shape[:-1], dtype=xp.bool, device=device_of(gram)) if present is None else present
    problems, clients = xp.reshape(gram, (-1, n, n)), xp.reshape(here, (-1, n))
    pieces = [
        _enumerate(problems[i : i + AT_ONCE], clients[i : i + AT_ONCE])
        for i in range(0, max(1, problems.shape[0]), AT_ONCE)
    ]
    weights = xp.concat([weights for weights, _ in pieces], axis=0)
    residual = xp.concat([residual for _, residual in pieces], axis=0)
    return xp.reshape(weights, tuple(here.shape)), xp.reshape(residual, tuple(here.shape[:-1]))


def _enumerate(gram: Any, here: Any) -> tuple[Any, Any]:
    """The same for (batch, n_clients, n_clients)."""
    xp = namespace(gram)
    n = gram.shape[-1]
    squares = xp.linalg.diagonal(gram)
    null = here & (squares == 0)
    unit = xp.min(xp.where(here, squares, xp.full_like(squares, xp.inf)), axis=-1, keepdims=True)
    unit = xp.where(unit > 0, unit, xp.ones_like(unit))
    scaled = gram / unit[..., None]
    lengths = xp.sqrt(squares / unit)
    inside = _faces(n, gram)
    weights, feasible = _weights(scaled, lengths, inside)
    feasible = feasible & ~xp.any(inside & ~here[..., None, :], axis=-1)
    residual = _residual(scaled, lengths, weights, here)
    residual = xp.where(feasible, residual, xp.full_like(residual, xp.inf))
    good = residual <= 32 * float(xp.finfo(gram.dtype).eps)
    first = xp.argmax(xp.astype(good, xp.int8), axis=-1)
    chosen = xp.where(xp.any(good, axis=-1), first, xp.argmin(residual, axis=-1))
    is_chosen = xp.arange(inside.shape[0], device=device_of(gram)) == chosen[..., None]
    answer = xp.sum(xp.where(is_chosen[..., None], weights, xp.zeros_like(weights)), axis=-2)
    least = xp.min(xp.where(is_chosen, residual, xp.full_like(residual, xp.inf)), axis=-1)
    even = xp.astype(null, gram.dtype)
    some = xp.any(null, axis=-1)
    count = xp.sum(even, axis=-1, keepdims=True)
    even = even / xp.where(count > 0, count, xp.ones_like(count))
    return xp.where(some[..., None], even, answer), xp.where(some, xp.zeros_like(least), least)


def _faces(n: int, like: Array) -> Any:
    """Which clients each face has, smallest faces first: booleans (2ⁿ − 1, n)."""
    rows = np.zeros((2**n - 1, n), dtype=bool)
    members = (face for size in range(1, n + 1) for face in combinations(range(n), size))
    for row, face in zip(rows, members, strict=True):
        row[list(face)] = True
    return namespace(like).asarray(rows, device=device_of(like))


def _weights(scaled: Array, lengths: Array, inside: Any) -> tuple[Any, Any]:
    """λ on every face, (*batch, faces, n), and whether all are >= 0; from (G + 11ᵀ)u = 1 in unit-diagonal form."""
    xp = namespace(scaled)
    n = inside.shape[-1]
    floor = 4 * float(xp.finfo(scaled.dtype).eps)
    inverse = 1 / xp.sqrt(lengths**2 + 1)
    matrix = (scaled + 1) * inverse[..., None] * inverse[..., None, :]
    member = xp.astype(inside, scaled.dtype)
    target = [member[:, i] * inverse[..., None, i] for i in range(n)]
    lower: list[list[Any]] = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            entry = member[:, i] * member[:, j] * matrix[..., None, i, j]
            for k in range(j):
                entry = entry - lower[i][k] * lower[j][k]
            lower[i][j] = entry / lower[j][j]
        pivot = xp.ones_like(target[i])
        for k in range(i):
            pivot = pivot - lower[i][k] ** 2
        lower[i][i] = xp.sqrt(xp.where(pivot > floor, pivot, xp.full_like(pivot, floor)))
    solved: list[Any] = []
    for i in range(n):
        value = target[i]
        for k in range(i):
            value = value - lower[i][k] * solved[k]
        solved.append(value / lower[i][i])
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            solved[i] = solved[i] - lower[k][i] * solved[k]
        solved[i] = solved[i] / lower[i][i]
    u = xp.stack(solved, axis=-1) * inverse[..., None, :]
    feasible = xp.all(u >= 0, axis=-1)
    total = xp.sum(u, axis=-1, keepdims=True)
    return u / xp.where(total > 0, total, xp.ones_like(total)), feasible & (total[..., 0] > 0)


def _residual(scaled: Array, lengths: Array, weights: Any, here: Any) -> Any:
    """`Certificate.kkt_residual` of the weights on every face, (*batch, faces); absent clients do not count."""
    xp = namespace(scaled)
    inner = weights @ scaled
    squared = xp.sum(weights * inner, axis=-1, keepdims=True)
    size = xp.sum(weights * lengths[..., None, :], axis=-1, keepdims=True)
    scale = (lengths[..., None, :] + size) * size
    short = (squared - inner) / xp.where(scale > 0, scale, xp.ones_like(scale))
    short = xp.where(weights > 0, xp.abs(short), short)
    return xp.max(xp.where(here[..., None, :], short, xp.full_like(short, -xp.inf)), axis=-1)
