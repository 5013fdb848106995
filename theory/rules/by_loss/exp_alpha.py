"""Exp-α: lean towards clients whose loss fell least during local training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from theory.base.arrays import Array, namespace
from theory.base.checks import check_number
from theory.rules.by_loss.softmax import softmax_over_present
from theory.rules.entry import RuleEntry
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "ExpAlpha"]


@dataclass(frozen=True)
class ExpAlpha:
    """aₖ ∝ exp((Fₖ(wₖ) − Fₖ(w)) / α): w the broadcast model, wₖ the model after local training.

    Source: exp_alpha, eq. (3) (EA-D7) and Algorithm 1 (ρ there is our weights).
    `alpha` > 0, in units of loss: α → ∞ gives equal weights; α → 0 gives the client whose loss fell least.
    `data_size`: False as printed; True multiplies by the data share pₖ, so that α → ∞ gives FedAvg.
    Needs `loss_before` and `loss_after`.
    """

    needs: ClassVar[tuple[str, ...]] = ("loss_before", "loss_after")

    alpha: float
    data_size: bool = False

    def __post_init__(self) -> None:
        check_number("ExpAlpha", "alpha", self.alpha, hint="in units of loss; large values give equal weights")

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        # Halves, with half the scale: the same weights, and no difference of finite losses overflows.
        change = stats.need("loss_after", "ExpAlpha") / 2 - stats.need("loss_before", "ExpAlpha") / 2
        xp = namespace(change)
        factor = stats.share if self.data_size else xp.ones_like(stats.share)
        weights: Array = softmax_over_present(factor, change, stats, scale=self.alpha / 2, by="ExpAlpha")
        return weights


ENTRY = RuleEntry("exp-alpha", ExpAlpha, "exp_alpha", "eq. (3)", "∝ exp((Fₖ(wₖ) − Fₖ(w))/α)", {"alpha": 0.2})
