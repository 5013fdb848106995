"""Balanced and skewed clients side by side in one federation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deep.partition.checks import Groups, Index, check_choice, check_count, check_labels, check_range
from deep.partition.kinds.dirichlet import MAX_BETA, ROUNDINGS, dirichlet_partition
from deep.partition.sizes import deal, rounded, shuffled_by_label
from theory.base.streams import stream

__all__ = ["HalfBalanced"]


@dataclass(frozen=True)
class HalfBalanced:
    """The first half of the clients has balanced labels and equal sizes, the second half Dirichlet(β) skew.

    Source: fedaware B, Figure 7 («20 clients, where the first 10 have label-balanced datasets, and the remaining 10
    have label-unbalanced datasets», after FedLAW). The law of the skew is not given; here it is Dirichlet, and each
    half of the clients shares its part of the data, cut by label and proportional to its number of clients. With an
    odd number of clients the balanced half is the smaller one. Balanced means: the label distribution of the data.
    `rounding` of the skewed half as in `dirichlet_partition`: unless "nearest", the last client gets at least one
    sample of nearly every class there.
    """

    beta: float = 0.1
    min_size: int = 1
    rounding: str = "cumulative"

    def __post_init__(self) -> None:
        check_range(self, "beta", 0.0, MAX_BETA, open_low=True)
        check_count(self, "min_size")
        check_choice(self, "rounding", ROUNDINGS)

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """`n_clients` sorted index arrays, every sample in one; `ValueError` for one client, or too few samples."""
        labels = check_labels("HalfBalanced", labels, n_clients, self.min_size)
        if n_clients < 2:
            raise ValueError(f"HalfBalanced(), n_clients={n_clients}: must be >= 2, one for each half")
        n_balanced = n_clients // 2
        rng = stream(seed, "partition half balanced")
        sizes = rounded(labels.size, np.full(n_clients, 1 / n_clients))
        # One equal hand for each client, dealt from the sorted deck; the hands of the second half are put together.
        owner = np.empty(labels.size, dtype=np.int64)
        owner[shuffled_by_label(labels, rng)] = deal(sizes)
        rest = np.flatnonzero(owner >= n_balanced)
        n_skewed = n_clients - n_balanced
        skewed = dirichlet_partition(labels[rest], n_skewed, self.beta, seed, self.min_size, self.rounding)
        balanced = (np.flatnonzero(owner == client) for client in range(n_balanced))
        return (*balanced, *(rest[part] for part in skewed))
