"""What a p-value is worth that is looked at several times while seeds are added, as planned or not."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["PLAN", "look_of", "next_look", "two_sided", "worth"]

PLAN = (5, 10, 20)
"""Seeds at the planned looks of a recipe that names no others."""

_DRAWS, _SEED = 200_000, 20
_MARGIN = 3.0  # standard errors of the simulated probability that are added to it


def look_of(seed: int, plan: tuple[int, ...]) -> int:
    """The look, counted from 1, that a seed serves first; 0 for one that no look asks for."""
    return next((k for k, n in enumerate(plan, 1) if seed < n), 0)


def next_look(n: int, plan: tuple[int, ...]) -> int | None:
    """The seeds of the first planned look that `n` seeds do not reach; None after the last one."""
    return next((planned for planned in plan if n < planned), None)


def worth(p: float, plan: tuple[int, ...]) -> float:
    """P(the least p of all planned looks <= p) if there is no effect: a p that counts looks taken and still to come.

    Of Student's one-sided tests of normal differences, simulated, with three standard errors added; never more than p
    times the number of looks. So whoever stops at the first look with `worth` below 5 % errs with 5 % at most.
    """
    if len(plan) < 2:
        return min(1.0, p)
    least = _least(plan)
    found = float(np.searchsorted(least, p, side="right")) / len(least)
    found += _MARGIN * float(np.sqrt(max(found, 1 / len(least)) * (1 - found) / len(least)))
    return min(1.0, max(p, min(len(plan) * p, found)))


def two_sided(p: float, plan: tuple[int, ...], looks: int = 1) -> float:
    """The same of a two-sided p; without a plan p times its unplanned `looks`."""
    return min(1.0, 2 * worth(p / 2, plan)) if plan else min(1.0, looks * p)


@lru_cache(maxsize=8)
def _least(looks: tuple[int, ...]) -> NDArray[np.float64]:
    """Draws of the least one-sided p over the looks, sorted."""
    from scipy.stats import t

    values = np.random.default_rng(_SEED).standard_normal((_DRAWS, looks[-1]))
    least = np.ones(_DRAWS)
    for n in looks:
        mean, deviation = values[:, :n].mean(1), values[:, :n].std(1, ddof=1)
        least = np.minimum(least, t.sf(mean / deviation * np.sqrt(n), n - 1))
    return np.sort(least)
