"""FedExP: the server lengthens its step by how much the clients' updates disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.server import Received, Server, check_rate
from theory.base.arrays import namespace
from theory.base.checks import check_number
from theory.rules.protocol import AnyRule, on_simplex

__all__ = ["ENTRY", "FedExP"]


@dataclass(frozen=True)
class FedExP(Server):
    """d̃ = max{1, Σ aₖ‖vₖ‖² / (2(‖d‖² + ε))}·d.

    Source: Jhunjhunwala et al. 2023 (FedExP), eq. for η_g and Algorithm 1, there with aₖ = 1/M; here the rule's weights
    and the vectors it combines. Weights off the simplex are refused: the bound is that of a weighted mean. `epsilon`
    ε >= 0 in squared units of the model; with 0, d = 0 stays 0. The paper reports the mean of the last two iterates;
    this is the iterate. `lr` η_g > 0, 1 as printed. Without state. fedssa B.2: «the hyper-parameter 0.001», taken to be
    ε, the default here.
    """

    epsilon: float = 1e-3
    lr: float = 1.0

    needs = ("updates", "gram")

    def __post_init__(self) -> None:
        check_number("FedExP", "epsilon", self.epsilon, closed=True)
        check_rate("FedExP", self.lr)

    def step(self, state: Any, received: Received) -> tuple[Any, Any]:
        """No state; the lengthened direction."""
        if received.gram is None:
            raise ValueError("FedExP needs the Gram matrix of the vectors combined, which this round does not carry")
        d, weights = received.direction, received.weights
        xp = namespace(d, weights, received.gram)
        squares = xp.linalg.diagonal(received.gram)
        above = xp.sum(weights * squares, axis=-1, keepdims=True)
        below = 2 * (xp.sum(d**2, axis=-1, keepdims=True) + self.epsilon)
        nothing = below == 0
        ratio = above / xp.where(nothing, xp.ones_like(below), below)
        return None, xp.where(nothing | (ratio < 1), xp.ones_like(ratio), ratio) * d

    def refuses(self, rule: AnyRule) -> str:
        """Its ratio is that of a weighted mean."""
        if not on_simplex(rule):
            return "FedExP's step is derived for a weighted mean; expected a rule whose weights sum to 1"
        return ""


ENTRY = AlgorithmEntry(
    "fed-exp", "server", FedExP, "Jhunjhunwala et al. 2023, Algorithm 1", "d̃ = max{1, Σ aₖ‖vₖ‖²/(2(‖d‖² + ε))}·d"
)
