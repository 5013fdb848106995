"""The pool of nearly active instances: for each score the best points that are apart from each other.

The best points of a score alone crowd around one of them; a violation in a corner lies near a lesser one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["APART", "MEMBERS", "apart", "joined"]

__judges__ = "search"

Float = NDArray[np.float64]
Rows = tuple[Float, Float]

MEMBERS = 16
APART = 0.12
"""The least distance of two members: root of the mean square over coordinates of the cube."""
_ASKED = 32  # points of a batch that may join
_BLUR = 1e-9  # of a coordinate's square: squared distances by products are nearer than that to those by differences


def apart(points: Float, values: Float, most: int = MEMBERS, distance: float = APART) -> NDArray[np.int64]:
    """Rows of at most `most` points, the best first, each at least `distance` from all better ones that are kept."""
    least = points.shape[1] * distance**2
    free, far = values > -np.inf, _far(points, least)
    kept: list[int] = []
    for i in np.argsort(-values, kind="stable").tolist():
        if free[i]:
            kept.append(i)
            if len(kept) == most:
                break
            free &= far[i]
    return np.asarray(kept, dtype=np.int64)


def _far(points: Float, least: float) -> NDArray[np.bool_]:
    """Which pairs of points of the cube have a squared distance of `least` or more, (n, n)."""
    products = points @ points.T
    squares = products.diagonal()
    over = squares[:, None] + squares - 2 * products - least
    far = over >= 0
    for i in (np.abs(over) <= _BLUR * points.shape[1]).any(axis=1).nonzero()[0]:
        far[i] = ((points[i] - points) ** 2).sum(axis=-1) >= least
    return far


def joined(known: Rows | None, points: Float, values: Float) -> Rows:
    """The pool with the best points of a batch, where they are better than what stands near them."""
    if known is not None and len(known[1]) == MEMBERS:
        over = values > known[1][-1]
        points, values = points[over], values[over]
    if len(values) > _ASKED:
        chosen = np.argsort(-values, kind="stable")[:_ASKED]
        points, values = points[chosen], values[chosen]
    if known is not None:
        if not len(values):
            return known
        points, values = np.concatenate([known[0], points]), np.concatenate([known[1], values])
    rows = apart(points, values)
    return points[rows], values[rows]
