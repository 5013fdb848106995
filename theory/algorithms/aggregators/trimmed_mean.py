"""The coordinate-wise trimmed mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.aggregator import Aggregator, Sent
from theory.algorithms.aggregators.ranks import ascending, count, mean_of_ranks
from theory.algorithms.part_entry import PartEntry
from theory.base.arrays import namespace
from theory.base.checks import check_whole

__all__ = ["ENTRY", "TrimmedMean"]


@dataclass(frozen=True)
class TrimmedMean(Aggregator):
    """The mean of every coordinate without its `f` smallest and its `f` largest values.

    Source: Yin et al. 2018, Definition 2; their fraction β is f/n here. `f` >= 0; more than 2f clients have to be
    present. f Byzantine clients leave every coordinate between the smallest and the largest honest value, f + 1 do not.
    Without state.
    """

    f: int

    def __post_init__(self) -> None:
        check_whole("TrimmedMean", "f", self.f, low=0)

    @property
    def fewest(self) -> int:
        """2f + 1."""
        return 2 * self.f + 1

    def combine(self, state: Any, sent: Sent) -> tuple[Any, Any]:
        """No state; the trimmed mean."""
        n = count(sent.present)
        low = namespace(n).full_like(n, self.f)
        return None, mean_of_ranks(ascending(sent.updates, sent.present), low, n - self.f)


ENTRY = PartEntry(
    "trimmed-mean",
    TrimmedMean,
    "Yin et al. 2018, Definition 2",
    "mean of uₖ without the f smallest and f largest, coordinate by coordinate",
    {"f": 1},
)
