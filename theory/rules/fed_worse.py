"""FedWorse: only the clients with the largest excess loss count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from theory.arrays import Array, namespace
from theory.rules.protocol import normalised
from theory.stats import RoundStats

__all__ = ["FedWorse"]


@dataclass(frozen=True)
class FedWorse:
    """aₖ = 1/|J| for k in J = argmax (Fₖ(w) − Fₖ*), else 0; ties share equally, as printed.

    Source: robust_aggregation, "FedWorse" (RA-S-W, RA-D10).
    Needs `loss_before` and `loss_best`.
    """

    needs: ClassVar[tuple[str, ...]] = ("loss_before", "loss_best")

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        excess = stats.need("loss_before", "FedWorse") - stats.need("loss_best", "FedWorse")
        xp = namespace(excess)
        excess = xp.where(stats.present, excess, xp.full_like(excess, -xp.inf))
        worst = excess == xp.max(excess, axis=-1, keepdims=True)
        weights: Array = normalised(xp.astype(worst & stats.present, excess.dtype))
        return weights
