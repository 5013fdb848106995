"""Plain local SGD: what FedAvg's clients do."""

from __future__ import annotations

from dataclasses import dataclass

from theory.algorithms.client import Client
from theory.algorithms.entry import AlgorithmEntry

__all__ = ["ENTRY", "SGD"]


@dataclass(frozen=True)
class SGD(Client):
    """wₖ ← wₖ − η∇ℓ(wₖ). Source: McMahan et al. 2017 (FedAvg), Algorithm 1, ClientUpdate."""


ENTRY = AlgorithmEntry("sgd", "client", SGD, "McMahan et al. 2017, Algorithm 1", "g = ∇ℓ")
