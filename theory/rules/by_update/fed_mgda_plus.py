"""FedMGDA+: the least-norm combination of updates of length one, with weights that stay near given ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from theory.base.arrays import Array, device_of, namespace, to_host
from theory.base.checks import check_number, check_word
from theory.minnorm.boxed import boxed
from theory.rules.entry import RuleEntry
from theory.rules.protocol import masked_shares, normalised
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "FedMGDAPlus"]


@dataclass(frozen=True)
class FedMGDAPlus:
    """aₖ = λₖ/‖uₖ‖, λ = argmin ‖Σ λₖ uₖ/‖uₖ‖‖² on the simplex with |λₖ − λ⁰ₖ| <= ε; they need not sum to 1.

    Source: Hu, Shaloudegi, Zhang and Yu 2022 (FedMGDA+), Algorithm 1 and eq. (9). The step is as long as Σ λₖûₖ, at
    most 1, so its length is up to the rate of the server, η there: server "rate(lr=…)". `epsilon` ε in [0, 1]: 0 is λ⁰
    on normalised updates, 1 the simplex. λ⁰, `about`: the data "share" among the clients present, or "uniform".
    `normalise` false leaves updates as they are (FedMGDA); with ε = 1 that is `MinNorm`. An update of 0 stays 0.
    Needs `updates`, whose Gram matrix is formed in float64; the quadratic program is solved on the host, to rounding.
    """

    needs: ClassVar[tuple[str, ...]] = ("updates",)
    simplex: ClassVar[bool] = False

    epsilon: float = 0.1
    about: Literal["share", "uniform"] = "share"
    normalise: bool = True

    def __post_init__(self) -> None:
        check_number("FedMGDAPlus", "epsilon", self.epsilon, high=1.0, closed=True, hint="1 is the whole simplex")
        check_word("FedMGDAPlus", "about", self.about, ("share", "uniform"))
        if not isinstance(self.normalise, bool):
            raise ValueError(f"FedMGDAPlus(normalise={self.normalise!r}): must be true or false")

    def __call__(self, stats: RoundStats) -> Array:
        """Weights >= 0 that sum to `total`, shape (*batch, n_clients)."""
        stats.need("updates", "FedMGDAPlus")
        xp = namespace(stats.share)
        count = masked_shares(stats) if self.about == "share" else xp.astype(stats.present, stats.share.dtype)
        about = normalised(count, "FedMGDAPlus", "are their data shares right? Try about='uniform'")
        given = to_host(xp.astype(about, xp.float64))
        gram, present = to_host(stats.gram()), to_host(stats.present)
        if not np.isfinite(gram).all():
            raise ValueError(f"FedMGDAPlus: round {stats.round}: an update is NaN or infinite; did a client diverge?")
        weights = np.zeros(present.shape)
        for place in np.ndindex(present.shape[:-1]):
            here = np.flatnonzero(present[place])
            weights[(*place, here)] = self._solved(gram[place][np.ix_(here, here)], given[place][here])
        answer: Array = xp.asarray(weights, dtype=stats.share.dtype, device=device_of(stats.share))
        return answer

    def total(self, stats: RoundStats) -> Any:
        """Σ λₖ/‖uₖ‖, which the weights sum to; shape (*batch,)."""
        return namespace(stats.share).sum(self(stats), axis=-1)

    def _solved(self, gram: Any, given: Any) -> Any:
        """λₖ/‖uₖ‖ of one cohort, (m,)."""
        length = np.sqrt(gram.diagonal())
        by = np.where((length > 0) & self.normalise, length, 1.0)
        low, high = np.maximum(given - self.epsilon, 0.0), np.minimum(given + self.epsilon, 1.0)
        return boxed(gram / by[:, None] / by, low, high) / by


ENTRY = RuleEntry(
    "fed-mgda-plus",
    FedMGDAPlus,
    "Hu et al. 2022",
    "eq. (9)",
    "λₖ/‖uₖ‖, λ = argmin ‖Σ λₖuₖ/‖uₖ‖‖², |λₖ − pₖ| <= ε",
    total="Σ λₖ/‖uₖ‖",
)
