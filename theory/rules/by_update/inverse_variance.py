"""Inverse variance: the weights whose combination of independent noisy updates has the least variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.base.arrays import Array, namespace
from theory.base.checks import check_number
from theory.rules.entry import RuleEntry
from theory.rules.protocol import normalised
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "InverseVariance", "variances"]


@dataclass(frozen=True)
class InverseVariance:
    """aₖ ∝ 1/vₖ, the minimiser of Σ aₖ² vₖ on the simplex, vₖ the variance of client k's stochastic gradient.

    Source: no paper names it; it minimises the noise term Σ ρᵢ²σᵢ² of B̄ in exp_alpha, Theorem 1 (EA-D6).
    `signal`: the name of the signal that holds vₖ >= 0, (*batch, n_clients), squared units of the gradient.
    `floor` >= 0: variances below it count as it; with floor = 0 a variance of 0 raises `ValueError`, as do negative
    and non-finite ones of a client present.
    """

    signal: str = "gradient_variance"
    floor: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.signal, str):
            raise ValueError(f"InverseVariance(signal={self.signal!r}): expected the name of a signal")
        check_number("InverseVariance", "floor", self.floor, closed=True)

    @property
    def needs(self) -> tuple[str, ...]:
        """The signal."""
        return (self.signal,)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        variance = variances(stats, self.signal, "InverseVariance")
        xp = namespace(variance, stats.share)
        variance = xp.where(stats.present, variance, xp.ones_like(variance))
        variance = xp.where(variance < self.floor, xp.full_like(variance, self.floor), variance)
        if not bool(xp.all(variance > 0)):
            raise ValueError(
                f"InverseVariance(signal={self.signal!r}): a client present has variance 0, so its weight would be"
                " infinite; set floor > 0"
            )
        # Relative to the least variance of the cohort, so that no inverse overflows.
        there = xp.where(stats.present, variance, xp.full_like(variance, xp.inf))
        relative = xp.min(there, axis=-1, keepdims=True) / there
        weights: Array = normalised(relative, "InverseVariance")
        return weights


def variances(stats: RoundStats, signal: str, by: str) -> Any:
    """The signal that holds vₖ, (*batch, n_clients), 0 for absent clients.

    Raises `ValueError` naming the rule `by` where the round lacks it, and for another shape, a negative or non-finite
    value of a client present.
    """
    variance = stats.need(signal, by)
    if tuple(variance.shape) != tuple(stats.share.shape):
        raise ValueError(
            f"{by}(signal={signal!r}): shape {tuple(variance.shape)}; expected {tuple(stats.share.shape)}, as share"
        )
    xp = namespace(variance, stats.share)
    variance = xp.where(stats.present, variance, xp.zeros_like(variance))
    if not bool(xp.all(xp.isfinite(variance) & (variance >= 0))):
        raise ValueError(
            f"{by}(signal={signal!r}): values from {float(xp.min(variance)):g} to {float(xp.max(variance)):g};"
            " expected finite variances >= 0"
        )
    return variance


ENTRY = RuleEntry("inverse-variance", InverseVariance, "exp_alpha", "EA-D6, noise term", "∝ 1/vₖ")
