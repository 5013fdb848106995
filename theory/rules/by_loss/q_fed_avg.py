"""q-FedAvg: clients with a larger loss count for more, and the step shrinks with how far they went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from theory.base.arrays import Array, namespace
from theory.base.checks import check_number, check_word
from theory.rules.entry import RuleEntry
from theory.rules.protocol import masked_shares, normalised
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "QFedAvg"]


@dataclass(frozen=True)
class QFedAvg:
    """aₖ = cₖFₖ^q / Σ cⱼ(q·Fⱼ^{q−1}·L‖uⱼ‖² + Fⱼ^q), Fₖ at the broadcast model; they sum to less than 1 where q > 0.

    Source: Li, Sanjabi, Beirami and Smith 2020 (q-FFL), Algorithm 2: Δₖ = Fₖ^q·L(w − w̄ₖ), hₖ = q·Fₖ^{q−1}‖L(w − w̄ₖ)‖²
    + L·Fₖ^q, w ← w − Σ Δₖ/Σ hₖ; both divided by L here. `q` >= 0, 0 is the plain mean. `lipschitz` L > 0, 1/η there.
    cₖ, `mean`: "uniform" as printed, where clients were drawn by pₖ; "share" pₖ, where they were not.
    A loss at or below `floor` > 0, where powers have no use for it, counts as `floor`. Needs `loss_before` and
    `updates`. Raises `ValueError` when all weights are 0 before normalising.

    >>> import numpy as np
    >>> stats = RoundStats(np.array([0.5, 0.5]), np.array([True, True]), np.array([3.0, 1.0]), updates=np.eye(2))
    >>> QFedAvg(q=1.0, lipschitz=1.0)(stats)
    array([0.5       , 0.16666667])
    """

    needs: ClassVar[tuple[str, ...]] = ("loss_before", "updates")
    simplex: ClassVar[bool] = False

    q: float
    lipschitz: float
    mean: Literal["uniform", "share"] = "uniform"
    floor: float = 1e-10

    def __post_init__(self) -> None:
        check_number("QFedAvg", "q", self.q, closed=True, hint="0 is the plain mean")
        check_number("QFedAvg", "lipschitz", self.lipschitz, hint="1/η of the local steps")
        check_word("QFedAvg", "mean", self.mean, ("uniform", "share"))
        check_number("QFedAvg", "floor", self.floor)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights >= 0 that sum to `total`, shape (*batch, n_clients)."""
        weights, scale = self._parts(stats)
        xp = namespace(weights, stats.share)
        answer: Array = xp.astype(weights * scale[..., None], stats.share.dtype)
        return answer

    def total(self, stats: RoundStats) -> Any:
        """Σ cₖFₖ^q / Σ cₖ(q·Fₖ^{q−1}·L‖uₖ‖² + Fₖ^q), which the weights sum to; shape (*batch,)."""
        weights, scale = self._parts(stats)
        xp = namespace(weights, stats.share)
        return xp.astype(xp.sum(weights, axis=-1) * scale, stats.share.dtype)

    def _parts(self, stats: RoundStats) -> tuple[Any, Any]:
        """(cₖFₖ^q, what they are multiplied by), losses as parts of the largest one, so that powers stay in range."""
        loss, updates = stats.need("loss_before", "QFedAvg"), stats.need("updates", "QFedAvg")
        xp = namespace(loss, updates)
        here = xp.where(stats.present, loss, xp.zeros_like(loss))
        here = xp.where(here < self.floor, xp.full_like(here, self.floor), here)
        largest = xp.max(here, axis=-1, keepdims=True)
        part = here / largest
        count = masked_shares(stats) if self.mean == "share" else xp.astype(stats.present, stats.share.dtype)
        count = normalised(count, "QFedAvg", "are their data shares right? Try mean='uniform'")
        raised = count * part**self.q
        length = xp.sum(xp.astype(updates, xp.float64) ** 2, axis=-1)
        length = xp.where(stats.present, length, xp.zeros_like(length))
        slowed = raised + count * self.q * part ** (self.q - 1) * (self.lipschitz * (length / largest))
        return raised, 1 / xp.sum(slowed, axis=-1)


ENTRY = RuleEntry(
    "q-fed-avg",
    QFedAvg,
    "Li et al. 2020 (q-FFL)",
    "Algorithm 2",
    "Fₖ^q / Σ(q·Fⱼ^{q−1}·L‖uⱼ‖² + Fⱼ^q)",
    {"q": 1.0, "lipschitz": 10.0},
    total="Σ Fₖ^q / Σ(q·Fₖ^{q−1}·L‖uₖ‖² + Fₖ^q)",
)
