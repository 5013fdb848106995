"""FedFor: clients are held back from undoing the last step of the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from theory.algorithms.client import Client, Played
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Affine, Carried, Oracle, Stepwise, Vectors
from theory.base.arrays import namespace
from theory.base.checks import check_number, check_word

__all__ = ["ENTRY", "FedFor"]


@dataclass(frozen=True)
class FedFor(Client):
    """SGD on Fₖ(w) + α·max{0, −⟨u, w − x⟩}, u = xᵗ − xᵗ⁻¹ the server's last step: g = ∇ℓ(w) − αu where ⟨u, w − x⟩ < 0.

    Source: Tian, Smith and Kira 2022 (FedFOR), whose abstract says what the term is for: a first-order approximation of
    the other clients' data, which «penalizes updates in the opposite direction of the global update»; stateless. Read
    here as that penalty on the projection of w − x on u, at 0 not yet felt, u = 0 in the first round.
    exp_alpha runs it as a backbone (Tables 1 and 2) and calls it «first order gradient regularization» (A.1).
    *Open* there: its coefficient, and the form. `form`: "against" is the above; "always" takes −α⟨u, w − x⟩ whatever
    its sign, g = ∇ℓ(w) − αu. `alpha` α >= 0 in gradients a unit of the model, 0 is FedAvg; 1 unless said otherwise is
    ours. Settings of exp_alpha Table 4 for all backbones: SGD at a constant rate, no momentum, no weight decay.
    """

    alpha: float = 1.0
    form: Literal["against", "always"] = "against"

    broadcasts = ("before",)
    begins = ("before",)
    traffic = (1, 0)

    def __post_init__(self) -> None:
        check_number("FedFor", "alpha", self.alpha, closed=True, hint="0 is FedAvg")
        check_word("FedFor", "form", self.form, ("against", "always"))

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine | Stepwise:
        """The penalised step; affine where the penalty has one sign."""
        moved = (broadcast["model"] - broadcast["before"])[..., None, :]
        if self.form == "always":
            return Affine(shift=-self.alpha * moved)

        def step(oracle: Oracle, carried: Carried, rate: float) -> Carried:
            model = carried["model"]
            xp = namespace(model)
            along = xp.sum(moved * (model - carried["start"]), axis=-1, keepdims=True)
            held = xp.where(along < 0, self.alpha * moved, xp.zeros_like(model))
            return {**carried, "model": model - rate * (oracle(model) - held)}

        return Stepwise(step)

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """xᵗ, for the next round to tell the step from."""
        return own, {**broadcast, "before": broadcast["model"]}


ENTRY = AlgorithmEntry(
    "fed-for",
    "client",
    FedFor,
    "Tian et al. 2022; exp_alpha A.1",
    "g = ∇ℓ − αu where ⟨u, w − x⟩ < 0, u = xᵗ − xᵗ⁻¹",
)
