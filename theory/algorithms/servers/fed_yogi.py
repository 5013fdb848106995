"""FedYogi: Yogi on the server, whose second moment changes by no more than d² at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.server import Received, Server
from theory.algorithms.servers.moments import check_adaptive, first_moment
from theory.base.arrays import namespace

__all__ = ["ENTRY", "FedYogi"]


@dataclass(frozen=True)
class FedYogi(Server):
    """m ← β₁m + (1 − β₁)d, v ← v − (1 − β₂)d²·sign(v − d²), d̃ = m/(√v + τ).

    Source: Reddi et al. 2021, Algorithm 2 (FedYogi): m₋₁ = 0, v₋₁ = τ². `lr` η_g > 0, β₁ and β₂ in [0, 1), `tau` τ > 0
    in units of the model. State: {"first", "second"}. fedaware B.1: β₁ = 0.9, β₂ = 0.99, τ = 1e-4, and η_g of {1e-3,
    10^-2.5, 1e-2, …, 10}, *open* which.
    """

    lr: float = 0.01
    beta1: float = 0.9
    beta2: float = 0.99
    tau: float = 1e-3

    def __post_init__(self) -> None:
        check_adaptive("FedYogi", self.lr, self.beta1, self.beta2, tau=self.tau)

    def step(self, state: Any, received: Received) -> tuple[Any, Any]:
        """The new moments, and m/(√v + τ)."""
        d = received.direction
        xp = namespace(d)
        held = state or {"first": None, "second": xp.full_like(d, self.tau**2)}
        first, old = first_moment(held["first"], d, self.beta1), held["second"]
        second = old - (1 - self.beta2) * d**2 * xp.sign(old - d**2)
        return {"first": first, "second": second}, first / (xp.sqrt(second) + self.tau)


ENTRY = AlgorithmEntry(
    "fed-yogi",
    "server",
    FedYogi,
    "Reddi et al. 2021, Algorithm 2",
    "v ← v − (1−β₂)d²·sign(v − d²); d̃ = m/(√v + τ)",
)
