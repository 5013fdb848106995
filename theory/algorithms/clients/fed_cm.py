"""FedCM: clients mix the direction of the last round into every local step."""

from __future__ import annotations

from dataclasses import dataclass

from theory.algorithms.client import VARIATES, Client, Played, Variates
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Affine, Vectors
from theory.base.checks import check_number, check_word

__all__ = ["ENTRY", "FedCM"]


@dataclass(frozen=True)
class FedCM(Client):
    """g = α∇ℓ(w) + (1 − α)Δ; then Δ ← mean over the cohort of (x − wₖ)/(ητₖ).

    Source: Xu et al. 2021 (FedCM), Algorithm 2; Δ = 0 at first. *Differs:* the server's rate multiplies Σ aₖ(wₖ − x),
    the paper's multiplies Δ, which is ητ times as much; under local momentum Δ divides by η‖a‖₁, the effective steps,
    in place of ητₖ. Clients keep nothing, so cohorts may be fresh.
    `alpha` α in (0, 1], 1 is FedAvg. `variates`: the mean is "uniform" as printed, by data "share", or by the "rule".
    fedaware B.1: «momentum parameter» of {0.1, 0.3, 0.5, 0.7, 0.9}, η_g = 1; *open* which, and whether α or 1 − α.
    """

    alpha: float
    variates: Variates = "share"

    broadcasts = ("momentum",)
    traffic = (1, 0)

    def __post_init__(self) -> None:
        check_number("FedCM", "alpha", self.alpha, high=1.0, hint="1 is FedAvg")
        check_word("FedCM", "variates", self.variates, VARIATES)

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine:
        """a = α, D = 0, c = (1 − α)Δ."""
        return Affine(scale=float(self.alpha), shift=(1 - self.alpha) * broadcast["momentum"][..., None, :])

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """The new Δ."""
        return own, {**broadcast, "momentum": played.mean(played.slope(played.received))}


ENTRY = AlgorithmEntry(
    "fed-cm",
    "client",
    FedCM,
    "Xu et al. 2021, Algorithm 2",
    "g = α∇ℓ + (1 − α)Δ; Δ ← mean (x − wₖ)/(ητₖ)",
    {"alpha": 0.1},
)
