"""The m clients with the highest score, ties at the edge sharing the places that are left."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import Any, Literal

from theory.base.arrays import Array, device_of, namespace
from theory.base.checks import check_number, check_whole, check_word
from theory.rules.protocol import normalised
from theory.rules.stats import RoundStats

__all__ = ["Inner", "Of", "Places", "top_places"]

Of = Literal["count", "all", "present"]
Inner = Literal["uniform", "share"]


@dataclass(frozen=True)
class Places:
    """How many clients are kept, `k` `of` what, and how they are weighted; built and checked by the rule `call`."""

    call: str
    k: float | None
    of: Of
    inner: Inner

    def __post_init__(self) -> None:
        check_word(self.call, "of", self.of, ("count", "all", "present"))
        check_word(self.call, "inner", self.inner, ("uniform", "share"))
        if self.k is None:
            return
        if self.of == "count":
            check_whole(self.call, "k", self.k, low=1, hint="for a fraction set of='all' or of='present'")
        else:
            check_number(self.call, "k", self.k, high=1.0, hint="a fraction of clients; for a number set of='count'")

    def weights(self, score: Array, stats: RoundStats) -> Array:
        """1/m, or in proportion to pₖ, on the m highest scores; ties share; (*batch, n_clients)."""
        place = top_places(score, stats.present, self._kept(stats))
        factor = place if self.inner == "uniform" else place * stats.share
        weights: Array = normalised(factor, self.call, "with inner='share' one of those kept needs a share > 0")
        return weights

    def _kept(self, stats: RoundStats) -> Any:
        """m as a number, or (*batch, 1) as an array."""
        if self.k is None:
            return 1
        if self.of == "count":
            return self.k
        if self.of == "all":
            return max(1, floor(self.k * stats.n_clients * (1 + 1e-12)))
        xp = namespace(stats.share)
        present = xp.sum(xp.astype(stats.present, stats.share.dtype), axis=-1, keepdims=True)
        # 0.29·100 is 28.999… in floating point, and means 29.
        kept = xp.floor(self.k * present * (1 + 1e-12))
        return xp.where(kept < 1, xp.ones_like(kept), kept)


def top_places(score: Array, counted: Array, m: Any) -> Any:
    """The part of a place each counted client has among the m highest scores, in [0, 1]; their sum is min(m, counted).

    Clients above the m-th score have a place each; those level with it share the places left, so that nothing depends
    on the order of the clients and m = 1 is the printed tie rule 1/|J|. `m` a number >= 1 or (*batch, 1).
    """
    xp = namespace(score)
    hidden = xp.where(counted, score, xp.full_like(score, -xp.inf))
    number = xp.sum(xp.astype(counted, score.dtype), axis=-1, keepdims=True)
    m = xp.where(number < m, number, xp.ones_like(number) * m)
    rank = xp.arange(1, score.shape[-1] + 1, dtype=score.dtype, device=device_of(score))
    ordered = xp.sort(hidden, axis=-1, descending=True)
    edge = xp.max(xp.where(rank == m, ordered, xp.full_like(ordered, -xp.inf)), axis=-1, keepdims=True)
    above = xp.astype(counted & (hidden > edge), score.dtype)
    level = xp.astype(counted & (hidden == edge), score.dtype)
    left = m - xp.sum(above, axis=-1, keepdims=True)
    return above + level * (left / xp.sum(level, axis=-1, keepdims=True))
