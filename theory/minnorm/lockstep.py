"""The point of least norm of many problems at once: their active sets move in lock step, one client per move.

Each problem is the complementarity problem x >= 0, y = Hx − b >= 0, x·y = 0 of `theory.minnorm.active_set`. Batch axes
are stored innermost, so an operation on one entry of all problems runs over a long stretch of memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.minnorm.compiled import shortest
from theory.minnorm.point import Float

__all__ = ["MANY_CLIENTS", "lockstep"]

# Up to here the batch is faster than one problem after the other.
MANY_CLIENTS = 32
# Entries of all matrices worked on together: they still fit a core's cache.
AT_ONCE = 2**17
# Exchanges of whole groups before clients move one by one.
EXCHANGES = 3
EPS = float(np.finfo(np.float64).eps)


def lockstep(gram: Float, present: Any = None) -> tuple[Float, Float]:
    """(weights, KKT residual) of argmin λᵀGλ over the simplex, for any number of problems.

    Source: fedaware, eq. (2) (FA-E2), optimality FA-MN2. `gram` (*batch, n_clients, n_clients) NumPy float64, `present`
    booleans (*batch, n_clients), everyone if None; weights (*batch, n_clients), exactly 0 for absent clients; the
    residual (*batch,) is `Certificate.kkt_residual` from the Gram matrix. It is at rounding level but for rare
    problems, to be solved by `min_norm_point`: infinite where an update is exactly 0 or no client is present.
    What a problem's answer is does not depend on the others in the batch, to the last bit. With the compiled kernels
    the problems are solved one after the other; which of several minimisers is found may then be another.
    """
    found = shortest(gram, present)
    if found is not None:
        return found
    n = gram.shape[-1]
    here = np.ones(gram.shape[:-1], dtype=bool) if present is None else np.asarray(present, dtype=bool)
    problems, clients = gram.reshape(-1, n, n), here.reshape(-1, n)
    weights, residual = np.zeros(clients.shape), np.full(clients.shape[0], np.inf)
    together = max(64, AT_ONCE // (n * n))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # such a problem ends with no weights
        for begin in range(0, clients.shape[0], together):
            part = slice(begin, begin + together)
            weights[part], residual[part] = _solved(problems[part], clients[part])
    return weights.reshape(here.shape), residual.reshape(here.shape[:-1])


def _solved(gram: Float, here: Any) -> tuple[Float, Float]:
    """The same for (batch, n_clients, n_clients): with all clients first, by moves where a weight is not positive."""
    n = gram.shape[-1]
    scaled, member = np.ascontiguousarray(gram.transpose(1, 2, 0)), np.ascontiguousarray(here.T)
    squares = scaled.diagonal().T.copy()  # (n, batch), as everything that follows
    unit = np.where(member, squares, np.inf).min(axis=0)
    scaled /= unit
    length = np.sqrt(squares / unit + 1.0)
    inverse = np.where(member, 1.0 / length, 0.0)
    matrix = scaled + 1.0
    matrix *= inverse
    matrix *= inverse[:, None]
    matrix[range(n), range(n)] = 1.0
    x, settled = _exchanges(matrix, inverse, member)
    left = np.flatnonzero(~settled)
    if left.size:
        part, target = matrix.take(left, axis=-1), inverse.take(left, axis=-1)
        x[:, left], _ = _on_support(part, target, _moves(part, target))
    weights = np.maximum(x, 0.0) * inverse
    weights /= weights.sum(axis=0)
    return _judged(scaled, np.sqrt(squares / unit), weights, member)


def _judged(scaled: Float, lengths: Float, weights: Float, member: Any) -> tuple[Float, Float]:
    """Weights (batch, n) and their KKT residual (batch,); 0 and infinite where they are no numbers."""
    inner = (scaled * weights).sum(axis=1)
    squared = (weights * inner).sum(axis=0)
    size = (weights * np.where(member, lengths, 0.0)).sum(axis=0)
    short = (squared - inner) / ((lengths + size) * size)
    short = np.where(weights > 0.0, np.abs(short), np.where(member, short, 0.0))
    residual = short.max(axis=0)
    known = np.isfinite(residual) & (size > 0.0)
    return np.where(known, weights, 0.0).T, np.where(known, residual, np.inf)


def _on_support(matrix: Float, target: Float, support: Any) -> tuple[Float, Any]:
    """x (n, batch) with Hx = b on the support and 0 elsewhere; whether no pivot (batch,) was near rounding."""
    n = target.shape[0]
    inside = support.astype(np.float64)
    lower = np.empty_like(matrix)
    least = np.ones(target.shape[1])
    for k in range(n):
        column = lower[k:, k]
        np.multiply(matrix[k:, k], inside[k:], out=column)
        column *= inside[k]
        column[0] = 1.0
        if k:
            column -= np.einsum("ijb,jb->ib", lower[k:, :k], lower[k, :k])
        np.minimum(least, column[0], out=least)
        column[0] = np.sqrt(np.maximum(column[0], 4.0 * EPS))
        column[1:] /= column[0]
    x = target * inside
    for k in range(n):
        if k:
            x[k] -= np.einsum("jb,jb->b", lower[k, :k], x[:k])
        x[k] /= lower[k, k]
    for k in reversed(range(n)):
        if k < n - 1:
            x[k] -= np.einsum("jb,jb->b", lower[k + 1 :, k], x[k + 1 :])
        x[k] /= lower[k, k]
    return x, least > 1e-10


def _exchanges(matrix: Float, target: Float, support: Any) -> tuple[Float, Any]:
    """x (n, batch) and whether it is found (batch,), beginning with all of `support`: whole groups change sides.

    Independent updates take some three exchanges. Groups of updates that depend on each other go in and out for long.
    """
    x, found = np.zeros_like(target), np.zeros(target.shape[1], dtype=bool)
    which = np.arange(target.shape[1])
    for exchange in range(EXCHANGES + 1):
        tried, independent = _on_support(matrix, target, support)
        slope = (matrix * tried).sum(axis=1) - target
        noise = 4.0 * EPS * np.abs(tried).sum(axis=0)
        wrong = np.where(support, tried < 0.0, slope < -noise)
        good = independent & ~wrong.any(axis=0)
        x[:, which[good]] = tried[:, good]
        found[which[good]] = True
        going = np.flatnonzero(independent & ~good)
        if going.size == 0 or exchange == EXCHANGES:
            break
        matrix, target, which = matrix.take(going, axis=-1), target.take(going, axis=-1), which[going]
        support = (support ^ wrong).take(going, axis=-1)
    return x, found


@dataclass
class _Batch:
    """Problems under way.

    `table` (n, n, batch) is H swept on the support: −H_SS⁻¹, H_SS⁻¹H_SN and H_NN − H_NS·H_SS⁻¹H_SN. `value` (n, batch)
    holds xᵢ inside and yᵢ outside, `inside` (n, batch) is 1.0 and 0.0 there. `entering` (batch,) is the client whose x
    is being raised, −1 for none, and `level` (batch,) how far; `which` (batch,) the problem's place among all.
    """

    table: Float
    value: Float
    inside: Float
    entering: Any
    level: Float
    which: Any

    def keep(self, chosen: Any) -> _Batch:
        return _Batch(
            self.table.take(chosen, axis=-1),  # unlike an index, this keeps the batch innermost
            self.value.take(chosen, axis=-1),
            self.inside.take(chosen, axis=-1),
            self.entering[chosen],
            self.level[chosen],
            self.which[chosen],
        )


def _moves(matrix: Float, target: Float) -> Any:
    """The support (n, batch) of x, by a descent that raises the client of least y until that is 0 or another x is.

    Ends where no y is negative beyond rounding, where raising a client meets no curvature and no other client (then its
    y was rounding), or after 6n + 10 moves.
    """
    n, count = target.shape
    found = np.zeros((n, count), dtype=bool)
    batch = _Batch(matrix.copy(), -target, np.zeros((n, count)), np.full(count, -1), np.zeros(count), np.arange(count))
    for _ in range(6 * n + 10):
        over = _move(batch)
        ended = np.count_nonzero(over)
        if ended == over.size:
            break
        if 4 * ended >= over.size:
            found[:, batch.which[over]] = batch.inside[:, over] > 0.0
            batch = batch.keep(np.flatnonzero(~over))
    found[:, batch.which] = batch.inside > 0.0
    return found


def _move(batch: _Batch) -> Any:
    """One client in or out in every problem, in place; which problems (batch,) are over, and were not moved."""
    value, inside = batch.value, batch.inside
    n, count = value.shape
    table, everyone = batch.table.reshape(n, -1), np.arange(count)
    choosing = batch.entering < 0
    held = value * inside
    lowest = (value - held).argmin(axis=0)
    entering = np.where(choosing, lowest, batch.entering)
    slope = value[entering, everyone]
    over = choosing & (slope >= -32.0 * EPS * held.sum(axis=0))
    column = table.take(entering * count + everyone, axis=1)
    curvature = column[entering, everyone]
    length = np.where(curvature > 16.0 * n * EPS, -slope / curvature, np.inf)
    falling = column * inside
    room = np.full_like(value, np.inf)
    np.divide(held, falling, out=room, where=falling > 0.0)
    first = room.argmin(axis=0)
    nearest = room[first, everyone]
    leaves = nearest < length
    length = np.maximum(np.where(leaves, nearest, length), 0.0)
    over |= ~np.isfinite(length)
    length[over] = 0.0
    leaves &= ~over
    falling *= 2.0
    column_up = column - falling
    column_up *= length
    value += column_up
    batch.level += length
    client = np.where(leaves, first, entering)
    if leaves.any():
        column = table.take(client * count + everyone, axis=1)
    _sweep(batch.table, client, np.where(leaves, -1.0, 1.0), column, ~over)
    value[client, everyone] = np.where(over, value[client, everyone], np.where(leaves, 0.0, batch.level))
    inside[client, everyone] = np.where(over, inside[client, everyone], ~leaves)
    batch.entering = np.where(leaves, entering, np.where(over, batch.entering, -1))
    batch.level[~(leaves | over)] = 0.0
    return over


def _sweep(table: Float, client: Any, sign: Float, column: Float, moving: Any) -> None:
    """A symmetric sweep of every table on its client, forwards (`sign` 1) or back (−1); in place."""
    n, count = column.shape
    everyone = np.arange(count)
    pivot = column[client, everyone]
    share = column * np.where(moving, 1.0 / pivot, 0.0)
    table -= column[:, None] * share
    if not moving.all():
        client, everyone, sign = client[moving], everyone[moving], sign[moving]
        share, pivot = share[:, moving], pivot[moving]
    share *= sign
    place = client * count + everyone
    table.reshape(n, -1)[:, place] = share
    table.reshape(-1, count)[client * n + np.arange(n)[:, None], everyone] = share
    table[client, client, everyone] = -1.0 / pivot
