"""EFL's irregular clients: when to abandon an inactive one, and the step sizes after the objective has changed."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

__all__ = ["Abandonment", "abandonment", "restarted_steps"]


@dataclass(frozen=True)
class Abandonment:
    """Corollary 1's two sides for one client: `kept` = yᵃJ, the bound's limit with it, `left` = f₁(T) without it."""

    kept: float
    left: float

    @property
    def abandon(self) -> bool:
        """Whether the client should be abandoned: yᵃJ > f₁(T)."""
        return self.kept > self.left


def abandonment(
    inactive_prob: float, J: float, C: float, gamma: float, *, n_local_steps: int, n_rounds: int, at_round: int
) -> Abandonment:
    """yᵃJ against f₁(T) = C/(E(T − τ₀) + γ)², for a client that is inactive with probability yᵃ in every round.

    Source: efl Corollary 1, eq. (8) (EFL-C1a); J, C = C̃_T and γ = γ̃ of Theorem 1, which knows neither how much noise
    nor how much skew the others have: they are the caller's. T = `n_rounds`, τ₀ = `at_round`, E = `n_local_steps`.
    Raises `ValueError` unless 0 < yᵃ < 1, J >= 0, C >= 0, γ > 0 and τ₀ <= T.
    """
    if not 0 < inactive_prob < 1 or not all(isfinite(x) and x >= 0 for x in (J, C)) or not 0 < gamma < float("inf"):
        raise ValueError(
            f"abandonment(inactive_prob={inactive_prob}, J={J}, C={C}, gamma={gamma}): expected 0 < yᵃ < 1, J and C"
            " >= 0, γ > 0"
        )
    if n_local_steps < 1 or not 0 <= at_round <= n_rounds:
        raise ValueError(
            f"abandonment(n_local_steps={n_local_steps}, n_rounds={n_rounds}, at_round={at_round}): expected E >= 1 and"
            " 0 <= τ₀ <= T"
        )
    return Abandonment(inactive_prob * J, C / (n_local_steps * (n_rounds - at_round) + gamma) ** 2)


def restarted_steps(
    step_sizes: NDArray[np.float64], at_round: int, n_local_steps: int, *, restart: bool = True
) -> NDArray[np.float64]:
    """ηₜ as they are, or from `at_round` on anew from the first, as efl asks for when a client arrives.

    Source: efl §4.4, «equivalent to initiating a fresh start after the shift» (EFL-ALG3). `step_sizes` (n_steps, …),
    E = `n_local_steps` of them a round. Raises `ValueError` when the run has no such round.
    """
    at = at_round * n_local_steps
    if n_local_steps < 1 or not 0 <= at <= step_sizes.shape[0]:
        raise ValueError(
            f"restarted_steps(at_round={at_round}, n_local_steps={n_local_steps}): {step_sizes.shape[0]} step sizes"
            " have no such round"
        )
    return np.concatenate([step_sizes[:at], step_sizes[: step_sizes.shape[0] - at]]) if restart else step_sizes
