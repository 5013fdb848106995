"""Momentum of local SGD, whose velocity begins at 0 in every round, and what it makes of a number of steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.base.arrays import Array

__all__ = ["Momentum"]


@dataclass(frozen=True)
class Momentum:
    """vₛ = β·vₛ₋₁ + gₛ with v₀ = 0; a step goes along vₛ, with Nesterov's along gₛ + β·vₛ.

    Source: Polyak 1964 and Sutskever et al. 2013 in the form of torch.optim.SGD with dampening 0; FedNova (Wang et al.
    2020, §3) for `coefficients`. `beta` in [0, 1): 0 is plain SGD. No velocity outlives a round.
    Raises `ValueError` for another `beta`, and for Nesterov's momentum without any.
    """

    beta: float = 0.0
    nesterov: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.beta, bool) or not isinstance(self.beta, int | float) or not 0 <= self.beta < 1:
            raise ValueError(f"Momentum(beta={self.beta!r}): must be a number in [0, 1); 0 is none")
        if self.nesterov and self.beta == 0:
            raise ValueError("Momentum(beta=0, nesterov=True): Nesterov's needs some momentum; expected beta > 0")

    def along(self, velocity: Any | None, gradient: Array) -> tuple[Any | None, Any]:
        """(vₛ, direction of the step) from vₛ₋₁, None before the first step, and gₛ; neither is changed."""
        if self.beta == 0:
            return None, gradient
        velocity = gradient if velocity is None else self.beta * velocity + gradient
        return velocity, gradient + self.beta * velocity if self.nesterov else velocity

    def coefficients(self, n_steps: int) -> NDArray[np.float64]:
        """a with wₖ − w = −η Σ aₛgₛ over s = 1 … n_steps steps of one rate, (n_steps,); all 1 without momentum."""
        heavy = np.cumsum(float(self.beta) ** np.arange(n_steps))[::-1]
        return 1.0 + self.beta * heavy if self.nesterov else heavy

    def effective_steps(self, n_steps: ArrayLike) -> NDArray[np.float64]:
        """τ = ‖a‖₁ of each count of steps, of its shape: how many plain steps it is worth. Source: FedNova, eq. (3)."""
        counts = np.asarray(n_steps, dtype=np.int64)
        if self.beta == 0:
            return counts.astype(np.float64)
        by_count = [float(np.sum(self.coefficients(n))) for n in range(int(counts.max(initial=0)) + 1)]
        return np.asarray(by_count)[counts]
