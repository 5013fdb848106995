"""SCAFFOLD: control variates take each client's own drift out of its steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from theory.algorithms.client import VARIATES, Client, Played, Variates
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Affine, Vectors
from theory.base.checks import check_word

__all__ = ["ENTRY", "Scaffold"]


@dataclass(frozen=True)
class Scaffold(Client):
    """g = ∇ℓ(w) − cₖ + c; then cₖ ← ∇Fₖ(x) (option I) or cₖ − c + (x − wₖ)/(ητₖ) (II); c is the mean of all cₖ.

    Source: Karimireddy et al. 2020 (SCAFFOLD), Algorithm 1, eqs. (3) to (5); cₖ = 0 at first. *Differs:* option I takes
    the gradient over all of a client's samples; c ← c + Σ Δcₖ/N is taken anew as a mean of all cₖ, the same number;
    under local momentum option II divides by η‖a‖₁, the effective steps, in place of ητₖ.
    `variates`: that mean is "uniform" as printed, by data "share", or by the "rule" in force. It, not the rule, decides
    the limit: where Σ ωₖ∇Fₖ = 0, so w* with "share". fedssa B.2 prints no setting: *open* there which option, and η_g.
    """

    option: Literal["I", "II"] = "II"
    variates: Variates = "share"

    keeps = ("variate",)
    broadcasts = ("variate_mean",)
    means = (("variate_mean", "variate"),)
    traffic = (1, 1)

    def __post_init__(self) -> None:
        check_word("Scaffold", "option", self.option, ("I", "II"))
        check_word("Scaffold", "variates", self.variates, VARIATES)

    @property
    def start_gradient(self) -> bool:
        """Option I takes another pass over the client's samples."""
        return self.option == "I"

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine:
        """a = 1, D = 0, c = mean − own."""
        return Affine(shift=broadcast["variate_mean"][..., None, :] - own["variate"])

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """The new cₖ."""
        if self.option == "I":
            return {**own, "variate": played.start_gradient()}, broadcast
        moved = own["variate"] - broadcast["variate_mean"][..., None, :] + played.slope(played.updates)
        return {**own, "variate": moved}, broadcast


ENTRY = AlgorithmEntry(
    "scaffold",
    "client",
    Scaffold,
    "Karimireddy et al. 2020, Algorithm 1",
    "g = ∇ℓ − cₖ + c; cₖ ← ∇Fₖ(x), or cₖ − c + (x − wₖ)/(ητₖ)",
)
