"""The plain server: FedAvg, with a rate of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.server import Received, Server, check_rate

__all__ = ["ENTRY", "Rate"]


@dataclass(frozen=True)
class Rate(Server):
    """d̃ = d. Source: McMahan et al. 2017 with lr = 1; Reddi et al. 2021, Algorithm 1 with SGD. `lr` η_g > 0."""

    lr: float = 1.0

    plain = True

    def __post_init__(self) -> None:
        check_rate("Rate", self.lr)

    def step(self, state: Any, received: Received) -> tuple[Any, Any]:
        """No state; the direction as it is."""
        return None, received.direction


ENTRY = AlgorithmEntry("rate", "server", Rate, "McMahan et al. 2017; Reddi et al. 2021, Algorithm 1", "d̃ = d")
