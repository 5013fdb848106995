"""Means over seeds with Student's intervals, paired differences, and Holm's correction within a table.

Values that are one number in all seeds have no interval and no p-value: that a few seeds agree (on a count, or on how
many samples of a small test part come out right) says nothing of how far others would scatter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev

__all__ = ["Mean", "Step", "holm", "mean_of", "p_value", "quantile", "scatters", "step_down"]

LEVEL = 0.95
_ROUNDING = 1e-9  # of the largest value: differences of equal pairs of floats scatter by less, kept numbers by more


@dataclass(frozen=True)
class Mean:
    """The mean of `n` runs and its 95 % interval, None for a single one and for runs that are all equal."""

    value: float
    n: int
    low: float | None
    high: float | None


def quantile(n: int, level: float = LEVEL) -> float:
    """Half width of the interval of a mean of n >= 2 normal numbers, in standard errors: Student's, n − 1 degrees."""
    from scipy.stats import t

    return float(t.ppf(0.5 + level / 2, n - 1))


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
    from scipy.stats import t

    n = len(values)
    if not scatters(values):
        return None
    return float(2 * t.sf(abs(mean(values)) / (stdev(values) / sqrt(n)), n - 1))


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
