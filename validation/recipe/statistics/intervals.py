"""Means over seeds with Student's intervals, paired differences, and Holm's correction within a table.

A few seeds cannot show whether their distribution is skewed, and then Student's t with n − 1 degrees of freedom is too
sure. All tests and intervals here take the degrees of freedom that a deviation has under excess kurtosis 1
(`freedom`): the least with which 95 % intervals of noise with skewness 1.25 cover 94.5 % at 5, 10 and 20 seeds.

Values that are one number in all seeds have no interval and no p-value: that a few seeds agree (on a count, or on how
many samples of a small test part come out right) says nothing of how far others would scatter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev

import numpy as np
from numpy.typing import NDArray

__all__ = ["Mean", "Step", "freedom", "holm", "mean_of", "p_value", "quantile", "scatters", "step_down", "two_sided_p"]

LEVEL = 0.95
KURTOSIS = 1.0
"""Excess kurtosis of seeds that degrees of freedom allow for; tests/benchmarks/comparisons.py measures what follows."""
_ROUNDING = 1e-9  # of the largest value: differences of equal pairs of floats scatter by less, kept numbers by more


@dataclass(frozen=True)
class Mean:
    """The mean of `n` runs and its 95 % interval, None for a single one and for runs that are all equal."""

    value: float
    n: int
    low: float | None
    high: float | None


def freedom(n: int) -> float:
    """2 / (2/(n − 1) + κ/n), the degrees of freedom of the deviation of n >= 2 numbers with excess kurtosis κ = 1.

    Source: O'Neill, «Some useful moment results in sampling problems», 2014. Fewer than n − 1 for every n.

    >>> [round(freedom(n), 1) for n in (5, 10, 20)]
    [2.9, 6.2, 12.9]
    """
    return 2 / (2 / (n - 1) + KURTOSIS / n)


def quantile(n: int, level: float = LEVEL) -> float:
    """Half width of the interval of a mean of n >= 2 numbers, in standard errors: Student's with `freedom` degrees."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom(n), 0.5 + level / 2))


def mean_of(values: Sequence[float]) -> Mean:
    """The mean and its interval, None without any spread, from independent seeds; `ValueError` for no values."""
    n = len(values)
    if n == 0:
        raise ValueError("mean_of([]): expected at least one value")
    centre = mean(values)
    if not scatters(values):
        return Mean(centre, n, None, None)
    half = quantile(n) * stdev(values) / sqrt(n)
    return Mean(centre, n, centre - half, centre + half)


def p_value(values: Sequence[float]) -> float | None:
    """Of «the mean is 0» against «it is not», Student's; None for fewer than two values and without any spread."""
    if not scatters(values):
        return None
    n = len(values)
    return float(two_sided_p(np.asarray(mean(values) / (stdev(values) / sqrt(n))), n))


def two_sided_p(ratio: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """P(|t| >= |ratio|) of means of n values in standard errors, Student's with `freedom` degrees."""
    from scipy.special import stdtr

    return np.asarray(2 * stdtr(freedom(n), -np.abs(ratio)))


def scatters(values: Sequence[float]) -> bool:
    """Whether values differ by more than rounding; of none or one they do not."""
    return bool(values) and max(values) - min(values) > _ROUNDING * max(map(abs, values))


def holm(p: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given: rejecting those below α errs anywhere with probability <= α."""
    return [min(1.0, max(step.least, step.factor * one)) for one, step in zip(p, step_down(p), strict=True)]


@dataclass(frozen=True)
class Step:
    """What Holm's step-down makes of one p: it is multiplied by `factor` and is at least `least`."""

    factor: int
    least: float


def step_down(p: Sequence[float]) -> list[Step]:
    """The steps of the p-values, in the order given: the k-th least of n counts n + 1 − k times, and none falls below
    the one before it.
    """
    steps = [Step(1, 0.0)] * len(p)
    so_far = 0.0
    for place, index in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        steps[index] = Step(len(p) - place, so_far)
        so_far = max(so_far, min(1.0, (len(p) - place) * p[index]))
    return steps
