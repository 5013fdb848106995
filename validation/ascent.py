"""The adversary: CMA-ES restarted from the best points of every arm and every score (pycma, ask and tell)."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["ascend"]

Float = NDArray[np.float64]

_FULL_COVARIANCE = 60  # beyond this many coordinates only the diagonal is adapted


def ascend(
    score: Callable[[Float], tuple[Float, bool]], start: Float, *, sigma: float, budget: int, rng: np.random.Generator
) -> int:
    """Climb `score` from a point of the unit cube for at most `budget` evaluations; returns how many were used.

    `score(cube)` gives the values of many points and whether to stop at once. Points outside the cube are judged at
    the nearest point inside, so maxima on its faces are reachable.
    """
    n = start.size
    if n < 2:
        return _line(score, start, sigma=sigma, budget=budget, rng=rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pycma misses matplotlib aloud; nothing is plotted here
        import cma
    size = min(96, max(12, 4 + int(3 * np.log(n)) + n // 4))
    options = {
        "randn": lambda *shape: rng.standard_normal(shape),
        "seed": np.nan,
        "verbose": -9,
        "popsize": size,
        "CMA_diagonal": n > _FULL_COVARIANCE,
        "tolfun": 1e-13,
        "tolx": 1e-11,
        "tolstagnation": 60 + 2 * n,
    }
    used = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pycma warns of flat and failing values, which inadmissible points give
        strategy = cma.CMAEvolutionStrategy(start, sigma, options)
        while used + size <= budget and not strategy.stop():
            asked = np.asarray(strategy.ask(), dtype=np.float64)
            inside = asked.clip(0.0, 1.0)
            values, stop = score(inside)
            used += size
            if stop:
                break
            outside = ((asked - inside) ** 2).sum(axis=1)
            loss = np.where(np.isfinite(values), -values, np.where(values > 0, -1e300, 1e300))
            strategy.tell(list(asked), list(loss + 1e-6 * outside * (1 + np.abs(loss))))
    return max(used, size)


def _line(
    score: Callable[[Float], tuple[Float, bool]], start: Float, *, sigma: float, budget: int, rng: np.random.Generator
) -> int:
    """One coordinate: a shrinking interval around the best point, 16 points at a time."""
    best, top, used = start.copy(), -np.inf, 0
    while used + 16 <= budget and sigma > 1e-12:
        points = (best + sigma * rng.uniform(-1, 1, size=(16, start.size))).clip(0.0, 1.0)
        values, stop = score(points)
        used += 16
        if stop:
            break
        leader = int(np.argmax(values))
        if values[leader] > top:
            best, top = points[leader], float(values[leader])
        sigma *= 0.6
    return max(used, 16)
