"""Intervals for a mean that stay valid however often one looks: confidence sequences of bounded observations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ConfidenceSequence", "Method", "confidence_sequence", "difference_support"]

Float = NDArray[np.float64]
Method: TypeAlias = Literal["empirical-bernstein", "hoeffding-mixture"]

_LARGEST_BET = 0.5  # the cap on λ that Waudby-Smith & Ramdas recommend
_TIGHTEST_AT = 256  # observations at which the mixture is narrowest, relative to the best fixed-time interval
_ROUNDING = 1e-9  # of the support: an observation this far outside is rounding, not a wrong support


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """With probability >= 1 − `miscoverage`, lower <= mean <= upper at *every* count at once, for each stream.

    Streams stand on the leading axes and are independent of each other as far as this class cares: the level is that
    of one stream. Observations lie in [low, high], (*streams,), and have the same mean given the past (independent and
    identically distributed ones do). Limits are the running intersection of those at all counts so far, so they only
    narrow; they cross (lower > upper) only where the sequence missed its mean.
    `totals`: the running sums the limits come from, (n_totals, *streams); see `confidence_sequence` for the methods.
    """

    low: Float
    high: Float
    miscoverage: float
    method: Method
    count: int
    totals: Float
    lower: Float
    upper: Float

    def after(self, observations: ArrayLike) -> ConfidenceSequence:
        """The sequence once it has seen more observations, (*streams, n); the same in one piece or in many.

        Raises `ValueError` when one lies outside [low, high] or is not finite.
        """
        x = self._checked(observations)
        if x.shape[-1] == 0:
            return self
        totals, lower, upper = self._advanced(x)
        count = self.count + x.shape[-1]
        return replace(self, count=count, totals=totals[..., -1], lower=lower[..., -1], upper=upper[..., -1])

    def along(self, observations: ArrayLike) -> tuple[Float, Float]:
        """(lower, upper) after each further observation, both (*streams, n)."""
        _, lower, upper = self._advanced(self._checked(observations))
        return lower, upper

    def _checked(self, observations: ArrayLike) -> Float:
        x = np.asarray(observations, dtype=np.float64)
        if x.shape[:-1] != self.low.shape or x.ndim == 0:
            raise ValueError(f"ConfidenceSequence: observations of shape {x.shape}; expected {(*self.low.shape, 'n')}")
        slack = _ROUNDING * np.maximum(self.high - self.low, np.maximum(np.abs(self.low), np.abs(self.high)))
        inside = (x >= (self.low - slack)[..., None]) & (x <= (self.high + slack)[..., None])
        if not inside.all():
            place = tuple(np.argwhere(~inside)[0])
            low, high = float(self.low[place[:-1]]), float(self.high[place[:-1]])
            raise ValueError(
                f"ConfidenceSequence: observation {float(x[place]):g} outside its support [{low:g}, {high:g}]; an"
                " interval for its mean would mean nothing; state a support that the sampler keeps by construction"
            )
        return x

    def _advanced(self, x: Float) -> tuple[Float, Float, Float]:
        """The totals and the intersected limits after each of the observations."""
        span = (self.high - self.low)[..., None]
        unit = ((x - self.low[..., None]) / np.where(span > 0, span, 1.0)).clip(0.0, 1.0)
        t = np.arange(self.count + 1, self.count + x.shape[-1] + 1, dtype=np.float64)
        step = _bernstein if self.method == "empirical-bernstein" else _mixture
        totals, centre, radius = step(self.totals, unit, t, self.miscoverage)
        lower = self.low[..., None] + span * (centre - radius).clip(0.0, 1.0)
        upper = self.low[..., None] + span * (centre + radius).clip(0.0, 1.0)
        lower = np.maximum(np.maximum.accumulate(lower, axis=-1), self.lower[..., None])
        upper = np.minimum(np.minimum.accumulate(upper, axis=-1), self.upper[..., None])
        return totals, lower, upper


def confidence_sequence(
    low: ArrayLike, high: ArrayLike, *, miscoverage: float, method: Method = "empirical-bernstein"
) -> ConfidenceSequence:
    """The sequence before any observation: [low, high] itself; both broadcast to (*streams,).

    "empirical-bernstein": the predictable plug-in empirical Bernstein sequence, which adapts to the variance: its width
    shrinks about like σ√(log t / t), and like 1/t where nothing varies. Source: Waudby-Smith & Ramdas, "Estimating
    means of bounded random variables by betting" (JRSS-B 86, 2024), Theorem 2.
    "hoeffding-mixture": the two-sided normal mixture for sub-Gaussian sums of variance (high − low)²/4, whatever the
    data do; only count and sum enter. Source: Robbins, "Statistical methods related to the law of the iterated
    logarithm" (1970); Howard et al., "Time-uniform, nonparametric, nonasymptotic confidence sequences" (2021), §3.2.
    Raises `ValueError` for low > high, ends that are not finite, miscoverage outside (0, 1) or another method.
    """
    if not 0 < miscoverage < 1:
        raise ValueError(f"confidence_sequence(miscoverage={miscoverage}): must be in (0, 1), for instance 0.01")
    if method not in ("empirical-bernstein", "hoeffding-mixture"):
        raise ValueError(
            f"confidence_sequence(method={method!r}): expected 'empirical-bernstein' or 'hoeffding-mixture'"
        )
    ends = np.broadcast_arrays(np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64))
    least, most = (np.array(end) for end in ends)
    if not (np.isfinite(least).all() and np.isfinite(most).all() and (least <= most).all()):
        raise ValueError(f"confidence_sequence(low={low!r}, high={high!r}): expected finite ends with low <= high")
    n_totals = 5 if method == "empirical-bernstein" else 1
    return ConfidenceSequence(least, most, miscoverage, method, 0, np.zeros((n_totals, *least.shape)), least, most)


def difference_support(left: tuple[float, float], right: tuple[float, float]) -> tuple[float, float]:
    """Where X − Y lies for X in `left` and Y in `right`: the support of the paired form of E[X] <= E[Y].

    A confidence sequence of the differences x − y of pairs drawn together profits from whatever the two share.
    """
    return left[0] - right[1], left[1] - right[0]


def _running(total: Float, increments: Float) -> Float:
    """total + Σ of the increments up to each; added one by one, so that pieces give the very same floats."""
    out = np.concatenate([np.broadcast_to(total[..., None], (*increments.shape[:-1], 1)), increments], axis=-1)
    return np.asarray(np.cumsum(out, axis=-1, out=out))


def _bernstein(totals: Float, x: Float, t: Float, miscoverage: float) -> tuple[Float, Float, Float]:
    """Totals Σx, Σ(x − μ̂)², Σλ, Σλx, Σ(xᵢ − μ̂ᵢ₋₁)²ψ(λᵢ), then centre Σλx/Σλ and radius; x in [0, 1].

    ψ(λ) = −log(1 − λ) − λ. *Differs:* the paper's vᵢψ_E has factors 4 and 1/4, which cancel.
    """
    budget = log(2 / miscoverage)
    sums = _running(totals[0], x)
    mean_before, mean_after = (0.5 + sums[..., :-1]) / t, (0.5 + sums[..., 1:]) / (t + 1)
    squares = _running(totals[1], (x - mean_after) ** 2)
    variance_before = (0.25 + squares[..., :-1]) / t
    bet = np.minimum(_LARGEST_BET, np.sqrt(2 * budget / (variance_before * t * np.log1p(t))))
    bets, weighted = _running(totals[2], bet), _running(totals[3], bet * x)
    spent = _running(totals[4], (x - mean_before) ** 2 * (-np.log1p(-bet) - bet))
    after = np.stack([total[..., 1:] for total in (sums, squares, bets, weighted, spent)])
    return after, after[3] / after[2], (budget + after[4]) / after[2]


def _mixture(totals: Float, x: Float, t: Float, miscoverage: float) -> tuple[Float, Float, Float]:
    """Total Σx; centre Σx/t and radius √((v + r)(2 log(1/miscoverage) + log(1 + v/r)))/t with v = t/4; x in [0, 1]."""
    budget = 2 * log(1 / miscoverage)
    v, r = t / 4, _TIGHTEST_AT / 4 / (budget + log(1 + budget))
    sums = _running(totals[0], x)[..., 1:]
    radius = np.sqrt((v + r) * (budget + np.log1p(v / r))) / t
    return sums[None], sums / t, np.broadcast_to(radius, sums.shape)
