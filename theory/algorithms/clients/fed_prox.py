"""FedProx: local steps are pulled back towards the broadcast model."""

from __future__ import annotations

from dataclasses import dataclass

from theory.algorithms.client import Client
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.local_step import Affine, Vectors
from theory.base.checks import check_number

__all__ = ["ENTRY", "FedProx"]


@dataclass(frozen=True)
class FedProx(Client):
    """g = ∇ℓ(w) + μ(w − x): SGD on Fₖ(w) + (μ/2)‖w − x‖².

    Source: Li et al. 2020 (FedProx), eq. (2) and Algorithm 2, solved inexactly by SGD. `mu` μ >= 0, 0 is FedAvg.
    Settings of the papers: fedssa B.2 μ = 0.01; fedaware B.1 μ of {0.01, 0.1, 1, 10}, *open* which, η_g = 1; exp_alpha
    *open* (Table 4 has rate, batch and steps alone; A.1 calls the term «first order»).
    """

    mu: float

    def __post_init__(self) -> None:
        check_number("FedProx", "mu", self.mu, closed=True, hint="0 is FedAvg")

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine:
        """a = 1, D = μ, c = 0."""
        return Affine(pull=float(self.mu))


ENTRY = AlgorithmEntry(
    "fed-prox", "client", FedProx, "Li et al. 2020, eq. (2), Algorithm 2", "g = ∇ℓ + μ(w − x)", {"mu": 0.1}
)
