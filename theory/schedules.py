"""Step sizes as arrays: ηₜ for t = 0, 1, …, over all local steps of all rounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["constant_steps", "inverse_steps"]


def constant_steps(eta: float, n_steps: int) -> NDArray[np.float64]:
    """ηₜ = η > 0; shape (n_steps,), units of model per gradient."""
    if not 0 < eta < float("inf"):
        raise ValueError(f"constant_steps(eta={eta}): must be finite and > 0")
    return np.full(n_steps, eta)


def inverse_steps(beta: float, gamma: float, n_steps: int) -> NDArray[np.float64]:
    """ηₜ = β/(γ + t), β > 0, γ > 0; shape (n_steps,).

    Source: exp_alpha EA-D8 with β = 2/μ; robust_aggregation RA-C1 with β = 1/μ, γ = 4L/μ.
    """
    if not (0 < beta < float("inf") and 0 < gamma < float("inf")):
        raise ValueError(f"inverse_steps(beta={beta}, gamma={gamma}): both must be finite and > 0")
    return np.asarray(beta / (gamma + np.arange(n_steps)), dtype=np.float64)
