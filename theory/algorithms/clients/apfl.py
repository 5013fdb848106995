"""APFL: each client has a model of its own beside FedAvg's, and is judged by the two mixed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.client import Client, Played
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Affine, Carried, Oracle, Stepwise, Vectors
from theory.rules.checks import check_number

__all__ = ["APFL", "ENTRY"]


@dataclass(frozen=True)
class APFL(Client):
    """w ← w − η∇ℓ(w) is sent, as FedAvg's; beside it vₖ ← vₖ − ηα∇ℓ(v̄ₖ), v̄ₖ = αvₖ + (1 − α)w; judged by v̄ₖ.

    Source: Deng, Kamani and Mahdavi 2020 (APFL), Algorithm 1; ∇ℓ(v̄ₖ) by vₖ is α∇ℓ at v̄ₖ. vₖ is the initial model at
    first, and stays with the client. Both gradients are of one batch. The chain of the models sent is FedAvg's.
    *Differs:* every client is judged by v̄ₖ with the server's new w; Algorithm 1 keeps the last w of a client that is
    absent. α is one number for all, not learned (there: α ← α − η⟨∇ℓ(v̄ₖ), vₖ − w⟩ as an option).
    *Open* in efl, which runs it (Tables 3 and 6): α, and whether it is learned. `alpha` α in [0, 1]: 0 judges FedAvg's
    model, 1 a model of the client alone. 1/2 unless said otherwise is ours.
    """

    alpha: float = 0.5

    keeps = ("personal",)
    begins = ("personal",)
    judges = "v̄ₖ = αvₖ + (1 − α)w"

    def __post_init__(self) -> None:
        check_number("APFL", "alpha", self.alpha, high=1.0, closed=True, hint="0 judges FedAvg's model")

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine:
        """FedAvg's."""
        return Affine()

    def beside(self, own: Vectors, broadcast: Vectors) -> Stepwise:
        """vₖ, along the same w."""

        def step(oracle: Oracle, carried: Carried, rate: float) -> Carried:
            model, personal = carried["model"], carried["personal"]
            mixed = self._mixed(personal, model)
            return {
                **carried,
                "model": model - rate * oracle(model),
                "personal": personal - rate * (self.alpha * oracle(mixed)),
            }

        return Stepwise(step, {"personal": own["personal"]}, ("personal",))

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """vₖ as the round left it."""
        return {**own, "personal": played.left["personal"]}, broadcast

    def judged(self, own: Vectors, broadcast: Vectors) -> Any:
        """v̄ₖ with the new w."""
        return self._mixed(own["personal"], broadcast["model"][..., None, :])

    def _mixed(self, personal: Any, model: Any) -> Any:
        return self.alpha * personal + (1 - self.alpha) * model


ENTRY = AlgorithmEntry(
    "apfl",
    "client",
    APFL,
    "Deng et al. 2020, Algorithm 1",
    "w as FedAvg; vₖ ← vₖ − ηα∇ℓ(v̄ₖ); judged by v̄ₖ = αvₖ + (1 − α)w",
)
