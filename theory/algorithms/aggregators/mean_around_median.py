"""The mean of the values nearest to the median."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.aggregator import Aggregator, Sent
from theory.algorithms.aggregators.ranks import ascending, count, mean_nearest_median
from theory.algorithms.part_entry import PartEntry
from theory.base.checks import check_whole

__all__ = ["ENTRY", "MeanAroundMedian"]


@dataclass(frozen=True)
class MeanAroundMedian(Aggregator):
    """The mean of the n − f values of every coordinate that are nearest to their median.

    Source: Xie et al. 2018, «mean around median»; their q is f here. Of two values at one distance the smaller counts
    as nearer. `f` >= 0; more than 2f clients have to be present. With f Byzantine clients every value that is taken is
    within the spread of the honest ones of the median, so the mean is at most that far from it. Without state.
    """

    f: int

    def __post_init__(self) -> None:
        check_whole("MeanAroundMedian", "f", self.f, low=0)

    @property
    def fewest(self) -> int:
        """2f + 1."""
        return 2 * self.f + 1

    def combine(self, state: Any, sent: Sent) -> tuple[Any, Any]:
        """No state; the mean around the median."""
        n = count(sent.present)
        return None, mean_nearest_median(ascending(sent.updates, sent.present), n, n - self.f)


ENTRY = PartEntry(
    "mean-around-median",
    MeanAroundMedian,
    "Xie et al. 2018",
    "mean of the n − f values nearest to the median, coordinate by coordinate",
    {"f": 1},
)
