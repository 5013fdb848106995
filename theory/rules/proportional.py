"""Proportional aggregation: weights are data shares (FedAvg)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from theory.arrays import Array
from theory.rules.protocol import masked_shares, normalised
from theory.stats import RoundStats

__all__ = ["Proportional"]


@dataclass(frozen=True)
class Proportional:
    """aₖ = pₖ over the clients present.

    Source: exp_alpha, EA-D2 (ρᵢ = |Ξᵢ|/Σⱼ|Ξⱼ|); robust_aggregation, RA-S-AVG.

    >>> import numpy as np
    >>> Proportional()(RoundStats(share=np.array([0.5, 0.25, 0.25]), present=np.array([True, True, False])))
    array([0.66666667, 0.33333333, 0.        ])
    """

    needs: ClassVar[tuple[str, ...]] = ("share",)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        weights: Array = normalised(masked_shares(stats))
        return weights
