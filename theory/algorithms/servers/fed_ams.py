"""FedAMS: adaptive server steps whose second moment never falls, nor below ε."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.server import Received, Server
from theory.algorithms.servers.moments import check_adaptive, first_moment, second_moment
from theory.base.arrays import namespace

__all__ = ["ENTRY", "FedAMS"]


@dataclass(frozen=True)
class FedAMS(Server):
    """m ← β₁m + (1 − β₁)d, v ← β₂v + (1 − β₂)d², v̂ ← max(v̂, v, ε), d̃ = m/√v̂.

    Source: Wang, Lin and Chen 2022 (FedAMS), Algorithm 1, max stabilisation; m, v and v̂ are 0 at first. `lr` η_g > 0,
    β₁ and β₂ in [0, 1), `epsilon` ε > 0 in squared units of the model. State: {"first", "second", "largest"}.
    fedaware B.1: β₁ = 0.9, β₂ = 0.99, ε of {1e-8, 1e-4, 1e-3, 1e-2, 1e-1}; η_g from two printed grids, 1e-3 … 10 in
    half decades and {1, 0.1, 0.01, 1e-3, 1e-4}; *open* which of them.
    """

    lr: float = 0.01
    beta1: float = 0.9
    beta2: float = 0.99
    epsilon: float = 1e-6

    def __post_init__(self) -> None:
        check_adaptive("FedAMS", self.lr, self.beta1, self.beta2, epsilon=self.epsilon)

    def step(self, state: Any, received: Received) -> tuple[Any, Any]:
        """The new moments, and m/√v̂."""
        d = received.direction
        xp = namespace(d)
        held = state or {"first": None, "second": None, "largest": xp.full_like(d, self.epsilon)}
        first = first_moment(held["first"], d, self.beta1)
        second = second_moment(held["second"], d, self.beta2, 0.0)
        largest = xp.maximum(held["largest"], second)
        return {"first": first, "second": second, "largest": largest}, first / xp.sqrt(largest)


ENTRY = AlgorithmEntry(
    "fed-ams", "server", FedAMS, "Wang, Lin and Chen 2022, Algorithm 1", "v̂ ← max(v̂, v, ε); d̃ = m/√v̂"
)
