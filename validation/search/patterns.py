"""Points whose arrays follow a pattern along an axis: equal, in proportion, in waves, of two values, of two signs.

Bounds on long sums, many clients or many rounds are attained where many numbers are in proportion: draws that choose
each number by itself come nowhere near. Patterns are in the unit cube, where sizes on a logarithmic scale are: there a
power of the place is a straight line in its logarithm.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from validation.statement.instances.draw import Block, Simplex, Space

__all__ = ["has_patterns", "moved", "patterned", "tied"]

__judges__ = "search"

Float = NDArray[np.float64]

_PROFILES = 6
_TURNS = np.array([0.5, 1.0, 1.0, 2.0])  # of a wave
_SIGNED = 0.2  # of the arrays have signs that change along an axis
_OFTEN = (0.2, 0.5, 0.9)  # of the numbers of a point are special, and of its arrays alike


def has_patterns(space: Space) -> bool:
    """Whether any coordinate has several numbers."""
    return any(b.size > 1 for b in space.blocks)


def _wide(space: Space) -> list[Block]:
    """The coordinates with several numbers."""
    return [b for b in space.blocks if b.size > 1]


def tied(space: Space, cube: Float, rows: NDArray[np.int64], rng: np.random.Generator) -> None:
    """In each of `rows` of the cube let entries of one coordinate be alike: all of them, or those along one axis."""
    wide = _wide(space)
    chosen = rng.integers(0, max(1, len(wide)), rows.size)
    for i, b in enumerate(wide):
        mine, own, axes = rows[chosen == i], b.own, b.axes
        along = rng.integers(-1 if len(axes) > 1 else 0, len(axes), mine.size) if len(axes) > 1 else None
        every = mine if along is None else mine[along < 0]
        cube[every, own] = cube[every, b.start + rng.integers(0, b.size, every.size)][:, None]
        for axis in range(len(axes)) if along is not None else ():
            some = mine[along == axis]
            if not some.size:
                continue
            block = np.moveaxis(cube[some, own].reshape(-1, *axes), axis + 1, 1)
            block[:] = block[np.arange(some.size), rng.integers(0, axes[axis], some.size)][:, None]
            cube[some, own] = np.moveaxis(block, 1, axis + 1).reshape(some.size, b.size)


def moved(space: Space, cube: Float, rows: NDArray[np.int64], rng: np.random.Generator, scale: float) -> None:
    """In each of `rows` move the entries of one coordinate by a profile along one axis, or mirror them by signs."""
    wide = _wide(space)
    chosen = rng.integers(0, max(1, len(wide)), rows.size)
    for i, b in enumerate(wide):
        mine, own, axes = rows[chosen == i], b.own, b.axes
        axis = int(rng.integers(0, len(axes)))
        n, m = axes[axis], mine.size
        if not m:
            continue
        block = np.moveaxis(cube[mine, own].reshape(-1, *axes), axis + 1, -1)
        profile = _profile(rng, m, n) * (scale * rng.normal(size=(m, 1)))
        signs = np.where((rng.random(m) < _SIGNED)[:, None], _signs(rng, m, n), 1.0)
        whole = (m, *([1] * (block.ndim - 2)), n)
        block = 0.5 + (block - 0.5) * signs.reshape(whole) + profile.reshape(whole)
        cube[mine, own] = np.moveaxis(block, -1, axis + 1).reshape(m, b.size)


def patterned(space: Space, rng: np.random.Generator, n: int) -> Float:
    """`n` points of the cube; every coordinate with several numbers follows a pattern along one of its axes.

    Along the others its numbers are alike, or each of its own; single numbers are special values or any. How often
    numbers are special, and how often alike, is drawn once a point: a corner of many coordinates needs most of them so.
    """
    out = rng.random((n, space.n_cube))
    often = np.asarray(_OFTEN)  # numbers of entries in place of `rng.choice`, which asks the same stream
    special, even = often[rng.integers(0, len(_OFTEN), n)], often[rng.integers(0, len(_OFTEN), n)]
    for b in space.blocks:
        if not b.size:  # all of it is given, such as equal shares
            continue
        c = b.coordinate
        if isinstance(c, Simplex):
            block = out[:, b.own].reshape(n, b.size // (c.size + 1), c.size + 1)
            peaked = rng.random((n, 1)) < special[:, None]
            block[:, :, 0] = np.where(peaked, rng.integers(0, 2, (n, 1)), block[:, :, 0])
            block[:, :, 1:] = _array(rng, (block.shape[1], c.size), b.levels, special, even)
            out[:, b.own] = block.reshape(n, b.size)
        else:
            axes = b.axes if b.size > 1 else (1,)
            out[:, b.own] = _array(rng, axes, b.levels, special, even).reshape(n, b.size)
    return out.clip(0.0, 1.0)


def _array(rng: np.random.Generator, axes: tuple[int, ...], levels: Float, special: Float, even: Float) -> Float:
    """An array of these axes for each of many points, with a pattern along an axis that is drawn for each."""
    if len(axes) == 1:
        return _along(rng, axes, 0, levels, special, even)
    chosen = rng.integers(0, len(axes), special.size)
    out = np.empty((special.size, *axes))
    for axis in range(len(axes)):
        rows = (chosen == axis).nonzero()[0]
        if rows.size:
            out[rows] = _along(rng, axes, axis, levels, special[rows], even[rows])
    return out


def _along(
    rng: np.random.Generator, axes: tuple[int, ...], axis: int, levels: Float, special: Float, even: Float
) -> Float:
    """Arrays with a pattern along one axis: from one base to another by a profile, or with signs that change."""
    m, n, others = special.size, axes[axis], (*axes[:axis], *axes[axis + 1 :])
    flat, each = (m, *([1] * len(others))), prod(others)
    alike = rng.random(m) < even

    def base(more: int) -> tuple[Float, Float]:
        """(The array at one end, (m, *others), `more` numbers drawn after it.)"""
        at, drawn = levels[rng.integers(0, len(levels), m * each)], rng.random(m * (1 + each) + more)
        free, rest = drawn[m : m * (1 + each)], drawn[m * (1 + each) :]
        if not others:
            return np.where(drawn[:m] < special, at, free), rest
        found = np.where((drawn[:m] < special)[:, None], at.reshape(m, each), free.reshape(m, each))
        found[alike] = found[alike, :1]
        return found.reshape(m, *others), rest

    first, _ = base(0)
    last, straight = base(m)
    profile = _profile(rng, m, n)
    profile[straight < even] = 0.0
    mirrored = rng.random(m) < _SIGNED
    signs = _signs(rng, m, n)
    signs[~mirrored] = 1.0
    whole = (*flat, n)
    found = 0.5 + (first - 0.5)[..., None] * signs.reshape(whole) + (last - first)[..., None] * profile.reshape(whole)
    return np.moveaxis(found, -1, axis + 1) if others else found


@lru_cache(maxsize=256)
def _plain_profiles(n: int) -> Float:
    """The profiles over `n` places that nothing else is drawn for, zeros in the rows of the others, (kinds, n)."""
    place, known = np.arange(n), np.zeros((_PROFILES, n))
    known[0], known[1], known[5] = np.log1p(place) / np.log(max(2, n)), place / max(1, n - 1), place % 2
    return known


def _profile(rng: np.random.Generator, m: int, n: int) -> Float:
    """`m` profiles over `n` places, 0 to 1: a power, a ramp, a wave, two values, one place apart; (m, n)."""
    kind, part = rng.integers(0, _PROFILES, m), rng.random(m)[:, None]
    turns, mirrored = _TURNS[rng.integers(0, len(_TURNS), m)][:, None], rng.random(m) >= 0.5
    found, place = _plain_profiles(n)[kind], np.arange(n)
    waves, parted, alone = ((kind == k).nonzero()[0] for k in (2, 3, 4))
    found[waves] = (1 + np.cos(2 * np.pi * (turns[waves] * place / n + part[waves]))) / 2
    cut = 1 + np.floor(part * (n - 1))
    found[parted], found[alone] = place < cut[parted], place == cut[alone]
    if n > 1:
        found[mirrored] = found[mirrored, ::-1]
    return found


def _signs(rng: np.random.Generator, m: int, n: int) -> Float:
    """`m` patterns of signs over `n` places: in turn, or one up to some place and the other from there on; (m, n)."""
    place = np.arange(n)
    cut = rng.integers(1, n, m)[:, None] if n > 2 else 1
    return np.where((rng.random(m) < 0.5)[:, None], 1.0 - 2.0 * (place % 2), np.where(place < cut, 1.0, -1.0))
