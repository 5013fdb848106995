"""The pieces of fedssa's Theorem A.5: (T₁ + T₂ + T₃ + T₄ + T₅) / (1 − C − 2AC − W_D(1−C)) bounds minₜ E‖∇F‖².

The theorem supposes ηL <= 1/(2τ) and, in its proof, C < 1; it says nothing where the denominator is <= 0. T₁ to T₅ are
squared gradients; W_D, C, A and the denominator have no unit. Scalars may be arrays that broadcast against (*batch,).
"""

from __future__ import annotations

from typing import Any

from theory.base.arrays import Array, namespace

__all__ = [
    "drift_bias_term",
    "drift_constant",
    "drift_noise_term",
    "ssa_denominator",
    "start_term",
    "target_mismatch_term",
    "weight_discrepancy",
    "weighted_noise_term",
]


def weight_discrepancy(weights: Array, share: Array) -> Any:
    """W_D = 2K Σ(pₖ − wₖ)², no unit, K the number of clients. Source: fedssa SSA-D2."""
    xp = namespace(weights, share)
    return 2 * share.shape[-1] * xp.sum((share - weights) ** 2, axis=-1)


def drift_constant(*, n_local_steps: int, local_lr: Array | float, L: Array | float) -> Any:
    """C = 2τ(τ−1)η²L², no unit; 0 for one local step. Source: fedssa Theorem A.5 (SSA-D3); the theorem needs C < 1."""
    return 2 * n_local_steps * (n_local_steps - 1) * local_lr**2 * L**2


def ssa_denominator(*, drift: Array | float, discrepancy: Array | float, A: Array | float) -> Any:
    """1 − C − 2AC − W_D(1−C), no unit; `drift` is C and `discrepancy` W_D. Source: fedssa Theorem A.5 (SSA-D4).

    As printed: the chain of the proof carries A·W_D up to eq. (52), first line, and W_D from its second line on.
    """
    return 1 - drift - 2 * A * drift - discrepancy * (1 - drift)


def start_term(
    *, start_gap: Array | float, drift: Array | float, n_local_steps: int, local_lr: Array | float, n_rounds: int
) -> Any:
    """T₁ = 2(1−C)(F(θ⁰) − F_inf)/(τηT); `start_gap` is F(θ⁰) − F_inf. Source: fedssa Theorem A.5."""
    return 2 * (1 - drift) * start_gap / (n_local_steps * local_lr * n_rounds)


def target_mismatch_term(*, discrepancy: Array | float, drift: Array | float, B: Array | float) -> Any:
    """T₂ = (1−C)·B·W_D; 0 when the weights are the shares. Source: fedssa Theorem A.5, Remark A.6."""
    return (1 - drift) * B * discrepancy


def weighted_noise_term(
    weights: Array, *, drift: Array | float, L: Array | float, local_lr: Array | float, sigma: Array | float
) -> Any:
    """T₃ = 2(1−C)Lησ² Σwₖ²; `weights` (*batch, n_clients). Source: fedssa Theorem A.5; σ² is SSA-A3's trace bound."""
    xp = namespace(weights)
    return 2 * (1 - drift) * L * local_lr * sigma**2 * xp.sum(weights**2, axis=-1)


def drift_noise_term(*, n_local_steps: int, sigma: Array | float, L: Array | float, local_lr: Array | float) -> Any:
    """T₄ = 2(τ−1)σ²L²η². Source: fedssa Theorem A.5."""
    return 2 * (n_local_steps - 1) * sigma**2 * L**2 * local_lr**2


def drift_bias_term(*, drift: Array | float, B: Array | float) -> Any:
    """T₅ = 2BC. Source: fedssa Theorem A.5."""
    return 2 * B * drift
