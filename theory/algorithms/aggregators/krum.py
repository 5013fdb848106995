"""Krum and Multi-Krum: the update, or the updates, with the nearest neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.aggregator import Aggregator, Sent
from theory.algorithms.aggregators.ranks import count, ranks_of, squared_distances
from theory.algorithms.part_entry import PartEntry
from theory.base.arrays import Array, device_of, namespace
from theory.base.checks import check_whole

__all__ = ["ENTRY", "Krum", "MultiKrum", "krum_scores"]


def krum_scores(apart: Array, taking_part: Array, n_neighbours: Array) -> Any:
    """sᵢ = Σ ‖uᵢ − uⱼ‖² over the nearest `n_neighbours` (*batch,) others, (*batch, n_clients); inf for clients that
    take no part. `apart`: `squared_distances`, inf to these.
    """
    xp = namespace(apart)
    nearest, places = xp.sort(apart, axis=-1), xp.arange(apart.shape[-1], device=device_of(apart))
    counted = places < n_neighbours[..., None, None]
    scores = xp.sum(xp.where(counted, nearest, xp.zeros_like(nearest)), axis=-1)
    return xp.where(taking_part, scores, xp.full_like(scores, xp.inf))


@dataclass(frozen=True)
class MultiKrum(Aggregator):
    """The mean of the `m` updates of least score sᵢ, the sum of squared distances to the n − f − 2 nearest others.

    Source: Blanchard et al. 2017, Section 4 (Krum, m = 1) and «Multi-Krum»; of equal scores the client of smallest
    index, as there: with n = 3 and f = 0 two are always equal. `m` 0, the default, is n − f − 2. `f` >= 0; at least
    2f + 3 clients have to be present, and f + m + 2. With f Byzantine clients every chosen update is about as near to
    honest ones as these are to each other. *Differs:* squared distances of entries too large to be squared count as
    the largest that are not. Without state.
    """

    f: int
    m: int = 0

    def __post_init__(self) -> None:
        check_whole(type(self).__name__, "f", self.f, low=0)
        check_whole(type(self).__name__, "m", self.m, low=0, hint="0 is n − f − 2")

    @property
    def fewest(self) -> int:
        """max(2f + 3, f + m + 2)."""
        return max(2 * self.f + 3, self.f + self.m + 2)

    def combine(self, state: Any, sent: Sent) -> tuple[Any, Any]:
        """No state; the mean of the chosen updates."""
        rows, here = sent.updates, sent.present
        xp, nearest = namespace(rows), count(here) - self.f - 2
        scores = krum_scores(squared_distances(rows, here), here, nearest)
        n_chosen = nearest if self.m == 0 else xp.full_like(nearest, self.m)
        chosen = ranks_of(scores, axis=-1) < n_chosen[..., None]
        total = xp.sum(xp.where(chosen[..., None], rows, xp.zeros_like(rows)), axis=-2)
        return None, total / xp.astype(n_chosen, rows.dtype)[..., None]


@dataclass(frozen=True)
class Krum(Aggregator):
    """The update of least score, the sum of squared distances to the n − f − 2 nearest others.

    Source: Blanchard et al. 2017, Section 4; of equal scores the client of smallest index. `f` >= 0; at least 2f + 3
    clients have to be present. All else as `MultiKrum` with m = 1. Without state.
    """

    f: int

    def __post_init__(self) -> None:
        check_whole("Krum", "f", self.f, low=0)

    @property
    def fewest(self) -> int:
        """2f + 3."""
        return 2 * self.f + 3

    def combine(self, state: Any, sent: Sent) -> tuple[Any, Any]:
        """No state; the chosen update."""
        return MultiKrum(self.f, 1).combine(state, sent)


ENTRY = (
    PartEntry("krum", Krum, "Blanchard et al. 2017, Section 4", "argmin sᵢ, sᵢ = Σ ‖uᵢ − uⱼ‖²", {"f": 1}),
    PartEntry(
        "multi-krum", MultiKrum, "Blanchard et al. 2017, «Multi-Krum»", "mean of the m updates of least sᵢ", {"f": 1}
    ),
)
