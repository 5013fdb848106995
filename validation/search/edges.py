"""Points on the edge of a statement's hypotheses, where a strict inequality may fall by equality alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["edge_points"]

__judges__ = "search"

Float = NDArray[np.float64]

_HALVINGS = 60  # of a segment: the doubles of the unit cube have no more


def edge_points(admissible: Callable[[Float], NDArray[np.bool_]], inside: Float, outside: Float) -> Float:
    """The last admissible points on the way from points inside to points outside, (n, n_cube), one a pair.

    On every other way one number alone is moved, where that leaves the hypotheses; on the others all are.
    """
    n, width = inside.shape
    alone = inside.copy()
    moved = np.arange(n) % width
    alone[np.arange(n), moved] = outside[np.arange(n), moved]
    leaves = ~admissible(alone) & (np.arange(n) % 2 == 0)
    near, far = inside.copy(), np.where(leaves[:, None], alone, outside)
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        kept = admissible(middle)
        near, far = np.where(kept[:, None], middle, near), np.where(kept[:, None], far, middle)
    return near
