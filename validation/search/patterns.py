"""Points whose arrays follow a pattern along an axis: equal, in proportion, in waves, of two values, of two signs.

Bounds on long sums, many clients or many rounds are attained where many numbers are in proportion: draws that choose
each number by itself come nowhere near. Patterns are in the unit cube, where sizes on a logarithmic scale are: there a
power of the place is a straight line in its logarithm.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np
from numpy.typing import NDArray

from validation.statement.instances.draw import Coordinate, Simplex, Space

__all__ = ["blocks", "has_patterns", "moved", "patterned", "tied"]

__judges__ = "search"

Float = NDArray[np.float64]

_PROFILES = 6
_TURNS = np.array([0.5, 1.0, 1.0, 2.0])  # of a wave
_SIGNED = 0.2  # of the arrays have signs that change along an axis
_OFTEN = (0.2, 0.5, 0.9)  # of the numbers of a point are special, and of its arrays alike


def blocks(space: Space) -> Iterator[tuple[Coordinate, int]]:
    """The coordinates of a space, each with the place of its first number in a point of the cube."""
    start = 0
    for c in space.coordinates:
        yield c, start
        start += c.n_cube


def has_patterns(space: Space) -> bool:
    """Whether any coordinate has several numbers."""
    return any(c.n_cube > 1 for c in space.coordinates)


def _axes(c: Coordinate) -> tuple[int, ...]:
    """The axes of a coordinate's numbers in the cube, those of length 1 left out."""
    shape = getattr(c, "shape", ())
    if isinstance(c, Simplex):
        shape = (*shape, c.size + 1)
    shape = tuple(n for n in shape if n > 1)
    return shape if prod(shape) == c.n_cube else (c.n_cube,)


def _wide(space: Space) -> list[tuple[Coordinate, int, tuple[int, ...]]]:
    """(coordinate, first place, axes) of those with several numbers."""
    return [(c, start, _axes(c)) for c, start in blocks(space) if c.n_cube > 1]


def tied(space: Space, cube: Float, rows: NDArray[np.int64], rng: np.random.Generator) -> None:
    """In each of `rows` of the cube let entries of one coordinate be alike: all of them, or those along one axis."""
    wide = _wide(space)
    chosen = rng.integers(0, max(1, len(wide)), rows.size)
    for i, (c, start, axes) in enumerate(wide):
        mine = rows[chosen == i]
        own = slice(start, start + c.n_cube)
        along = rng.integers(-1 if len(axes) > 1 else 0, len(axes), mine.size) if len(axes) > 1 else None
        every = mine if along is None else mine[along < 0]
        cube[every, own] = cube[every, start + rng.integers(0, c.n_cube, every.size)][:, None]
        for axis in range(len(axes)) if along is not None else ():
            some = mine[along == axis]
            if not some.size:
                continue
            block = np.moveaxis(cube[some, own].reshape(-1, *axes), axis + 1, 1)
            block[:] = block[np.arange(some.size), rng.integers(0, axes[axis], some.size)][:, None]
            cube[some, own] = np.moveaxis(block, 1, axis + 1).reshape(some.size, c.n_cube)


def moved(space: Space, cube: Float, rows: NDArray[np.int64], rng: np.random.Generator, scale: float) -> None:
    """In each of `rows` move the entries of one coordinate by a profile along one axis, or mirror them by signs."""
    wide = _wide(space)
    chosen = rng.integers(0, max(1, len(wide)), rows.size)
    for i, (c, start, axes) in enumerate(wide):
        mine, own = rows[chosen == i], slice(start, start + c.n_cube)
        axis = int(rng.integers(0, len(axes)))
        n, m = axes[axis], mine.size
        if not m:
            continue
        block = np.moveaxis(cube[mine, own].reshape(-1, *axes), axis + 1, -1)
        profile = _profile(rng, m, n) * (scale * rng.normal(size=(m, 1)))
        signs = np.where((rng.random(m) < _SIGNED)[:, None], _signs(rng, m, n), 1.0)
        whole = (m, *([1] * (block.ndim - 2)), n)
        block = 0.5 + (block - 0.5) * signs.reshape(whole) + profile.reshape(whole)
        cube[mine, own] = np.moveaxis(block, -1, axis + 1).reshape(m, c.n_cube)


def patterned(space: Space, rng: np.random.Generator, n: int) -> Float:
    """`n` points of the cube; every coordinate with several numbers follows a pattern along one of its axes.

    Along the others its numbers are alike, or each of its own; single numbers are special values or any. How often
    numbers are special, and how often alike, is drawn once a point: a corner of many coordinates needs most of them so.
    """
    out = rng.random((n, space.n_cube))
    special, even = rng.choice(_OFTEN, n), rng.choice(_OFTEN, n)
    for c, start in blocks(space):
        if not c.n_cube:  # all of it is given, such as equal shares
            continue
        levels = np.asarray(c.special())
        if isinstance(c, Simplex):
            block = out[:, start : start + c.n_cube].reshape(n, c.n_cube // (c.size + 1), c.size + 1)
            peaked = rng.random((n, 1)) < special[:, None]
            block[:, :, 0] = np.where(peaked, rng.integers(0, 2, (n, 1)), block[:, :, 0])
            block[:, :, 1:] = _array(rng, (block.shape[1], c.size), levels, special, even)
            out[:, start : start + c.n_cube] = block.reshape(n, c.n_cube)
        else:
            axes = _axes(c) if c.n_cube > 1 else (1,)
            out[:, start : start + c.n_cube] = _array(rng, axes, levels, special, even).reshape(n, c.n_cube)
    return out.clip(0.0, 1.0)


def _array(rng: np.random.Generator, axes: tuple[int, ...], levels: Float, special: Float, even: Float) -> Float:
    """An array of these axes for each of many points, with a pattern along an axis that is drawn for each."""
    chosen = rng.integers(0, len(axes), special.size)
    if len(axes) == 1:
        return _along(rng, axes, 0, levels, special, even)
    out = np.empty((special.size, *axes))
    for axis in range(len(axes)):
        rows = np.flatnonzero(chosen == axis)
        if rows.size:
            out[rows] = _along(rng, axes, axis, levels, special[rows], even[rows])
    return out


def _along(
    rng: np.random.Generator, axes: tuple[int, ...], axis: int, levels: Float, special: Float, even: Float
) -> Float:
    """Arrays with a pattern along one axis: from one base to another by a profile, or with signs that change."""
    m, n, others = special.size, axes[axis], (*axes[:axis], *axes[axis + 1 :])
    flat, shape = (m, *([1] * len(others))), (m, *others) if others else m

    def drawn(often: Float | float) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = (rng.random(m) < often).reshape(flat)
        return found

    alike = drawn(even)

    def base() -> Float:
        at = levels[rng.integers(0, len(levels), shape)]
        found = np.where(drawn(special), at, rng.random(shape))
        return np.where(alike, found.reshape(m, -1)[:, :1].reshape(flat), found) if others else found

    first, last = base(), base()
    profile = np.where(drawn(even), 0.0, 1.0)[..., None] * _profile(rng, m, n).reshape(*flat, n)
    signs = np.where(drawn(_SIGNED)[..., None], _signs(rng, m, n).reshape(*flat, n), 1.0)
    found = 0.5 + (first - 0.5)[..., None] * signs + (last - first)[..., None] * profile
    return np.moveaxis(found, -1, axis + 1) if others else found


def _profile(rng: np.random.Generator, m: int, n: int) -> Float:
    """`m` profiles over `n` places, 0 to 1: a power, a ramp, a wave, two values, one place apart; (m, n)."""
    place, kind, part = np.arange(n), rng.integers(0, _PROFILES, m), rng.random(m)[:, None]
    turns = rng.choice(_TURNS, m)[:, None]
    mirrored = rng.random(m) >= 0.5
    known = np.zeros((_PROFILES, n))
    known[0], known[1], known[5] = np.log1p(place) / np.log(max(2, n)), place / max(1, n - 1), place % 2
    found = known[kind]
    waves, parted, alone = ((kind == k).nonzero()[0] for k in (2, 3, 4))
    found[waves] = (1 + np.cos(2 * np.pi * (turns[waves] * place / n + part[waves]))) / 2
    cut = 1 + np.floor(part * (n - 1))
    found[parted], found[alone] = place < cut[parted], place == cut[alone]
    found[mirrored] = found[mirrored, ::-1]
    return found


def _signs(rng: np.random.Generator, m: int, n: int) -> Float:
    """`m` patterns of signs over `n` places: in turn, or one up to some place and the other from there on; (m, n)."""
    place = np.arange(n)
    cut = rng.integers(1, max(2, n), m)[:, None]
    return np.where((rng.random(m) < 0.5)[:, None], 1.0 - 2.0 * (place % 2), np.where(place < cut, 1.0, -1.0))
