"""How the kernels want their arrays: replicas innermost, padded to whole blocks; matrices in tiles of few rows."""

from __future__ import annotations

import sys
from math import prod
from typing import Any

import numpy as np

from theory.compiled.library import Float, address

__all__ = ["Room", "lanes_of", "padded", "tiles", "unlaned"]

_ALIGN = 8  # numbers in a cache line
_KEPT = 8  # arrays of one size that are remembered, in use or not
_UNUSED = 3  # references to an array that only its list, a loop over that and a call know


def padded(rows: int | tuple[int, ...], count: int, block: int) -> Float:
    """An empty array (*rows, at least `count`), whole blocks wide, that starts at a cache line."""
    shape = _shape(rows, count, block)
    return _aligned(np.empty(prod(shape) + _ALIGN), shape)


def _shape(rows: int | tuple[int, ...], count: int, block: int) -> tuple[int, ...]:
    return (*((rows,) if isinstance(rows, int) else rows), -(-count // block) * block)


def _aligned(raw: Float, shape: tuple[int, ...]) -> Float:
    skipped = (-address(raw) // 8) % _ALIGN
    return raw[skipped : skipped + prod(shape)].reshape(shape)


class Room:
    """Memory of earlier arrays, given out again when nobody holds on to them: fresh pages cost as much as the numbers.

    A view of any kind, and what another library made of one, counts as holding on.
    """

    def __init__(self) -> None:
        self._kept: dict[int, list[Float]] = {}

    def padded(self, rows: int | tuple[int, ...], count: int, block: int) -> Float:
        """As `padded`; what is in it is anybody's."""
        shape = _shape(rows, count, block)
        kept = self._kept.setdefault(prod(shape), [])
        for raw in kept:
            if sys.getrefcount(raw) == _UNUSED:
                return _aligned(raw, shape)
        raw = np.empty(prod(shape) + _ALIGN)
        kept.append(raw)
        del kept[:-_KEPT]
        return _aligned(raw, shape)


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
