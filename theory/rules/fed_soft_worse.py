"""FedSoftWorse: lean towards the clients the broadcast model serves worst."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from theory.arrays import Array
from theory.rules.softmax import softmax_over_present
from theory.stats import RoundStats

__all__ = ["FedSoftWorse"]


@dataclass(frozen=True)
class FedSoftWorse:
    """Lean towards the worst excess loss: aₖ ∝ pₖ exp((Fₖ(w) − Fₖ*) / T).

    Source: robust_aggregation, "FedSoftWorse" (RA-S-SW, unnumbered display; α there is our weights).
    `temperature` T > 0, in units of loss: T → ∞ gives FedAvg; T → 0 gives FedWorse if one client is worst.
    Needs `loss_before` and `loss_best` Fₖ*, which the theory knows exactly; a deep run has to supply an estimate.
    """

    needs: ClassVar[tuple[str, ...]] = ("loss_before", "loss_best")

    temperature: float

    def __post_init__(self) -> None:
        if not 0 < self.temperature < float("inf"):
            raise ValueError(
                f"FedSoftWorse(temperature={self.temperature}): must be finite and > 0; for T = 0 use FedWorse()"
            )

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        excess = stats.need("loss_before", "FedSoftWorse") - stats.need("loss_best", "FedSoftWorse")
        weights: Array = softmax_over_present(stats.share, excess / self.temperature, stats)
        return weights
