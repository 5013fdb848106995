"""The coordinate-wise median."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.aggregator import Aggregator, Sent
from theory.algorithms.aggregators.ranks import ascending, count, median_of
from theory.algorithms.part_entry import PartEntry

__all__ = ["ENTRY", "Median"]


@dataclass(frozen=True)
class Median(Aggregator):
    """The median of every coordinate, of an even number of clients the mean of the middle two.

    Source: Yin et al. 2018, Definition 1. Counts clients, not samples. Breakdown point 1/2: fewer than half of the
    clients leave every coordinate between the smallest and the largest honest value. Without state.
    """

    def combine(self, state: Any, sent: Sent) -> tuple[Any, Any]:
        """No state; the median."""
        return None, median_of(ascending(sent.updates, sent.present), count(sent.present))


ENTRY = PartEntry("median", Median, "Yin et al. 2018, Definition 1", "med uₖ, coordinate by coordinate")
