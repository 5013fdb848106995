"""Partitions without label skew: equal IID parts, and parts of unequal size with one label distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deep.partition.checks import Groups, Index, check_count, check_labels, check_range
from deep.partition.sizes import deal, log_normal_sizes, shuffled_by_label
from theory.base.streams import stream

__all__ = ["Iid", "Stratified"]


@dataclass(frozen=True)
class Iid:
    """A random permutation cut in equal parts; sizes differ by at most one, every sample is used.

    Source: efl A.3 («randomly into equally sized shards»); exp_alpha A.5, IID setting.
    """

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """`n_clients` sorted index arrays; `ValueError` for labels that are no (n,) integers, or too few."""
        labels = check_labels("Iid", labels, n_clients)
        order = stream(seed, "partition iid").permutation(labels.size)
        return tuple(np.sort(part) for part in np.array_split(order, n_clients))


@dataclass(frozen=True)
class Stratified:
    """Unequal sizes, the same label distribution everywhere: the data, sorted by label, are dealt out like cards.

    Source: robust_aggregation 4.1, IID framework («sort data according to labels, choose the cardinality of the
    different local datasets and distribute the items preserving an identical label distribution»). The law of the
    cardinalities is not given; here log nₖ is normal with deviation `sigma` (0: equal) above `min_size`. A client's
    count of a class is within 1 + nₖ/n̄ of its exact share. Every sample is used.
    """

    sigma: float = 0.5
    min_size: int = 1

    def __post_init__(self) -> None:
        check_range(self, "sigma", 0.0, 10.0)
        check_count(self, "min_size")

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """`n_clients` sorted index arrays; `ValueError` when n_clients · min_size exceeds the samples."""
        labels = check_labels("Stratified", labels, n_clients, self.min_size)
        rng = stream(seed, "partition stratified")
        sizes = log_normal_sizes(labels.size, n_clients, self.sigma, self.min_size, rng)
        owner = np.empty(labels.size, dtype=np.int64)
        owner[shuffled_by_label(labels, rng)] = deal(sizes)
        return tuple(np.flatnonzero(owner == client) for client in range(n_clients))
