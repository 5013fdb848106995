"""Step sizes as arrays: ηₜ for t = 0, 1, …, over all local steps of all rounds; units of model per gradient."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "constant_steps",
    "efl_steps",
    "geometric_steps",
    "inverse_steps",
    "proof_gamma",
    "tuned_step",
    "vanishing_steps",
]

Float = NDArray[np.float64]


def _positive(call: str, **values: float) -> None:
    for name, value in values.items():
        if not 0 < value < float("inf"):
            raise ValueError(f"{call}({name}={value}): must be finite and > 0")


def constant_steps(eta: float, n_steps: int) -> Float:
    """ηₜ = η > 0; shape (n_steps,)."""
    _positive("constant_steps", eta=eta)
    return np.full(n_steps, eta)


def inverse_steps(beta: float, gamma: float, n_steps: int) -> Float:
    """ηₜ = β/(γ + t), β > 0, γ > 0; shape (n_steps,).

    Source: exp_alpha EA-D8 with β = 2/μ (γ = L/μ in the theorem, `proof_gamma` in A.9); robust_aggregation RA-C1 with
    β = 1/μ, γ = 4L/μ.
    """
    _positive("inverse_steps", beta=beta, gamma=gamma)
    return np.asarray(beta / (gamma + np.arange(n_steps)), dtype=np.float64)


def proof_gamma(kappa: float, n_local_steps: int) -> float:
    """γ = max{8κ, E} − 1, κ = L/μ >= 1. Source: exp_alpha A.9 (EA-D8)."""
    if kappa < 1 or n_local_steps < 1:
        raise ValueError(f"proof_gamma(kappa={kappa}, n_local_steps={n_local_steps}): both must be >= 1")
    return max(8 * kappa, float(n_local_steps)) - 1


def efl_steps(mu: float, gamma: float, n_local_steps: int, mean_weighted_steps: Float, n_rounds: int) -> Float:
    """η_τ = 16E/(μ((τ+1)E + γ) E[Σₖ p_τᵏ s_τᵏ]), constant within round τ; shape (n_rounds·n_local_steps,).

    Source: efl EFL-ALG4. `mean_weighted_steps`: E[Σ p s] of each round (n_rounds,) or one number, > 0.
    """
    _positive("efl_steps", mu=mu)
    mean = np.broadcast_to(np.asarray(mean_weighted_steps, dtype=np.float64), (n_rounds,))
    if not np.all((mean > 0) & np.isfinite(mean)) or gamma < 0:
        raise ValueError(f"efl_steps(gamma={gamma}, mean_weighted_steps={mean.min()}): must be >= 0 and > 0")
    rounds = np.arange(n_rounds)
    return np.repeat(16 * n_local_steps / (mu * ((rounds + 1) * n_local_steps + gamma) * mean), n_local_steps)


def vanishing_steps(n_local_steps: int, n_rounds: int) -> Float:
    """ηₜ = 1/√(τT), τ local steps and T rounds, constant. Source: fedssa Corollary A.8."""
    if n_local_steps < 1 or n_rounds < 1:
        raise ValueError(f"vanishing_steps(n_local_steps={n_local_steps}, n_rounds={n_rounds}): both must be >= 1")
    return np.full(n_local_steps * n_rounds, 1 / np.sqrt(n_local_steps * n_rounds))


def geometric_steps(first: float, ratio: float, n_local_steps: int, n_rounds: int) -> Float:
    """η = first·ratioʳ in round r; robust_aggregation §4.4 uses 10⁻³·0.99ʳ; shape (n_rounds·n_local_steps,)."""
    _positive("geometric_steps", first=first, ratio=ratio)
    return np.repeat(first * ratio ** np.arange(n_rounds), n_local_steps)


def tuned_step(r0: float, b: float, e: float, d: float, n_rounds: int) -> float:
    """The step that balances r₀/(ηT) + bη + eη² below 1/d: min{√(r₀/(bT)), (r₀/(eT))^⅓, 1/d}.

    Source: fedaware Lemma A.2 (FA-LA2). r₀ >= 0 and b, e, d >= 0 with d > 0; a term with b = 0 or e = 0 drops out.
    """
    if min(r0, b, e) < 0 or not d > 0 or n_rounds < 1:
        raise ValueError(f"tuned_step(r0={r0}, b={b}, e={e}, d={d}, n_rounds={n_rounds}): expected >= 0, d > 0, T >= 1")
    choices = [1 / d]
    if b > 0:
        choices.append(float(np.sqrt(r0 / (b * n_rounds))))
    if e > 0:
        choices.append(float((r0 / (e * n_rounds)) ** (1 / 3)))
    return min(choices)
