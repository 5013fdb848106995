"""APFL: each client has a model of its own beside FedAvg's, and is judged by the two mixed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.client import Client, Played
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Affine, Carried, Oracle, Stepwise, Vectors
from theory.base.arrays import Array, namespace
from theory.base.checks import check_number

__all__ = ["APFL", "ENTRY"]


@dataclass(frozen=True)
class APFL(Client):
    """w ← w − η∇ℓ(w) is sent, as FedAvg's; beside it vₖ ← vₖ − ηα∇ℓ(v̄ₖ), v̄ₖ = αvₖ + (1 − α)w; judged by v̄ₖ.

    Source: Deng, Kamani and Mahdavi 2020 (APFL), Algorithm 1; ∇ℓ(v̄ₖ) by vₖ is α∇ℓ at v̄ₖ. vₖ is the initial model at
    first, and stays with the client. Both gradients are of one batch. The chain of the models sent is FedAvg's.
    *Differs:* every client is judged by v̄ₖ with the server's new w; Algorithm 1 keeps the last w of a client that is
    absent.
    `alpha` α in [0, 1]: 0 judges FedAvg's model, 1 a model of the client alone. 1/2 unless said otherwise is ours.
    `learned`: αₖ ← αₖ − η⟨∇ℓ(v̄ₖ), vₖ − w⟩, a step on min over αₖ in [0, 1] of Fₖ(v̄ₖ), there the adaptive choice of α;
    each client begins at `alpha` and keeps its own. Ours: at every local step, on its batch and at its rate, cut to
    [0, 1]. *Open* in efl, which runs APFL (Tables 3 and 6): α, and whether it is learned. It may end worse than a fixed
    one: both models begin alike and vₖ takes α times the steps of w, so after one step vₖ − w = η(1 − α)∇ℓ, the slope
    of α is positive, and α falls. vₖ then moves less still, and at α = 0 not at all: such a client is judged by the
    server's model until ⟨∇ℓ(w), vₖ − w⟩ < 0, which need not come. So it is with one step on α a round, too.
    """

    alpha: float = 0.5
    learned: bool = False

    begins = ("personal",)
    judges = "v̄ₖ = αvₖ + (1 − α)w"

    def __post_init__(self) -> None:
        check_number("APFL", "alpha", self.alpha, high=1.0, closed=True, hint="0 judges FedAvg's model")
        if not isinstance(self.learned, bool):
            raise ValueError(f"APFL(learned={self.learned!r}): must be true or false")

    @property
    def keeps(self) -> tuple[str, ...]:
        """vₖ, and αₖ − α where it is learned."""
        return ("personal", "moved") if self.learned else ("personal",)

    def first(self, rows: Array) -> Vectors:
        """The initial model, and no αₖ moved yet, (*batch, n_clients, 1)."""
        return {"personal": rows, **({"moved": namespace(rows).zeros_like(rows[..., :1])} if self.learned else {})}

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine:
        """FedAvg's."""
        return Affine()

    def beside(self, own: Vectors, broadcast: Vectors) -> Stepwise:
        """vₖ, along the same w, and αₖ."""

        def step(oracle: Oracle, carried: Carried, rate: float) -> Carried:
            model, personal = carried["model"], carried["personal"]
            alpha = self._alpha(carried)
            mixed = alpha * personal + (1 - alpha) * model
            after = {"model": model - rate * oracle(model)}
            slope = oracle(mixed)
            after["personal"] = personal - rate * (alpha * slope)
            if self.learned:
                xp = namespace(slope)
                along = xp.sum(slope * (personal - model), axis=-1, keepdims=True)
                after["moved"] = xp.clip(alpha - rate * along, 0.0, 1.0) - self.alpha
            return {**carried, **after}

        return Stepwise(step, {name: own[name] for name in self.keeps}, self.keeps)

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """vₖ and αₖ as the round left them."""
        return {**own, **{name: played.left[name][..., : own[name].shape[-1]] for name in self.keeps}}, broadcast

    def judged(self, own: Vectors, broadcast: Vectors) -> Any:
        """v̄ₖ with the new w."""
        alpha, personal, model = self._alpha(own), own["personal"], broadcast["model"][..., None, :]
        return alpha * personal + (1 - alpha) * model

    def _alpha(self, own: Vectors) -> Any:
        """αₖ, (*batch, n_clients, 1) or one number."""
        return self.alpha + own["moved"] if self.learned else self.alpha


ENTRY = AlgorithmEntry(
    "apfl",
    "client",
    APFL,
    "Deng et al. 2020, Algorithm 1",
    "w as FedAvg; vₖ ← vₖ − ηα∇ℓ(v̄ₖ); judged by v̄ₖ = αvₖ + (1 − α)w, α given or learned",
)
