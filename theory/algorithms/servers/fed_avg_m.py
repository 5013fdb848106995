"""FedAvgM: server momentum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.server import Received, Server, check_fraction, check_rate

__all__ = ["ENTRY", "FedAvgM"]


@dataclass(frozen=True)
class FedAvgM(Server):
    """v ← βv + d, d̃ = v; with `nesterov` d̃ = d + βv.

    Source: Hsu et al. 2019 (FedAvgM), §3: v ← βv + Δw, w ← w − v; Nesterov's form as SGD optimisers write it
    (Sutskever et al. 2013). `beta` β in [0, 1), `lr` η_g > 0. State: {"velocity": v}, 0 at first.
    Settings of the papers: fedssa B.2 β = 0.7; fedaware B.1 β of {0.7, 0.9, 0.97, 0.997}, *open* which, η_g = 1; in
    exp_alpha A.1 it is Nesterov's, β and η_g *open*.
    """

    beta: float = 0.9
    lr: float = 1.0
    nesterov: bool = False

    def __post_init__(self) -> None:
        check_fraction("FedAvgM", beta=self.beta)
        check_rate("FedAvgM", self.lr)

    def step(self, state: Any, received: Received) -> tuple[Any, Any]:
        """The new velocity, and the step along it."""
        d = received.direction
        velocity = d if state is None else self.beta * state["velocity"] + d
        return {"velocity": velocity}, d + self.beta * velocity if self.nesterov else velocity


ENTRY = AlgorithmEntry("fed-avg-m", "server", FedAvgM, "Hsu et al. 2019, §3", "v ← βv + d; d̃ = v, or d + βv")
