"""Points of a search: corners of single coordinates, children of those that lead, and joint choices of sizes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from validation.statement.claim import Family, Inequality
from validation.statement.instances.draw import Coordinate, Space

__all__ = ["corners", "mixed_sizes", "offspring"]

__judges__ = "search"

Float = NDArray[np.float64]

_MIXED = 6  # joint choices of sizes drawn at random, besides one large at a time
_TIED = 0.1  # of the offspring have a coordinate whose entries are all alike: many dimensions at one step


def mixed_sizes(test: Inequality, rng: np.random.Generator) -> list[dict[str, float]]:
    """A few joint choices of sizes for each family, log-uniform in every size."""
    out: list[dict[str, float]] = []
    for item in test.cases:
        if isinstance(item, Family) and len(item.sizes) > 1:
            for _ in range(_MIXED):
                u = rng.random(len(item.sizes)) ** 2  # mostly small
                out.append(
                    {
                        s.name: round((s.low + 1) * ((s.high + 1) / (s.low + 1)) ** x - 1)
                        for s, x in zip(item.sizes, u, strict=True)
                    }
                )
    return out


def corners(space: Space, rng: np.random.Generator, n: int) -> Float:
    """Corners where every coordinate goes its own way: all entries at one special value, all but one, each, or any.

    The battery of a space has one way for all coordinates of a point: equal curvatures come with equal minimisers. The
    one that stands apart is the same client in all coordinates of one shape.
    """
    out, one = rng.random((n, space.n_cube)), rng.random(n)
    for c, start in _blocks(space):
        levels, way = np.asarray(c.special()), rng.integers(0, 4, n)
        alike, each = (way == 0).nonzero()[0], (way == 1).nonzero()[0]
        # Numbers of levels in place of `rng.choice`, which asks the same stream and takes several times as long.
        out[alike, start : start + c.n_cube] = levels[rng.integers(0, len(levels), (alike.size, 1))]
        out[each, start : start + c.n_cube] = levels[rng.integers(0, len(levels), (each.size, c.n_cube))]
        rows = (way == 3).nonzero()[0]
        out[rows, start : start + c.n_cube] = levels[rng.integers(0, len(levels), (rows.size, 1))]
        out[rows, start + (one[rows] * c.n_cube).astype(int)] = levels[rng.integers(0, len(levels), rows.size)]
    return out.clip(0.0, 1.0)


def _tie(space: Space, cube: Float, rows: NDArray[np.int64], rng: np.random.Generator) -> None:
    """Give all entries of one coordinate the value of one of them, in each of `rows` of the cube."""
    wide = [(c.n_cube, start) for c, start in _blocks(space) if c.n_cube > 1]
    chosen = rng.integers(0, max(1, len(wide)), rows.size)
    for i, (n, start) in enumerate(wide):
        mine = rows[chosen == i]
        cube[mine, start : start + n] = cube[mine, start + rng.integers(0, n, mine.size)][:, None]


def _blocks(space: Space) -> Iterator[tuple[Coordinate, int]]:
    """The coordinates of a space, each with the place of its first number in a point of the cube."""
    start = 0
    for c in space.coordinates:
        yield c, start
        start += c.n_cube


def offspring(space: Space, parents: Float, rng: np.random.Generator, n: int, scale: float) -> Float:
    """Children of the elites: perturbed at a random scale, crossed, one coordinate redrawn, or snapped to corners."""
    chosen = parents[rng.integers(0, len(parents), n)]
    other = parents[rng.integers(0, len(parents), n)]
    crossed = np.where(rng.random(chosen.shape) < 0.2, other, chosen)
    child = np.where((rng.random(n) < 0.3)[:, None], crossed, chosen)
    touched = rng.random(child.shape) < rng.choice([0.1, 0.3, 1.0], size=(n, 1))
    child = child + touched * rng.normal(size=child.shape) * scale * rng.random((n, 1)) ** 2
    redrawn = np.where(rng.random(child.shape) < 1.5 / max(1, space.n_cube), rng.random(child.shape), child)
    child = np.where((rng.random(n) < 0.15)[:, None], redrawn, child)
    _tie(space, child, np.flatnonzero(rng.random(n) < _TIED), rng)
    snapped = np.where(rng.random(child.shape) < max(0.02, 1.0 / max(1, space.n_cube)), space.corners(rng, n), child)
    return np.asarray(np.where((rng.random(n) < 0.2)[:, None], snapped, child).clip(0.0, 1.0), dtype=np.float64)
