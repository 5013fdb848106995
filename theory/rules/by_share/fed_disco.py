"""FedDisco: data shares less how far a client's classes are from those wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from theory.base.arrays import Array, namespace
from theory.base.checks import check_number, check_word
from theory.rules.entry import RuleEntry
from theory.rules.protocol import masked_shares, normalised
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "FedDisco"]


@dataclass(frozen=True)
class FedDisco:
    """aₖ ∝ max{0, pₖ − a·dₖ + b}, dₖ the discrepancy of the client's class distribution Dₖ from T.

    Source: Ye et al. 2023 (FedDisco), eq. for pₖ and Algorithm 1; named by fedaware §2. pₖ are the data shares among
    the clients present. `a` >= 0 and `b` are in units of a share, b may be below 0; 0.5 and 0.1 unless said otherwise.
    `metric` of dₖ: "l2" ‖Dₖ − T‖, or "kl" KL(Dₖ‖T). `target` T: "uniform" over the classes, or "mean", Σ pₖDₖ over
    the clients present (classes nobody has count 0). Needs the signal "label_counts", (*batch, n_clients, n_classes).
    Raises `ValueError` for counts below 0, a client present without any, and when nobody is left with a weight.

    >>> import numpy as np
    >>> counts = {"label_counts": np.array([[10.0, 10.0], [20.0, 0.0]])}
    >>> FedDisco(a=0.5, b=0.0)(RoundStats(np.array([0.5, 0.5]), np.array([True, True]), signals=counts)).round(4)
    array([0.7735, 0.2265])
    """

    needs: ClassVar[tuple[str, ...]] = ("label_counts",)

    a: float = 0.5
    b: float = 0.1
    metric: Literal["l2", "kl"] = "l2"
    target: Literal["uniform", "mean"] = "uniform"

    def __post_init__(self) -> None:
        check_number("FedDisco", "a", self.a, closed=True, hint="0 looks at shares alone")
        check_number("FedDisco", "b", self.b, low=-1.0, high=1e6)
        check_word("FedDisco", "metric", self.metric, ("l2", "kl"))
        check_word("FedDisco", "target", self.target, ("uniform", "mean"))

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        xp = namespace(stats.share)
        share = normalised(masked_shares(stats), "FedDisco", "are their data shares right?")
        raw = share - self.a * self._discrepancy(stats, share) + self.b
        kept = xp.where(stats.present & (raw > 0), raw, xp.zeros_like(raw))
        weights: Array = normalised(kept, "FedDisco", "expected a smaller a or a larger b")
        return weights

    def _discrepancy(self, stats: RoundStats, share: Any) -> Any:
        """dₖ of the clients present, (*batch, n_clients)."""
        counts = stats.need("label_counts", "FedDisco")
        xp = namespace(stats.share)
        if tuple(counts.shape[:-1]) != tuple(stats.share.shape):
            expected = (*stats.share.shape, "n_classes")
            raise ValueError(f"FedDisco: `label_counts` of shape {tuple(counts.shape)}; expected {expected}")
        counts = xp.astype(xp.where(stats.present[..., None], counts, xp.zeros_like(counts)), stats.share.dtype)
        total = xp.sum(counts, axis=-1, keepdims=True)
        if bool(xp.any(counts < 0)) or bool(xp.any(stats.present & ~(total[..., 0] > 0))):
            raise ValueError("FedDisco: `label_counts` of a client present are not all >= 0 with one > 0")
        own = counts / xp.where(total > 0, total, xp.ones_like(total))
        wanted = xp.full_like(own, 1 / own.shape[-1])
        if self.target == "mean":
            wanted = xp.zeros_like(own) + share[..., None, :] @ own
        if self.metric == "l2":
            return xp.sqrt(xp.sum((own - wanted) ** 2, axis=-1))
        ratio = xp.where(own > 0, own / xp.where(wanted > 0, wanted, xp.ones_like(wanted)), xp.ones_like(own))
        return xp.sum(own * xp.log(ratio), axis=-1)


ENTRY = RuleEntry("fed-disco", FedDisco, "Ye et al. 2023", "Algorithm 1", "∝ max{0, pₖ − a·dₖ + b}")
