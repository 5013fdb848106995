"""FedGATE: gradient tracking, each client corrects its steps by how far its last update was from the mean."""

from __future__ import annotations

from dataclasses import dataclass

from theory.algorithms.client import VARIATES, Client, Played, Variates
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Affine, Vectors
from theory.base.checks import check_word

__all__ = ["ENTRY", "FedGATE"]


@dataclass(frozen=True)
class FedGATE(Client):
    """g = ∇ℓ(w) − δₖ; then δₖ ← δₖ + uₖ − ū, uₖ = (x − wₖ)/(ητₖ) as received and ū its mean over the cohort.

    Source: Haddadpour et al. 2021 (FedCOMGATE, Algorithm 3; FedGATE is the one without compression), δₖ = 0 at first,
    everyone present. *Differs:* with clients absent, those present update among themselves, and each client's update
    is divided by its own number of steps. `variates`: ū is "uniform" as printed, by data "share", or by the "rule"; it
    decides the limit, where Σ ωₖ∇Fₖ = 0.
    """

    variates: Variates = "share"

    keeps = ("tracked",)

    def __post_init__(self) -> None:
        check_word("FedGATE", "variates", self.variates, VARIATES)

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine:
        """a = 1, D = 0, c = −δₖ."""
        return Affine(shift=-own["tracked"])

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """δₖ ← δₖ + uₖ − ū."""
        slope = played.slope(played.received)
        return {**own, "tracked": own["tracked"] + slope - played.mean(slope)[..., None, :]}, broadcast


ENTRY = AlgorithmEntry(
    "fed-gate", "client", FedGATE, "Haddadpour et al. 2021, Algorithm 3", "g = ∇ℓ − δₖ; δₖ ← δₖ + uₖ − ū"
)
