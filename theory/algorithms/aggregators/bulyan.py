"""Bulyan: Krum again and again, then the mean around the median of what it chose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.aggregator import Aggregator, Sent
from theory.algorithms.aggregators.krum import krum_scores
from theory.algorithms.aggregators.ranks import ascending, count, mean_nearest_median, ranks_of, squared_distances
from theory.algorithms.part_entry import PartEntry
from theory.base.arrays import namespace
from theory.base.checks import check_whole

__all__ = ["ENTRY", "Bulyan"]


@dataclass(frozen=True)
class Bulyan(Aggregator):
    """θ = n − 2f updates chosen by Krum in turn, then the mean of the θ − 2f values nearest to their median.

    Source: El Mhamdi et al. 2018, Algorithm «Bulyan» over Krum: what is chosen is taken away, and scores are taken anew
    over the r updates left, with r − f − 2 neighbours; *open* there for the last choices, where r < 2f + 3 is less than
    Krum asks for: at least two neighbours here, as with one the two nearest to each other always tie. `f` >= 0; at
    least 4f + 3 clients have to be present. With f Byzantine clients every coordinate is within the spread of its
    honest values of their median. Without state.
    """

    f: int

    def __post_init__(self) -> None:
        check_whole("Bulyan", "f", self.f, low=0)

    @property
    def fewest(self) -> int:
        """4f + 3."""
        return 4 * self.f + 3

    def combine(self, state: Any, sent: Sent) -> tuple[Any, Any]:
        """No state; the mean around the median of the chosen updates."""
        rows, here = sent.updates, sent.present
        xp, n = namespace(rows), count(here)
        apart, n_chosen = squared_distances(rows, here), n - 2 * self.f
        left: Any = here
        for turn in range(int(xp.max(n_chosen))):
            remaining = n - turn
            neighbours = xp.minimum(xp.clip(remaining - self.f - 2, 2, None), remaining - 1)
            both = left[..., :, None] & left[..., None, :]
            scores = krum_scores(xp.where(both, apart, xp.full_like(apart, xp.inf)), left, neighbours)
            best = (ranks_of(scores, axis=-1) == 0) & (turn < n_chosen)[..., None]
            left = left & ~best
        chosen = here & ~left
        return None, mean_nearest_median(ascending(rows, chosen), n_chosen, n_chosen - 2 * self.f)


ENTRY = PartEntry(
    "bulyan",
    Bulyan,
    "El Mhamdi et al. 2018",
    "n − 2f updates by Krum in turn; mean of the n − 4f values nearest to their median",
    {"f": 1},
)
