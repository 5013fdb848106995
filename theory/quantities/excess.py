"""Weighted excess losses: how far the clients are from their own optima, at w* (Γ) and along a run (Ω).

All are in units of loss. Weights and losses are (*batch, n_clients). In row t of a run stand the weights of step t+1,
the losses at w̄ₜ and the losses at w*, as exp_alpha writes them.
"""

from __future__ import annotations

from typing import Any

from theory.base.arrays import Array, namespace

__all__ = [
    "excess_at_model",
    "excess_at_optimum",
    "greatest_excess_at_optimum",
    "heterogeneity",
    "least_excess_at_model",
    "least_proportional_excess",
    "weighted_excess",
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


def excess_at_optimum(weights: Array, loss_at_optimum: Array, loss_best: Array) -> Any:
    """Γₜ = Σ aₖ(Fₖ(w*) − Fₖ*) >= 0, (*batch,).

    Source: exp_alpha A.10, below eq. (19). Equals Γ of robust_aggregation eq. (3) when the weights are the shares.
    """
    return weighted_excess(weights, loss_at_optimum, loss_best)


def greatest_excess_at_optimum(weights: Array, loss_at_optimum: Array, loss_best: Array) -> Any:
    """Γ = maxₜ Γₜ over the rounds on the first axis: (n_rounds, *batch, n_clients) to (*batch,).

    Source: exp_alpha EA-D5, Theorem 1. The horizon is the number of rows given; the paper does not fix it.
    """
    xp = namespace(weights, loss_at_optimum)
    return xp.max(excess_at_optimum(weights, loss_at_optimum, loss_best), axis=0)


def excess_at_model(weights: Array, loss_at_model: Array, loss_best: Array) -> Any:
    """Ωₜ = Σ aₖ(Fₖ(w̄ₜ) − Fₖ*) >= 0, (*batch,).

    Source: exp_alpha Lemma 1 prints Ωₜ without defining it; read here as the summand at t of EA-D5's Ω.
    """
    return weighted_excess(weights, loss_at_model, loss_best)


def least_excess_at_model(weights: Array, loss_at_model: Array, loss_best: Array) -> Any:
    """Ω = minₜ Ωₜ over the rounds on the first axis: (n_rounds, *batch, n_clients) to (*batch,).

    Source: exp_alpha EA-D5, Theorem 1. The horizon is the number of rows given; the paper prints «∀t >= 0».
    """
    xp = namespace(weights, loss_at_model)
    return xp.min(excess_at_model(weights, loss_at_model, loss_best), axis=0)


def least_proportional_excess(share: Array, loss_at_model: Array, loss_best: Array) -> Any:
    """Ω_pr = minₜ Σ pₖ(Fₖ(w̄ₜ) − Fₖ*): Ω with the data shares in place of the weights, (*batch,).

    Source: exp_alpha EA-D5, before Corollary 1.1. `share` is (*batch, n_clients) and serves every round of
    `loss_at_model` (n_rounds, *batch, n_clients), which may come from another rule's run (readings (a) and (b) there).
    """
    return least_excess_at_model(share, loss_at_model, loss_best)
