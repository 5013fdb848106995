"""Power-of-Choice: of d candidates drawn by data share, the m with the highest loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from theory.base.arrays import Array, device_of, namespace
from theory.base.checks import check_whole
from theory.base.streams import stream
from theory.rules.by_loss.places import top_places
from theory.rules.entry import RuleEntry
from theory.rules.protocol import normalised
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "PowerOfChoice"]


@dataclass(frozen=True)
class PowerOfChoice:
    """aₖ = 1/m on the m highest losses Fₖ(w) among d candidates, drawn by share pₖ without replacement.

    Source: robust_aggregation, "FedWorse(k)", which «boils down to» this rule of Cho et al. 2020 (RA-Q13).
    `d` >= `m` >= 1; candidates are drawn among the clients present with a share > 0, all of them when there are fewer
    than d; ties at the m-th place share it, as in `FedWorse`. The loss itself is compared, not the excess.
    The draw derives from (`seed`, round) on the host and is then moved to the namespace of the losses, so NumPy and
    torch choose the same clients; every batch element draws for itself. Needs `loss_before`.
    Raises `ValueError` for settings out of range, or when the shares of all clients present are 0.
    """

    needs: ClassVar[tuple[str, ...]] = ("loss_before",)

    d: int
    m: int
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole("PowerOfChoice", "m", self.m, low=1)
        check_whole("PowerOfChoice", "d", self.d, low=self.m, hint="m are chosen among d candidates")
        check_whole("PowerOfChoice", "seed", self.seed, low=0)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        loss = stats.need("loss_before", "PowerOfChoice")
        xp = namespace(loss)
        open_to = stats.present & (stats.share > 0)
        if not bool(xp.all(xp.any(open_to, axis=-1))):
            raise ValueError("PowerOfChoice: the shares of all clients present are 0; expected one > 0 in every cohort")
        # An exponential clock of rate pₖ each: the first d to ring are d draws by share without replacement.
        clocks = stream(self.seed, "power-of-choice", stats.round).standard_exponential(tuple(stats.share.shape))
        rings = xp.asarray(np.asarray(clocks), dtype=stats.share.dtype, device=device_of(stats.share))
        rings = rings / xp.where(open_to, stats.share, xp.ones_like(stats.share))
        candidates = top_places(-rings, open_to, self.d) > 0
        weights: Array = normalised(top_places(loss, candidates, self.m), "PowerOfChoice")
        return weights


ENTRY = RuleEntry(
    "power-of-choice",
    PowerOfChoice,
    "robust_aggregation",
    "RA-Q13",
    "1/m on the m largest Fₖ(w) of d drawn by pₖ",
    {"d": 4, "m": 2},
)
