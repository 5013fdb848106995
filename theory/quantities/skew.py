"""The weighting skew ρ and what Corollary 1 of robust_aggregation builds on it: speed V, error E and the ratio κ.

ρ, κ, π and Π have no unit. Weights, shares and losses are (*batch, n_clients).
"""

from __future__ import annotations

from typing import Any

from theory.base.arrays import Array, namespace
from theory.quantities.excess import weighted_excess
from theory.quantities.quotient import quotient

__all__ = [
    "error_term",
    "greatest_skew_at_optimum",
    "least_skew",
    "share_ratio",
    "share_ratio_extremes",
    "share_ratio_range",
    "speed_floor",
    "speed_term",
    "weighting_skew",
]


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


def least_skew(weights: Array, share: Array, loss_at_model: Array, loss_best: Array) -> Any:
    """ρ̄ = minₜ ρ(t, wₜ) over the rounds on the first axis: (n_rounds, *batch, n_clients) to (*batch,).

    Source: robust_aggregation eq. (7); rows are the aggregation steps t = 0 mod E, `loss_at_model` the losses at wₜ.
    NaN where a single round's skew is undefined (Remark 2).
    """
    xp = namespace(weights, loss_at_model)
    return xp.min(weighting_skew(weights, share, loss_at_model, loss_best), axis=0)


def greatest_skew_at_optimum(weights: Array, share: Array, loss_at_optimum: Array, loss_best: Array) -> Any:
    """ρ̃ = maxₜ ρ(t, w*) over the rounds on the first axis: (n_rounds, *batch, n_clients) to (*batch,).

    Source: robust_aggregation eq. (7). NaN where Γ = 0, since the denominator of ρ(t, w*) is Γ.
    """
    xp = namespace(weights, loss_at_optimum)
    return xp.max(weighting_skew(weights, share, loss_at_optimum, loss_best), axis=0)


def share_ratio(weights: Array, share: Array) -> Any:
    """κₖ = aₖ / pₖ, so that aₖ = κₖpₖ; (*batch, n_clients).

    Source: robust_aggregation §2.5.2 (RA-D9). Infinite where only pₖ is 0; NaN where aₖ = pₖ = 0, since any κ serves.
    """
    return quotient(weights, share)


def share_ratio_range(weights: Array, share: Array) -> tuple[Any, Any]:
    """(πₜ, Πₜ) = (minₖ κₖ, maxₖ κₖ) of each round, each (*batch,); clients with aₖ = pₖ = 0 are left out.

    Source: robust_aggregation §2.5.2 (RA-D9). πₜ <= 1 <= Πₜ for weights and shares on the simplex.
    """
    xp = namespace(weights, share)
    ratio = share_ratio(weights, share)
    free = xp.isnan(ratio)
    low = xp.min(xp.where(free, xp.full_like(ratio, xp.inf), ratio), axis=-1)
    high = xp.max(xp.where(free, xp.full_like(ratio, -xp.inf), ratio), axis=-1)
    return low, high


def share_ratio_extremes(weights: Array, share: Array) -> tuple[Any, Any]:
    """(π, Π) = (minₜ πₜ, maxₜ Πₜ) over the rounds on the first axis, each (*batch,).

    Source: robust_aggregation §2.5.2 (RA-D9), where the second maximum is printed maxₜ Πᵗ.
    """
    xp = namespace(weights, share)
    low, high = share_ratio_range(weights, share)
    return xp.min(low, axis=0), xp.max(high, axis=0)


def speed_floor(
    *, L: Array | float, mu: Array | float, heterogeneity: Array | float, start_squared_distance: Array | float
) -> Any:
    """V_min = 8L²Γ/μ² + Lγ‖w⁰ − w*‖²/2 with γ = 4L/μ, in units of loss: the part of V no weighting can lower.

    Source: robust_aggregation Remark 5 (RA-D8), γ of Corollary 1. `heterogeneity` is Γ, `start_squared_distance`
    ‖w⁰ − w*‖². Needs L >= mu > 0.
    """
    smoothness: Any = L
    offset = 4 * smoothness / mu
    return 8 * smoothness**2 * heterogeneity / mu**2 + smoothness * offset * start_squared_distance / 2


def speed_term(
    skew: Array,
    *,
    L: Array | float,
    mu: Array | float,
    G: Array | float,
    sigma: Array | float,
    n_local_steps: int,
    heterogeneity: Array | float,
    start_squared_distance: Array | float,
) -> Any:
    """V(ρ̄, ρ̃) = 4L(32τ²G² + σ²)/(3μ²ρ̄) + V_min, in units of loss; it does not depend on ρ̃. `skew` is ρ̄, (*batch,).

    Source: robust_aggregation Corollary 1 (RA-C1). τ is not introduced in the paper; it stands where Theorem 1 has E
    and is read as `n_local_steps`. NaN where ρ̄ <= 0 or undefined: the corollary then says nothing.
    """
    xp = namespace(skew)
    valid = skew > 0
    noise = 4 * L * (32 * n_local_steps**2 * G**2 + sigma**2) / (3 * mu**2)
    floor = speed_floor(L=L, mu=mu, heterogeneity=heterogeneity, start_squared_distance=start_squared_distance)
    speed = noise / xp.where(valid, skew, xp.ones_like(skew)) + floor
    return xp.where(valid, speed, xp.full_like(speed, xp.nan))


def error_term(
    skew: Array, skew_at_optimum: Array, *, L: Array | float, mu: Array | float, heterogeneity: Array | float
) -> Any:
    """E(ρ̄, ρ̃) = (8LΓ/3μ)(ρ̃/ρ̄ − 1), in units of loss. `skew` is ρ̄ and `skew_at_optimum` ρ̃, each (*batch,).

    Source: robust_aggregation Corollary 1, eq. (9). Negative where ρ̃ < ρ̄, as printed. NaN where ρ̄ <= 0 or undefined;
    where Γ = 0, ρ̃ is NaN and so is this, although the paper then reads E as 0 (§2.5.1).
    """
    xp = namespace(skew, skew_at_optimum)
    valid = skew > 0
    error = 8 * L * heterogeneity / (3 * mu) * (skew_at_optimum / xp.where(valid, skew, xp.ones_like(skew)) - 1)
    return xp.where(valid, error, xp.full_like(error, xp.nan))
