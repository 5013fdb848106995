"""The one softmax every exponential rule uses: factor·exp(score/scale) over the clients present."""

from __future__ import annotations

from typing import Any

from theory.base.arrays import Array, namespace
from theory.rules.stats import RoundStats

__all__ = ["softmax_over_present"]


def softmax_over_present(factor: Array, score: Array, stats: RoundStats, *, scale: float, by: str) -> Any:
    """aₖ ∝ factorₖ·exp(scoreₖ/scale) over the clients present, exactly 0 elsewhere; shapes (*batch, n_clients).

    Scores of clients present are finite; those whose difference would not be are given smaller, with their scale.

    A client with factor 0 gets 0 and does not set the scale. Raises `ValueError` naming the rule `by` when the factors
    of all clients present are 0.
    """
    xp = namespace(factor, score)
    counted = stats.present & (factor > 0)
    if not bool(xp.all(xp.any(counted, axis=-1))):
        raise ValueError(
            f"{by}: the factors of all clients present are 0 (data shares?); expected one > 0 in every cohort"
        )
    score = xp.where(counted, score, xp.full_like(score, -xp.inf))
    # Softmax ignores a common shift: taking off the largest score, before dividing, keeps everything from overflowing.
    below = score / 2 - xp.max(score, axis=-1, keepdims=True) / 2  # halves, so that no difference overflows
    scale = scale / 2
    below = xp.where(below < -800 * scale, xp.full_like(below, -800 * scale), below)  # e^{−800} is 0 already
    weights = factor * xp.exp(below / scale)
    return weights / xp.sum(weights, axis=-1, keepdims=True)
