"""What Theorem 1 of efl charges for partial participation: D_k, r_τ, H_τ, J, y_τ and θ.

A «participation product» is pₖsₖ, the aggregation coefficient times the local steps client k finished; its expectation
over the participation law is an input here. Arrays are (*batch, n_clients).
"""

from __future__ import annotations

from typing import Any

from theory.base.arrays import Array, namespace, simplex_tolerance
from theory.quantities.skew import share_ratio

__all__ = ["any_inactive", "bias_ceiling", "biased_round", "biased_round_count", "coefficient_bound", "noniid_gap"]


def noniid_gap(loss_at_optimum: Array, loss_best: Array) -> Any:
    """Dₖ = F̃ₖ(ω*) − F̃ₖ* >= 0, units of loss, (*batch, n_clients).

    Source: efl §3.1 (EFL-DEF1), F̃ₖ with the elastic term and ω* the minimiser of Σpₖ F̃ₖ; their mean D = Σpₖ Dₖ is
    `heterogeneity`. With the minimiser of a shifted objective it is D̂ₖ (EFL-DEF4).
    """
    return loss_at_optimum - loss_best


def biased_round(expected_product: Array, share: Array, *, tolerance: float | None = None) -> Any:
    """r_τ = 1 unless E[pₖsₖ] = c·pₖ for all k with one c; booleans, (*batch,).

    Source: efl A.2.1 (EFL-DEF3). `expected_product` is E[pₖsₖ] >= 0. The only candidate is c = ΣE[pₖsₖ], as shares sum
    to 1; deviations up to `tolerance`·c (default: rounding of a sum of n) count as none. False where all products are
    0 (c = 0), which efl's assumption of a nonzero sum (EFL-A6) excludes.
    """
    xp = namespace(expected_product, share)
    allowed = simplex_tolerance(share) if tolerance is None else tolerance
    scale = xp.sum(expected_product, axis=-1)
    off = xp.max(xp.abs(expected_product - scale[..., None] * share), axis=-1)
    return off > allowed * scale


def biased_round_count(biased: Array) -> Any:
    """H_τ = Σ_{t<τ} rₜ for τ = 0, …, n_rounds: H₀ = 0, H_{τ+1} = H_τ + r_τ; integers, (n_rounds + 1, *batch).

    Source: efl eq. (7) prints H_τ without a definition; this is the one its induction closes with (EFL-T1-R).
    `biased` has the rounds on the first axis.
    """
    xp = namespace(biased)
    return xp.cumulative_sum(xp.astype(biased, xp.int64), axis=0, include_initial=True)


def bias_ceiling(expected_product: Array, gap: Array, *, mu: Array | float, n_local_steps: int) -> Any:
    """J = max_τ 32E·ΣE[pₖsₖ]Dₖ / (μ·ΣE[pₖsₖ]) over the rounds on the first axis, in squared units of the model.

    Source: efl eq. (7) prints J without a definition; this is the one its induction closes with (EFL-T1-R).
    `expected_product` (n_rounds, *batch, n_clients), `gap` Dₖ broadcasts against it, E is `n_local_steps`.
    NaN where some round's products are all 0.
    """
    xp = namespace(expected_product, gap)
    total = xp.sum(expected_product, axis=-1)
    defined = total > 0
    mean_gap = xp.sum(expected_product * gap, axis=-1) / xp.where(defined, total, xp.ones_like(total))
    charge = 32 * n_local_steps * xp.where(defined, mean_gap, xp.full_like(mean_gap, xp.nan)) / mu
    return xp.max(charge, axis=0)


def any_inactive(n_done: Array, selected: Array | None = None) -> Any:
    """y_τ = 1 when some client finished no local step (sₖ = 0); booleans, (*batch,).

    Source: efl §4.1 (y_t «indicates if there are inactive clients in the t-th round»), §3.1 (EFL-DEF2).
    `n_done` sₖ; `selected`: booleans, the clients that were asked; without it, all of them.
    """
    xp = namespace(n_done)
    idle = n_done <= 0
    return xp.any(idle if selected is None else idle & selected, axis=-1)


def coefficient_bound(coefficients: Array, share: Array) -> Any:
    """θ = max over rounds and clients of pₖ^τ/pₖ, no unit: (n_rounds, *batch, n_clients) to (*batch,).

    Source: efl Assumption 5 (EFL-A5), printed strictly, pₖ^τ < θpₖ: every larger number is admissible, this one only
    with <=. Infinite where a client without data has a coefficient; one with neither is left out.
    """
    xp = namespace(coefficients, share)
    ratio = share_ratio(coefficients, share)
    ratio = xp.where(xp.isnan(ratio), xp.zeros_like(ratio), ratio)
    return xp.max(xp.max(ratio, axis=-1), axis=0)
