"""VRL-SGD: local SGD whose clients remember how far they ended from the averaged model."""

from __future__ import annotations

from dataclasses import dataclass

from theory.algorithms.client import Client, Played
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Affine, Vectors
from theory.algorithms.server import Server
from theory.algorithms.servers.rate import Rate
from theory.base.arrays import namespace
from theory.rules.protocol import AnyRule

__all__ = ["ENTRY", "VRLSGD"]


@dataclass(frozen=True)
class VRLSGD(Client):
    """g = ∇ℓ(w) − δₖ; then δₖ ← δₖ + (x̂ − wₖ)/(ητₖ), x̂ = x + d the averaged model.

    Source: Liang et al. 2019 (VRL-SGD), Algorithm 1, δₖ = 0 at first (Δᵢ there), everyone present, uniform weights;
    here the rule's weights make x̂. *Differs:* each client's distance is divided by its own number of steps; where
    these differ Σ δₖ is not 0, and the limit is not w*.
    """

    keeps = ("tracked",)

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine:
        """a = 1, D = 0, c = −δₖ."""
        return Affine(shift=-own["tracked"])

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """δₖ ← δₖ + (d − Δₖ)/(ητₖ)."""
        direction = namespace(played.updates).astype(played.direction, played.updates.dtype)
        return {**own, "tracked": own["tracked"] + played.slope(played.updates - direction[..., None, :])}, broadcast

    def refuses(self, rule: AnyRule, server: Server) -> str:
        """x̂ must be the model that everyone goes on from."""
        if isinstance(server, Rate) and server.lr == 1:
            return ""
        return "VRL-SGD goes on from the averaged model; expected server 'rate' with lr = 1, or client 'fed-gate'"


ENTRY = AlgorithmEntry(
    "vrl-sgd", "client", VRLSGD, "Liang et al. 2019, Algorithm 1", "g = ∇ℓ − δₖ; δₖ ← δₖ + (x̂ − wₖ)/(ητₖ)"
)
