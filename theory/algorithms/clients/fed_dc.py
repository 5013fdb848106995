"""FedDC: each client keeps its drift, is pulled towards the model less that drift, and the server adds it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.client import VARIATES, Client, Played, Variates
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Affine, Vectors
from theory.algorithms.server import Server
from theory.base.arrays import Array
from theory.base.checks import check_number, check_word
from theory.rules.combinators.project import Project
from theory.rules.protocol import AnyRule

__all__ = ["ENTRY", "FedDC"]


@dataclass(frozen=True)
class FedDC(Client):
    """g = ∇ℓ(w) + α(hₖ + w − x) + (gₖ − ḡ)/(ητ); then hₖ ← hₖ + Δₖ, gₖ ← Δₖ, and x ← x + d + h̄.

    Source: Gao et al. 2022 (FedDC), eqs. for Rₖ and Gₖ and Algorithm 1; hₖ = gₖ = 0 at first. gₖ is the client's last
    update; kept as the slope −Δₖ/(ητₖ) of the round it was made in, which is the same where rate and number of steps
    stay the same. `alpha` α >= 0. `variates`: ḡ and h̄ are means over all clients, "uniform", by data "share" (as
    printed), or by the "rule"; they decide the limit, where Σ ωₖ∇Fₖ = 0. fedssa B.2: «the hyper-parameter used is
    0.01», taken to be α.
    """

    alpha: float
    variates: Variates = "share"

    keeps = ("drift", "slope")
    broadcasts = ("drift_mean", "slope_mean")
    means = (("drift_mean", "drift"), ("slope_mean", "slope"))
    traffic = (1, 0)

    def __post_init__(self) -> None:
        check_number("FedDC", "alpha", self.alpha, closed=True)
        check_word("FedDC", "variates", self.variates, VARIATES)

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine:
        """a = 1, D = α, c = αhₖ − slopeₖ + mean slope."""
        shift = self.alpha * own["drift"] - own["slope"] + broadcast["slope_mean"][..., None, :]
        return Affine(pull=float(self.alpha), shift=shift)

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """hₖ ← hₖ + Δₖ and the slope of this round."""
        drift = own["drift"] + played.updates
        return {**own, "drift": drift, "slope": played.slope(played.updates)}, broadcast

    def direction(self, direction: Array, broadcast: Vectors) -> Any:
        """d + h̄."""
        return direction + broadcast["drift_mean"]

    def refuses(self, rule: AnyRule, server: Server) -> str:
        """Its server step is its own; ×AWARE as a rule would project d and not d + h̄."""
        if isinstance(rule, Project):
            return "×AWARE projects the full step d + h̄, and a rule sees d alone; expected server 'aware'"
        if server.plain:
            return ""
        return "x + d + h̄ is FedDC's own server step; expected server 'rate', or it under ×AWARE"


ENTRY = AlgorithmEntry(
    "fed-dc",
    "client",
    FedDC,
    "Gao et al. 2022, Algorithm 1",
    "g = ∇ℓ + α(hₖ + w − x) + (gₖ − ḡ)/(ητ); hₖ ← hₖ + Δₖ; x ← x + d + h̄",
    {"alpha": 0.1},
)
