"""What the papers measure along a run: each a pure function with its source equation.

Losses, weights and shares are (*batch, n_clients); a leading round axis is just one more batch axis.
"""

from __future__ import annotations

from typing import Any

from theory.arrays import Array, namespace

__all__ = [
    "chi_square",
    "heterogeneity",
    "update_diversity",
    "weight_discrepancy",
    "weighted_excess",
    "weighting_skew",
]


def weighted_excess(weights: Array, loss: Array, loss_best: Array) -> Any:
    """Σ aₖ(Fₖ(w) − Fₖ*), units of loss, (*batch,).

    Source: exp_alpha EA-D5: with the losses at w* and the weights of step t+1 it is Γₜ, with those at w̄ₜ it is Ωₜ;
    Γ = maxₜ Γₜ and Ω = minₜ Ωₜ.
    """
    xp = namespace(weights, loss)
    return xp.sum(weights * (loss - loss_best), axis=-1)


def heterogeneity(share: Array, loss_at_optimum: Array, loss_best: Array) -> Any:
    """Γ = F* − Σpₖ Fₖ* >= 0, units of loss. Source: robust_aggregation eq. (3)."""
    return weighted_excess(share, loss_at_optimum, loss_best)


def weighting_skew(weights: Array, share: Array, loss: Array, loss_best: Array) -> Any:
    """ρ(t, w) = Σaₖ(Fₖ(w)−Fₖ*) / (F(w) − ΣpₖFₖ*), no unit; NaN where the denominator is 0 (Remark 2).

    Source: robust_aggregation eq. (6); ρ̄ is its minimum over rounds at the broadcast models, ρ̃ its maximum at w*
    (eq. 7).
    """
    xp = namespace(weights, loss)
    above = weighted_excess(weights, loss, loss_best)
    below = weighted_excess(share, loss, loss_best)
    defined = below > 0
    return xp.where(defined, above / xp.where(defined, below, xp.ones_like(below)), xp.full_like(above, xp.nan))


def weight_discrepancy(weights: Array, share: Array) -> Any:
    """W_D = 2K Σ(pₖ − wₖ)², no unit, K the number of clients. Source: fedssa SSA-D2."""
    xp = namespace(weights, share)
    return 2 * weights.shape[-1] * xp.sum((share - weights) ** 2, axis=-1)


def chi_square(weights: Array, share: Array) -> Any:
    """χ²(λ‖λ̃) = Σ(λᵢ − λ̃ᵢ)²/λᵢ with λ the shares and λ̃ the weights, no unit.

    Source: fedaware §4.2 (FA-CHI). A client with share 0 counts 0 if its weight is 0 too, else the value is infinite.
    """
    xp = namespace(weights, share)
    positive = share > 0
    safe = xp.where(positive, share, xp.ones_like(share))
    term = (share - weights) ** 2 / safe
    outside = xp.where(weights > 0, xp.full_like(term, xp.inf), xp.zeros_like(term))
    return xp.sum(xp.where(positive, term, outside), axis=-1)


def update_diversity(gram: Array, present: Array) -> Any:
    """e-LUD δ̃ = √(mean over the cohort of ‖gᵢ‖² / ‖mean over the cohort of gᵢ‖²), no unit, >= 1.

    Source: fedaware §5 (FA-D4.1e). `gram` (*batch, n_clients, n_clients) of this round's updates; infinite where the
    mean update vanishes, NaN where all updates do.
    """
    xp = namespace(gram, present)
    here = xp.astype(present, gram.dtype)
    size = xp.sum(here, axis=-1)
    mean_square = xp.sum(xp.linalg.diagonal(gram) * here, axis=-1) / size
    square_mean = xp.sum(gram * here[..., :, None] * here[..., None, :], axis=(-2, -1)) / size**2
    safe = xp.where(square_mean > 0, square_mean, xp.ones_like(square_mean))
    limit = xp.where(mean_square > 0, xp.full_like(mean_square, xp.inf), xp.full_like(mean_square, xp.nan))
    return xp.where(square_mean > 0, xp.sqrt(mean_square / safe), limit)
