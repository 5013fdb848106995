"""What is measured along a run, once more in exact arithmetic: lists of numbers, one entry per client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theory.exact.reference.plain import dot

__all__ = ["chi_square", "square_update_diversity", "weight_discrepancy", "weighted_excess", "weighting_skew"]

Number = Any


def weighted_excess(weights: Sequence[Number], losses: Sequence[Number], best: Sequence[Number]) -> Number:
    """Σ aₖ(Fₖ(w) − Fₖ*): Γₜ with the losses at w*, Ωₜ with those at w̄ₜ. Source: exp_alpha EA-D5."""
    return dot(weights, [f - b for f, b in zip(losses, best, strict=True)])


def weighting_skew(
    weights: Sequence[Number], share: Sequence[Number], losses: Sequence[Number], best: Sequence[Number]
) -> Number:
    """ρ(t, w); `ZeroDivisionError` where it is undefined. Source: robust_aggregation eq. (6)."""
    return weighted_excess(weights, losses, best) / weighted_excess(share, losses, best)


def weight_discrepancy(weights: Sequence[Number], share: Sequence[Number]) -> Number:
    """W_D = 2K Σ(pₖ − wₖ)². Source: fedssa SSA-D2."""
    gaps = [p - w for p, w in zip(share, weights, strict=True)]
    return 2 * len(gaps) * dot(gaps, gaps)


def chi_square(weights: Sequence[Number], share: Sequence[Number]) -> Number:
    """Σ(pₖ − aₖ)²/pₖ, all pₖ > 0. Source: fedaware §4.2."""
    gaps = [p - a for p, a in zip(share, weights, strict=True)]
    return dot(gaps, [g / p for g, p in zip(gaps, share, strict=True)])


def square_update_diversity(updates: Sequence[Sequence[Number]]) -> Number:
    """e-LUD²: mean of ‖gₖ‖² over ‖mean of gₖ‖²; `ZeroDivisionError` when the mean vanishes. Source: fedaware §5."""
    n = len(updates)
    total = [sum(column[1:], column[0]) for column in ([u[j] for u in updates] for j in range(len(updates[0])))]
    norms = [dot(u, u) for u in updates]
    return n * sum(norms[1:], norms[0]) / dot(total, total)
