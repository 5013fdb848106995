"""FedDyn: every client's objective carries a linear term that makes its optimum the common one in the limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.client import VARIATES, Client, Played, Variates
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Affine, Vectors
from theory.algorithms.server import Server
from theory.algorithms.servers.aware import Aware
from theory.algorithms.servers.rate import Rate
from theory.base.arrays import Array
from theory.base.checks import check_number, check_word
from theory.rules.combinators.project import Project
from theory.rules.protocol import AnyRule

__all__ = ["ENTRY", "FedDyn"]


@dataclass(frozen=True)
class FedDyn(Client):
    """g = ∇ℓ(w) − gₖ + α(w − x); then gₖ ← gₖ − αΔₖ, h the mean of all gₖ, and x ← x + d − h/α.

    Source: Acar et al. 2021 (FedDyn), Algorithm 1, solved inexactly by SGD; gₖ = 0 at first. hᵗ = hᵗ⁻¹ − α/m·ΣΔₖ is
    taken anew as a mean of all gₖ, the same number. `alpha` α > 0. `variates`: that mean is "uniform" as printed, by
    data "share", or by the "rule"; it decides the limit, where Σ ωₖ∇Fₖ = 0.
    Settings of the papers: fedssa B.2 α = 0.01; fedaware B.1 α of {0.1, 0.01, 0.001}, *open* which.
    """

    alpha: float
    variates: Variates = "share"

    keeps = ("slope",)
    broadcasts = ("slope_mean",)
    means = (("slope_mean", "slope"),)

    def __post_init__(self) -> None:
        check_number("FedDyn", "alpha", self.alpha)
        check_word("FedDyn", "variates", self.variates, VARIATES)

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine:
        """a = 1, D = α, c = −gₖ."""
        return Affine(pull=float(self.alpha), shift=-own["slope"])

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """gₖ ← gₖ − αΔₖ."""
        return {**own, "slope": own["slope"] - self.alpha * played.updates}, broadcast

    def direction(self, direction: Array, broadcast: Vectors) -> Any:
        """d − h/α."""
        return direction - broadcast["slope_mean"] / self.alpha

    def refuses(self, rule: AnyRule, server: Server) -> str:
        """Its server step is its own; and fedaware §5 leaves it out of ×AWARE."""
        if isinstance(rule, Project) or isinstance(server, Aware):
            return (
                "x + d − h/α follows no combination of updates; fedaware §5 applies ×AWARE to all baselines «excluding"
                " FedDyn, which does not follow the global gradient descent rule»"
            )
        return "" if isinstance(server, Rate) else "x + d − h/α is FedDyn's own server step; expected server 'rate'"


ENTRY = AlgorithmEntry(
    "fed-dyn",
    "client",
    FedDyn,
    "Acar et al. 2021, Algorithm 1",
    "g = ∇ℓ − gₖ + α(w − x); gₖ ← gₖ − αΔₖ; x ← x + d − h/α",
    {"alpha": 0.1},
)
