"""Holdings: who takes part, with which samples, under which labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deep.partition.checks import Groups, Index, check_labels, check_parts
from deep.partition.kinds.flips import Flipped, Partition

__all__ = ["Holdings", "divide"]


@dataclass(frozen=True, eq=False)
class Holdings:
    """Some clients, one entry each in every field.

    `clients`: their numbers; `parts`: sorted indices of their samples; `labels`: the labels they train on, in the
    order of the part; `kinds`: what each is, in a word, for tables («ratio=0.01», «flipped=1», «clean»; else empty).
    """

    clients: tuple[int, ...]
    parts: tuple[Index, ...]
    labels: tuple[Index, ...]
    kinds: tuple[str, ...]

    def select(self, places: Index) -> Holdings:
        """The holdings at these places, in this order."""
        return Holdings(
            clients=tuple(self.clients[i] for i in places),
            parts=tuple(self.parts[i] for i in places),
            labels=tuple(self.labels[i] for i in places),
            kinds=tuple(self.kinds[i] for i in places),
        )


def divide(partition: Partition, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> Holdings:
    """The whole population of a partition, checked: no empty client, no index outside, no sample held twice.

    `labels` (n,), any integers; `groups` (n,) where the partition needs them. The same seed gives the same holdings.
    Raises `ValueError` as the partition does, and for a partition that breaks these promises.
    """
    parts = partition.parts(labels, n_clients, seed, groups)  # first, so that its own message comes first
    labels = check_labels("divide", labels, n_clients)
    check_parts(f"divide({partition!r})", parts, labels.size, n_clients)
    clients = tuple(range(n_clients))
    if not isinstance(partition, Flipped):
        return Holdings(clients, parts, tuple(labels[part] for part in parts), ("",) * n_clients)
    bad = partition.corrupted(n_clients, seed)
    kinds = tuple(f"flipped={partition.flip_ratio:g}" if flag else "clean" for flag in np.asarray(bad))
    return Holdings(clients, parts, partition.relabelled(labels, parts, seed), kinds)
