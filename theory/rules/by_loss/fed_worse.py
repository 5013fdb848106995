"""FedWorse and FedBetter: only the clients with the largest, or smallest, excess loss count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from theory.base.arrays import Array
from theory.rules.by_loss.places import Inner, Of, Places
from theory.rules.entry import RuleEntry
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "FedBetter", "FedWorse"]


@dataclass(frozen=True)
class FedWorse:
    """aₖ = 1/|J| for k in J = argmax (Fₖ(w) − Fₖ*), else 0; with `k`, 1/m on the m largest, m = k.

    Source: robust_aggregation, "FedWorse" (RA-S-W, RA-D10) and "FedWorse(k)" (RA-S-WK).
    `k`: None for FedWorse as printed. `of` says what k is: a "count", or a fraction of "all" clients (the 10 % and 20 %
    of RA-X8) or of those "present"; m = max(⌊fraction·n⌋, 1), and everyone when fewer than m are present. The paper
    leaves open which of the two a percentage means, how it is rounded, and the `inner` weights of those kept:
    "uniform" 1/m (as Power-of-Choice) or "share" pₖ.
    Ties share: as printed for FedWorse; for FedWorse(k) those level at the m-th place split the places left, so more
    than m clients may then have weight. Raises `ValueError` for k out of range, and when with "share" all kept have
    share 0. Needs `loss_before` and `loss_best`.
    """

    needs: ClassVar[tuple[str, ...]] = ("loss_before", "loss_best")

    k: float | None = None
    of: Of = "count"
    inner: Inner = "uniform"

    def __post_init__(self) -> None:
        Places("FedWorse", self.k, self.of, self.inner)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        excess = stats.need("loss_before", "FedWorse") - stats.need("loss_best", "FedWorse")
        return Places("FedWorse", self.k, self.of, self.inner).weights(excess, stats)


@dataclass(frozen=True)
class FedBetter:
    """aₖ = 1/|J| for k in J = argmin (Fₖ(w) − Fₖ*), else 0; with `k`, 1/m on the m smallest.

    Source: robust_aggregation, "FedBetter" (RA-S-B) and "FedBetter(k)" (RA-S-BK); settings, ties and errors as
    `FedWorse`, in increasing order. Needs `loss_before` and `loss_best`.
    """

    needs: ClassVar[tuple[str, ...]] = ("loss_before", "loss_best")

    k: float | None = None
    of: Of = "count"
    inner: Inner = "uniform"

    def __post_init__(self) -> None:
        Places("FedBetter", self.k, self.of, self.inner)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        excess = stats.need("loss_before", "FedBetter") - stats.need("loss_best", "FedBetter")
        return Places("FedBetter", self.k, self.of, self.inner).weights(-excess, stats)


ENTRY = (
    RuleEntry(
        "fed-worse",
        FedWorse,
        "robust_aggregation",
        "RA-S-W, RA-S-WK",
        "1/|J| on J = argmax(Fₖ(w) − Fₖ*), or 1/m on the m largest",
    ),
    RuleEntry(
        "fed-better",
        FedBetter,
        "robust_aggregation",
        "RA-S-B, RA-S-BK",
        "1/|J| on J = argmin(Fₖ(w) − Fₖ*), or 1/m on the m least",
    ),
)
