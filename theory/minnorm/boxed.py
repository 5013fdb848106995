"""The least norm over weights that stay near given ones: a quadratic program on the simplex with bounds, exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["boxed"]

Floats = NDArray[np.float64]


def boxed(gram: Floats, low: Floats, high: Floats, *, max_iterations: int = 1000) -> Floats:
    """argmin λᵀGλ over Σλ = 1, low <= λ <= high: an active set, all (n,) and `gram` (n, n).

    Begins at the point of the box nearest to its middle that sums to 1. In each round the weights that are not at a
    bound go towards their minimum as far as the bounds allow; at it, the bound whose multiplier has the wrong sign by
    most is let go. Raises `ValueError` where no such weights exist, and `RuntimeError` after `max_iterations`.
    """
    if not (low <= high).all() or low.sum() > 1 + 1e-12 or high.sum() < 1 - 1e-12:
        raise ValueError(f"boxed(low={low.tolist()}, high={high.tolist()}): no weights between them sum to 1")
    room = high.sum() - low.sum()
    weights = low + (high - low) * (min(max((1 - low.sum()) / room, 0.0), 1.0) if room > 0 else 0.0)
    scale = float(np.abs(gram).max()) or 1.0
    held = np.where(weights <= low, -1, np.where(weights >= high, 1, 0))  # at which bound, 0 for free
    for _ in range(max_iterations):
        free = np.flatnonzero(held == 0)
        if len(free) > 1:
            step = _towards(gram, weights, free)
            at = weights[free]
            bound = np.where(step > 0, high[free], low[free])
            reach = np.divide(bound - at, step, out=np.full(len(free), np.inf), where=step != 0)
            place = int(np.argmin(reach))
            if reach[place] < 1:
                weights[free] = at + reach[place] * step
                held[free[place]] = 1 if step[place] > 0 else -1
                weights[free[place]] = (high if step[place] > 0 else low)[free[place]]
                continue
            weights[free] = at + step
        let_go = _wrong(gram @ weights, held, low < high, 1e-13 * scale)
        if not let_go:
            return weights
        held[let_go] = 0
    raise RuntimeError(f"boxed: no minimum after {max_iterations} steps of the active set")


def _towards(gram: Floats, weights: Floats, free: NDArray[np.intp]) -> Floats:
    """From `weights` to the minimum over the free ones with Σλ kept; the shortest way where there are several."""
    n = len(free)
    system = np.ones((n + 1, n + 1))
    system[:n, :n], system[n, n] = gram[np.ix_(free, free)], 0.0
    right = np.append(-(gram @ weights)[free], 0.0)
    found = np.linalg.lstsq(system, right, rcond=None)[0][:n]
    return np.asarray(found - found.mean())


def _wrong(slope: Floats, held: NDArray[np.int64], movable: NDArray[np.bool_], tolerance: float) -> list[int]:
    """The bound to let go of, or two where nothing is free; none at the minimum.

    There slopes of free weights are one number, none at a lower bound is below it and none at an upper one above it.
    """
    free = held == 0
    if free.any():
        off = np.where(movable, held * (slope - slope[free].mean()), 0.0)
        worst = int(np.argmax(off))
        return [worst] if off[worst] > tolerance else []
    below = np.where(movable & (held < 0), slope, np.inf)
    above = np.where(movable & (held > 0), slope, -np.inf)
    up, down = int(np.argmin(below)), int(np.argmax(above))
    return [up, down] if above[down] - below[up] > tolerance else []
