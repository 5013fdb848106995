"""FedAdam: Adam on the server, the combined update in place of a gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.server import Received, Server
from theory.algorithms.servers.moments import check_adaptive, first_moment, second_moment
from theory.base.arrays import namespace

__all__ = ["ENTRY", "FedAdam"]


@dataclass(frozen=True)
class FedAdam(Server):
    """m ← β₁m + (1 − β₁)d, v ← β₂v + (1 − β₂)d², d̃ = m/(√v + τ).

    Source: Reddi et al. 2021, Algorithm 2 (FedAdam): m₋₁ = 0, v₋₁ = τ², no correction of the bias. With
    `bias_correction` as in Kingma and Ba 2015: v₋₁ = 0, and m, v are divided by 1 − βᵗ. `lr` η_g > 0, β₁ and β₂ in
    [0, 1), `tau` τ > 0 in units of the model. State: {"first", "second", "rounds"}. *Open* in exp_alpha, which runs it
    as a backbone (A.1, Table 4): β₁, β₂, τ and η_g.
    """

    lr: float = 0.01
    beta1: float = 0.9
    beta2: float = 0.99
    tau: float = 1e-3
    bias_correction: bool = False

    def __post_init__(self) -> None:
        check_adaptive("FedAdam", self.lr, self.beta1, self.beta2, tau=self.tau)

    def step(self, state: Any, received: Received) -> tuple[Any, Any]:
        """The new moments, and m/(√v + τ)."""
        held = state or {"first": None, "second": None, "rounds": 0}
        d, rounds = received.direction, held["rounds"] + 1
        first = first_moment(held["first"], d, self.beta1)
        second = second_moment(held["second"], d, self.beta2, 0.0 if self.bias_correction else self.tau**2)
        new = {"first": first, "second": second, "rounds": rounds}
        if self.bias_correction:
            first, second = first / (1 - self.beta1**rounds), second / (1 - self.beta2**rounds)
        return new, first / (namespace(d).sqrt(second) + self.tau)


ENTRY = AlgorithmEntry(
    "fed-adam",
    "server",
    FedAdam,
    "Reddi et al. 2021, Algorithm 2",
    "m ← β₁m + (1−β₁)d; v ← β₂v + (1−β₂)d²; d̃ = m/(√v + τ)",
)
