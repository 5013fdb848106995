"""Weights that look at no loss: data shares (FedAvg), and one the same for everybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from theory.base.arrays import Array, namespace
from theory.rules.entry import RuleEntry
from theory.rules.protocol import masked_shares, normalised
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "Proportional", "Uniform"]


@dataclass(frozen=True)
class Proportional:
    """aₖ = pₖ over the clients present.

    Source: exp_alpha, EA-D2 (ρᵢ = |Ξᵢ|/Σⱼ|Ξⱼ|); robust_aggregation, RA-S-AVG. Raises `ValueError` when the shares of
    all clients present are 0.

    >>> import numpy as np
    >>> Proportional()(RoundStats(share=np.array([0.5, 0.25, 0.25]), present=np.array([True, True, False])))
    array([0.66666667, 0.33333333, 0.        ])
    """

    needs: ClassVar[tuple[str, ...]] = ("share",)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        weights: Array = normalised(masked_shares(stats), "Proportional", "are their data shares right? Try Uniform()")
        return weights


@dataclass(frozen=True)
class Uniform:
    """aₖ = 1/|S| over the clients present, S the cohort.

    Source: fedaware §5 (the plain mean in e-LUD, FA-D4.1e); the limit α → ∞ of exp_alpha eq. (3) (EA-R7).
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        xp = namespace(stats.share)
        weights: Array = normalised(xp.astype(stats.present, stats.share.dtype), "Uniform")
        return weights


ENTRY = (
    RuleEntry("proportional", Proportional, "exp_alpha", "EA-D2", "pₖ", also=("fed-avg",)),
    RuleEntry("uniform", Uniform, "fedaware", "FA-D4.1e", "1/|S|"),
)
