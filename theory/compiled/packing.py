"""How the kernels want their arrays: replicas innermost, padded to whole blocks; matrices in tiles of few rows."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from theory.compiled.library import Float, address

__all__ = ["lanes_of", "padded", "tiles", "unlaned"]

_ALIGN = 8  # numbers in a cache line


def padded(rows: int | tuple[int, ...], count: int, block: int) -> Float:
    """An empty array (*rows, at least `count`), whole blocks wide, that starts at a cache line."""
    shape = (*((rows,) if isinstance(rows, int) else rows), -(-count // block) * block)
    size = prod(shape)
    raw = np.empty(size + _ALIGN)
    skipped = (-address(raw) // 8) % _ALIGN
    return raw[skipped : skipped + size].reshape(shape)


def lanes_of(array: Any, block: int) -> Float:
    """(*batch, rows) as (rows, replicas), padded with copies of the last replica; no copy where it lies so."""
    there = _as_it_lies(array, block)
    if there is not None:
        return there
    flat = array.reshape(-1, array.shape[-1]) if array.ndim != 2 else array
    out = padded(flat.shape[1], flat.shape[0], block)
    out[:, : flat.shape[0]] = flat.T
    if out.shape[1] > flat.shape[0]:
        out[:, flat.shape[0] :] = flat[-1][:, None]
    return out


def _as_it_lies(array: Any, block: int) -> Float | None:
    """The padded rows that a view from `unlaned` shows, when all of them lie within the memory that it holds on to."""
    owner = array.base
    if array.ndim != 2 or type(owner) is not np.ndarray or owner.ndim != 1 or owner.dtype != np.float64:
        return None
    (step, apart), (count, rows) = array.strides, array.shape
    wide = -(-count // block) * block
    first, beyond = divmod(address(array) - address(owner), 8)
    if step != 8 or apart != 8 * wide or owner.strides != (8,) or beyond or not 0 <= first <= owner.size - rows * wide:
        return None
    return owner[first : first + rows * wide].reshape(rows, wide)


def unlaned(lanes: Float, batch: tuple[int, ...]) -> Float:
    """(…, rows, replicas) as (…, *batch, rows): a view, replicas still innermost in memory."""
    if len(batch) == 1:
        return lanes[..., : batch[0]].swapaxes(-1, -2)
    kept = lanes[..., : prod(batch)].reshape(*lanes.shape[:-1], *batch)
    return np.moveaxis(kept, lanes.ndim - 2, -1)


def tiles(matrix: Float, tile: int) -> Float:
    """(n, d, d) as (n, tiles, d, tile), zeros behind: yⱼ = Σᵢ matrix[i, j] wᵢ reads one tile of columns at a time."""
    n, d, _ = matrix.shape
    count = -(-d // tile)
    wide = np.zeros((n, d, count * tile))
    wide[:, :, :d] = matrix
    return np.ascontiguousarray(wide.reshape(n, d, count, tile).swapaxes(1, 2))
