"""Direction and size of one number of ours, paired over seeds, beside a printed one that is a noisy mean itself.

Direction: Student's paired t over seeds, two-sided; of whole numbers and of ties the exact sign-flip test. Size: one
95 % interval of ours − print; equivalent where it is within ±δ (two one-sided tests at 2.5 % each), different where it
is beyond ±δ. The print's error enters the interval: its own deviation where one is printed and known to be one, else
that of our values over as many runs as the paper says it took, one where it says nothing; and the rounding of its last
digit. Degrees of freedom allow for skewed seeds (`freedom`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from validation.published.runs import BEYOND_CHANCE
from validation.recipe.recipe import LEAST_SEEDS
from validation.recipe.statistics.calculus import Direction, Size
from validation.recipe.statistics.intervals import KURTOSIS, freedom, p_value, scatters, two_sided_p

__all__ = [
    "Beside",
    "Moments",
    "Sized",
    "beside",
    "direction_of",
    "direction_p",
    "directions",
    "discrete",
    "sign_flip_p",
    "size_of",
    "sizes",
    "stated",
]

Floats = NDArray[np.float64]
LEAST_OF_COUNTS = 10  # of whole numbers and ties: at five seeds the least two-sided p of sign flips is 1/16
_MOST_FLIPPED = 20  # seeds whose signs are all tried, 2^19 sums; beyond them ties go to Student's t


@dataclass(frozen=True)
class Beside:
    """A printed number: `value`, `half_unit` of its last digit, `error` of it as a mean where a spread is printed that
    is known to be one, else None and `n` runs behind it (1 where the paper does not say).
    """

    value: float
    half_unit: float
    error: float | None = None
    n: int = 1

    def less(self, other: Beside) -> Beside:
        """The printed difference; errors add up as those of independent runs."""
        error = None if self.error is None or other.error is None else sqrt(self.error**2 + other.error**2)
        half = self.half_unit + other.half_unit
        return Beside(self.value - other.value, half, error, min(self.n, other.n))


@dataclass(frozen=True)
class Sized:
    """Ours − print with its 95 % interval, and one-sided p's: of lying above −δ, below δ, above δ and below −δ."""

    gap: float
    low: float
    high: float
    above_low: float
    below_high: float
    above_high: float
    below_low: float

    @property
    def equivalent(self) -> float:
        """p of «within ±δ»: twice the larger of its two tests, so that below 5 % the 95 % interval is within ±δ."""
        return min(1.0, 2 * max(self.above_low, self.below_high))

    @property
    def different(self) -> float:
        """p of «beyond ±δ», two-sided."""
        return min(1.0, 2 * min(self.above_high, self.below_low))


def discrete(values: Sequence[float]) -> bool:
    """Whether values are whole numbers, or the same number twice: Student's t is not theirs."""
    rounded = [float(f"{value:.9g}") for value in values]
    return all(value == round(value) for value in rounded) or len(set(rounded)) < len(rounded)


def stated(values: Sequence[float]) -> bool:
    """Whether these are seeds enough for a word, and scatter."""
    least = LEAST_OF_COUNTS if discrete(values) else LEAST_SEEDS
    return len(values) >= least and scatters(values)


def sign_flip_p(values: Sequence[float]) -> float:
    """Two-sided p of «the mean is 0»: the share of all sign patterns whose sum is as far from 0; exact under symmetry.

    >>> sign_flip_p([1, 1, 2, 1, 3])
    0.0625
    """
    taken = np.abs(np.asarray(values, dtype=np.float64))
    seen = abs(float(np.sum(values))) - 1e-9 * float(taken.sum())
    if bool(np.all(taken == np.round(taken))):
        share, reach = np.ones(1), int(taken.sum())  # of the sums from −(so far) to so far
        for step in taken.astype(int):
            wider = np.zeros(len(share) + 2 * step)
            wider[: len(share)] += share / 2
            wider[2 * step :] += share / 2
            share = wider
        return float(min(1.0, share[np.abs(np.arange(-reach, reach + 1)) >= seen].sum()))
    sums = taken[:1]
    for value in taken[1:]:
        sums = np.concatenate((sums + value, sums - value))
    return float(np.mean(np.abs(sums) >= seen))


def direction_p(values: Sequence[float]) -> float | None:
    """Two-sided p of «the mean is 0»; None for fewer than two values and without any spread."""
    if not scatters(values):
        return None
    whole = all(value == round(value) for value in values)
    if discrete(values) and (whole or len(values) <= _MOST_FLIPPED):
        return sign_flip_p(values)
    return p_value(values)


@dataclass(frozen=True)
class Moments:
    """Mean and deviation of n seeds, of one paper or of many."""

    mean: Floats
    deviation: Floats
    n: int

    @classmethod
    def of(cls, values: Floats) -> Moments:
        """Of the last axis."""
        return cls(values.mean(-1), values.std(-1, ddof=1), values.shape[-1])


def directions(of: Moments) -> Floats:
    """Two-sided p of «the mean is 0» by Student's t, for many papers at once."""
    return two_sided_p(of.mean / (of.deviation / sqrt(of.n)), of.n)


def beside(values: Sequence[float], printed: Beside, delta: float) -> Sized | None:
    """Ours − print against ±δ; None for fewer than two values and without any spread."""
    if not scatters(values):
        return None
    found = sizes(Moments.of(np.asarray(values, dtype=np.float64)), printed, delta)
    return Sized(*(float(number) for number in found))


def sizes(of: Moments, printed: Beside, delta: float, values: Floats | None = None) -> tuple[Floats, ...]:
    """The fields of `Sized` for many papers at once; `values` as printed, one for all where none are given.

    Degrees of freedom are Welch's where the print has an error of its own over `n` > 1 runs. Else they are those of our
    values, and fewer where the print is the mean of few runs: its excess kurtosis is κ/n, that of Student's t with ν
    degrees about 6/ν, so that inverse degrees add up.
    """
    from scipy.special import stdtr, stdtrit

    n, own = of.n, of.deviation**2
    if printed.error is None:
        variance, share = own * (1 / n + 1 / printed.n), n / (n + printed.n)  # of the variance, the print's
        degrees = np.full_like(own, 1 / (1 / freedom(n) + share**2 * KURTOSIS / (6 * printed.n)))
    else:
        theirs = printed.error**2
        variance = own / n + theirs
        spread = (own / n) ** 2 / freedom(n) + (theirs**2 / freedom(printed.n) if printed.n > 1 else 0.0)
        degrees = variance**2 / spread
    error = np.sqrt(variance + printed.half_unit**2 / 3)
    gap = of.mean - (printed.value if values is None else values)
    half = stdtrit(degrees, 1 - BEYOND_CHANCE / 2) * error

    def above(bound: float) -> Floats:
        return np.asarray(stdtr(degrees, (bound - gap) / error))

    def below(bound: float) -> Floats:
        return np.asarray(stdtr(degrees, (gap - bound) / error))

    return gap, gap - half, gap + half, above(-delta), below(delta), above(delta), below(-delta)


def direction_of(values: Sequence[float], towards: float, p: float | None) -> Direction:
    """The sign of the mean beside that of a printed or stated difference, by a p that counts looks and family."""
    if p is None or p >= BEYOND_CHANCE or towards == 0 or not stated(values):
        return "unresolved"
    return "same" if mean(values) * towards > 0 else "opposite"


def size_of(values: Sequence[float], equivalent: float | None, different: float | None) -> Size:
    """Equivalent or different, by p's that count looks and family."""
    if equivalent is None or different is None or not stated(values):
        return "unresolved"
    return "equivalent" if equivalent < BEYOND_CHANCE else "different" if different < BEYOND_CHANCE else "unresolved"
