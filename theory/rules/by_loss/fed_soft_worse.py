"""FedSoftWorse and FedSoftBetter: lean towards the clients the broadcast model serves worst, or best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from theory.base.arrays import Array
from theory.base.checks import check_number
from theory.rules.by_loss.softmax import softmax_over_present
from theory.rules.entry import RuleEntry
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "FedSoftBetter", "FedSoftWorse"]


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
        check_number("FedSoftWorse", "temperature", self.temperature, hint="for T = 0 use FedWorse()")

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        # Halves, with half the temperature: the same weights, and no difference of finite losses overflows.
        excess = stats.need("loss_before", "FedSoftWorse") / 2 - stats.need("loss_best", "FedSoftWorse") / 2
        weights: Array = softmax_over_present(stats.share, excess, stats, scale=self.temperature / 2, by="FedSoftWorse")
        return weights


@dataclass(frozen=True)
class FedSoftBetter:
    """Lean towards the best excess loss: aₖ ∝ pₖ exp(−(Fₖ(w) − Fₖ*) / T).

    Source: robust_aggregation, "FedSoftBetter" («an analogous modification», RA-S-SB).
    `temperature` T > 0, in units of loss: T → ∞ gives FedAvg; T → 0 gives FedBetter if one client is best.
    Needs `loss_before` and `loss_best`.
    """

    needs: ClassVar[tuple[str, ...]] = ("loss_before", "loss_best")

    temperature: float

    def __post_init__(self) -> None:
        check_number("FedSoftBetter", "temperature", self.temperature, hint="for T = 0 use FedBetter()")

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        excess = stats.need("loss_before", "FedSoftBetter") / 2 - stats.need("loss_best", "FedSoftBetter") / 2
        weights: Array = softmax_over_present(
            stats.share, -excess, stats, scale=self.temperature / 2, by="FedSoftBetter"
        )
        return weights


ENTRY = (
    RuleEntry(
        "fed-soft-worse",
        FedSoftWorse,
        "robust_aggregation",
        "RA-S-SW",
        "∝ pₖ exp((Fₖ(w) − Fₖ*)/T)",
        {"temperature": 0.2},
    ),
    RuleEntry(
        "fed-soft-better",
        FedSoftBetter,
        "robust_aggregation",
        "RA-S-SB",
        "∝ pₖ exp(−(Fₖ(w) − Fₖ*)/T)",
        {"temperature": 0.2},
    ),
)
