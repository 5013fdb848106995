"""Points of a search: corners of single coordinates, children of those that lead, and joint choices of sizes."""

from __future__ import annotations

from math import gcd

import numpy as np
from numpy.typing import NDArray

from validation.search.patterns import moved, tied
from validation.statement.claim import Family, Inequality, Size
from validation.statement.instances.draw import Space

__all__ = ["corners", "mixed_sizes", "offspring", "sizes_between"]

__judges__ = "search"

Float = NDArray[np.float64]

_BETWEEN = 2  # sizes between the usual ones that a seed has its turn with
_RANGE, _GOLDEN = 1000, 0.6180339887498949
_MIXED = 6  # joint choices of sizes drawn at random, besides one large at a time
_TIED = 0.1  # of the offspring have a coordinate whose entries are alike: many dimensions at one step
_MOVED = 0.1  # and have one whose entries move together along an axis


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


def sizes_between(test: Inequality, seed: int) -> dict[int, list[dict[str, float]]]:
    """By the place of each family, choices with one size between those that are always tried, the others usual.

    Each seed takes the next two of every size, in an order that spreads them over its range; so all have their turn.
    """
    out: dict[int, list[dict[str, float]]] = {}
    for place, item in enumerate(test.cases):
        if isinstance(item, Family):
            chosen = [(size.name, value) for size in item.sizes for value in _in_turn(size, seed)]
            out[place] = [{**item.usual(), name: value} for name, value in chosen]
    return out


def _in_turn(size: Size, seed: int) -> list[int]:
    """The two sizes between those that are always tried whose turn it is; spread by the golden ratio, logarithms first.

    >>> [_in_turn(Size("N", 2, 8, 5), seed) for seed in (0, 1, 2)]
    [[4, 7], [6, 4], [7, 6]]
    """
    known = set(size.values())
    most = min(size.high, size.low + _RANGE)
    left = [n for n in range(size.low, most + 1) if n not in known]
    if size.high > most:  # too many to go through: places spread over the logarithms of the range
        places = (((_BETWEEN * seed + i + 1) * _GOLDEN) % 1 for i in range(_BETWEEN))
        ratio = (size.high + 1) / (size.low + 1)
        return [n for place in places if (n := round((size.low + 1) * ratio**place - 1)) not in known]
    n = len(left)
    step = next((s for s in range(max(1, round(_GOLDEN * n)), n + 1) if gcd(s, n) == 1), 1)
    return [left[(_BETWEEN * seed + i) * step % n] for i in range(min(_BETWEEN, n))]


def corners(space: Space, rng: np.random.Generator, n: int) -> Float:
    """Corners where every coordinate goes its own way: all entries at one special value, all but one, each, or any.

    The battery of a space has one way for all coordinates of a point: equal curvatures come with equal minimisers. The
    one that stands apart is the same client in all coordinates of one shape.
    """
    out, one = rng.random((n, space.n_cube)), rng.random(n)
    for b in space.blocks:
        levels, size, block, way = b.levels, b.size, out[:, b.own], rng.integers(0, 4, n)
        alike, each, rows = ((way == k).nonzero()[0] for k in (0, 1, 3))
        # Numbers of levels in place of `rng.choice`, which asks the same stream and takes several times as long.
        ends = np.cumsum((alike.size, each.size * size, rows.size, rows.size))
        drawn = levels[rng.integers(0, len(levels), ends[-1])]
        block[alike] = drawn[: ends[0], None]
        block[each] = drawn[ends[0] : ends[1]].reshape(each.size, size)
        block[rows] = drawn[ends[1] : ends[2], None]
        out[rows, b.start + (one[rows] * size).astype(int)] = drawn[ends[2] :]
    return out.clip(0.0, 1.0)


def offspring(space: Space, parents: Float, rng: np.random.Generator, n: int, scale: float) -> Float:
    """Children of the elites: perturbed at a random scale, crossed, one coordinate redrawn, or snapped to corners."""
    child, other = parents[rng.integers(0, len(parents), n)], rng.integers(0, len(parents), n)
    apart = rng.random(child.shape)  # what is drawn of all points is worked out for those that take it
    rows = (rng.random(n) < 0.3).nonzero()[0]
    child[rows] = np.where(apart[rows] < 0.2, parents[other[rows]], child[rows])
    touched = rng.random(child.shape) < np.array([0.1, 0.3, 1.0])[rng.integers(0, 3, (n, 1))]
    steps = rng.standard_normal(child.shape)
    steps *= touched
    steps *= scale
    steps *= rng.random((n, 1)) ** 2
    child += steps
    apart, anew = rng.random(child.shape), rng.random(child.shape)
    rows = (rng.random(n) < 0.15).nonzero()[0]
    child[rows] = np.where(apart[rows] < 1.5 / max(1, space.n_cube), anew[rows], child[rows])
    tied(space, child, np.flatnonzero(rng.random(n) < _TIED), rng)
    moved(space, child, np.flatnonzero(rng.random(n) < _MOVED), rng, scale)
    apart, special = rng.random(child.shape), space.corners(rng, n)
    rows = (rng.random(n) < 0.2).nonzero()[0]
    child[rows] = np.where(apart[rows] < max(0.02, 1.0 / max(1, space.n_cube)), special[rows], child[rows])
    return np.asarray(child.clip(0.0, 1.0), dtype=np.float64)
