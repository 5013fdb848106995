"""The pseudo-gradient over replicas of a round: client consensus ρᵗ(λ), variance 𝕍[G] and their dynamics Ψ, Ψ̃.

Updates gᵢ are (*batch, n_clients, dim) in units of the model, weights (*batch, n_clients) broadcast against them.
`replica_axis` names the batch axis of `updates` over which 𝔼 is the mean: replicas of one round from the same model
give the conditional reading of fedaware's 𝔼, replicas of whole runs the unconditional one.
"""

from __future__ import annotations

from typing import Any

from theory.base.arrays import Array, namespace

__all__ = [
    "combined_variance",
    "consensus",
    "consensus_dynamics",
    "forgetting_factor",
    "pseudo_gradient",
    "replica_mean",
    "reweighted_consensus_dynamics",
]


def pseudo_gradient(updates: Array, weights: Array) -> Any:
    """G = Σ λᵢgᵢ, (*batch, dim), in units (and sign) of the updates given. Source: fedaware eq. (1) (FA-E1)."""
    xp = namespace(updates, weights)
    return xp.sum(weights[..., None] * updates, axis=-2)


def replica_mean(values: Array, updates: Array, replica_axis: int, *, n_trailing: int) -> tuple[Any, int]:
    """Mean of `values` (*batch, and `n_trailing` more axes) over the batch axis of `updates` named by `replica_axis`.

    Returns the mean with that axis kept at length 1, and the axis as a negative index into `values`.
    Raises `ValueError` when it is not a batch axis of `updates`.
    """
    n_axes = updates.ndim
    axis = replica_axis - n_axes if replica_axis >= 0 else replica_axis
    if not -n_axes <= axis < -2:
        raise ValueError(
            f"replica_axis={replica_axis}: updates have shape {tuple(updates.shape)};"
            " expected one of the axes before (n_clients, dim)"
        )
    axis += 2 - n_trailing
    return namespace(values).mean(values, axis=axis, keepdims=True), axis


def combined_variance(updates: Array, weights: Array, *, replica_axis: int, unbiased: bool = False) -> Any:
    """𝕍[G] = 𝔼‖G − 𝔼G‖², the trace of the covariance of G = Σ λᵢgᵢ, in squared units of the model, (*batch,).

    Source: fedaware §4.2, A.2 (FA-VAR). The mean over R replicas, so that 𝕍[G] + ρᵗ(λ) = 𝔼‖G‖² holds exactly;
    `unbiased` divides by R − 1 instead. Weights may vary over replicas. The replica axis is gone in the result.
    Raises `ValueError` for a wrong axis, and for `unbiased` with one replica.
    """
    xp = namespace(updates, weights)
    combined = pseudo_gradient(updates, weights)
    mean, axis = replica_mean(combined, updates, replica_axis, n_trailing=1)
    deviation = xp.sum((combined - mean) ** 2, axis=-1)
    total = xp.sum(deviation, axis=axis + 1)
    return total / _divisor(int(combined.shape[axis]), unbiased)


def consensus(updates: Array, weights: Array, *, replica_axis: int, unbiased: bool = False) -> Any:
    """ρᵗ(λ) = ‖𝔼[Σ λᵢgᵢ]‖², in squared units of the model, (*batch,).

    Source: fedaware Property 4.1 (FA-PR4.1). The squared norm of a mean of R replicas exceeds ρ by 𝕍[G]/R on average;
    `unbiased` takes that off (the estimate can then be negative), and 𝕍 + ρ is 𝔼‖G‖² in both forms.
    The replica axis is gone in the result. Raises as `combined_variance`.
    """
    xp = namespace(updates, weights)
    combined = pseudo_gradient(updates, weights)
    mean, axis = replica_mean(combined, updates, replica_axis, n_trailing=1)
    plain = xp.squeeze(xp.sum(mean**2, axis=-1), axis=axis + 1)
    if not unbiased:
        return plain
    variance = combined_variance(updates, weights, replica_axis=replica_axis, unbiased=True)
    return plain - variance / int(combined.shape[axis])


def _divisor(n_replicas: int, unbiased: bool) -> int:
    if unbiased and n_replicas < 2:
        raise ValueError(f"unbiased=True: {n_replicas} replica; expected at least 2, or unbiased=False")
    return n_replicas - 1 if unbiased else n_replicas


def consensus_dynamics(rho: Array, *, local_lr: float, n_local_steps: int) -> Any:
    """Ψ = (1/T) Σₜ ρᵗ(λ)/(η_l²K), in squared units of a gradient, over the rounds on the first axis of `rho`.

    Source: fedaware Theorem 4.2 (FA-T4.2), where the sum runs over t = 0, …, T−1. `rho` (n_rounds, *batch).
    """
    return namespace(rho).mean(rho, axis=0) / (local_lr**2 * n_local_steps)


def reweighted_consensus_dynamics(chi_square: Array, rho: Array, *, local_lr: float, n_local_steps: int) -> Any:
    """Ψ̃ = (1/T) Σₜ χ²ₜ·ρᵗ(λ̃)/(η_l²K), in squared units of a gradient, over the rounds on the first axis.

    Source: fedaware Corollary 4.1 (FA-C4.1); `rho` is ρᵗ(λ̃) of the weights applied, `chi_square` theirs to the shares,
    both (n_rounds, *batch). As printed: with λ̃ = λ it is 0 and not Ψ.
    """
    return consensus_dynamics(chi_square * rho, local_lr=local_lr, n_local_steps=n_local_steps)


def forgetting_factor(participation: Array, *, alpha: float) -> Any:
    """βᵢ = (1 − αpᵢ)², no unit, the factor on the old error of the moving average; (*batch, n_clients).

    Source: fedaware A.4 (SREC.5). `participation` pᵢ = Prob(i ∈ Sᵗ) in [0, 1], `alpha` the coefficient of eq. (3).
    Raises `ValueError` unless 0 <= alpha <= 1.
    """
    if not 0 <= alpha <= 1:
        raise ValueError(f"forgetting_factor(alpha={alpha}): expected a coefficient of a moving average in [0, 1]")
    return (1 - alpha * participation) ** 2
