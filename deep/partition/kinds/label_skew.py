"""Pathological label skew: exactly m classes per client, and contiguous shards of the data sorted by label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deep.partition.checks import Groups, Index, check_count, check_flag, check_labels
from deep.partition.sizes import members, shuffled_by_label
from theory.base.streams import stream

__all__ = ["Classes", "Shards"]


@dataclass(frozen=True)
class Classes:
    """Every client holds exactly `m` classes; a class is cut evenly among those who hold it.

    Source: fedssa 5.1, NIID-1 (m = C/5, five clients); efl 5.2 and A.3, non-IID(m).
    Which classes go to whom is open. Here clients choose in turn, each the m classes held least so far, ties by lot:
    no class is held by two clients more than another, and with n_clients · m = C every class has one owner.
    `equal`: every share is cut down to the smallest one, so that all clients have the same size and some samples go
    unused (efl: «every client ends up with the same number of data points»; its Table 5 prints deviations above 0).
    Otherwise every sample is used.
    """

    m: int = 2
    equal: bool = False

    def __post_init__(self) -> None:
        check_count(self, "m")
        check_flag(self, "equal")

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """`n_clients` sorted index arrays.

        Raises `ValueError` when there are fewer than m classes, when n_clients · m leaves a class without a client,
        or when a class has fewer samples than clients.
        """
        labels = check_labels("Classes", labels, n_clients)
        classes, available = np.unique(labels, return_counts=True)
        call = f"Classes(m={self.m}), n_clients={n_clients}"
        if self.m > classes.size:
            raise ValueError(f"{call}: the labels have only {classes.size} classes")
        if n_clients * self.m < classes.size:
            enough = -(-classes.size // n_clients)
            raise ValueError(f"{call}: {classes.size} classes, so some would have no client; take m >= {enough}")
        rng = stream(seed, "partition classes")
        holds = _choose(n_clients, classes.size, self.m, rng)
        holders = holds.sum(axis=0)
        if np.any(available < holders):
            short = int(np.argmax(available < holders))
            raise ValueError(
                f"{call}: class {classes[short]} has {available[short]} samples for {holders[short]} clients"
            )
        smallest = int(np.min(available // holders))
        owner = np.full(labels.size, -1)
        for label, who in zip(members(labels, classes), holds.T, strict=True):
            pieces = np.array_split(rng.permutation(label), int(who.sum()))
            for client, piece in zip(rng.permutation(np.flatnonzero(who)), pieces, strict=True):
                owner[piece[:smallest] if self.equal else piece] = client
        return tuple(np.flatnonzero(owner == client) for client in range(n_clients))


def _choose(n_clients: int, n_classes: int, m: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Booleans (n_clients, n_classes), m true in each row, column sums within one of each other."""
    holds = np.zeros((n_clients, n_classes), dtype=np.bool_)
    for client in range(n_clients):
        lot = rng.random(n_classes)
        holds[client, np.lexsort((lot, holds.sum(axis=0)))[:m]] = True
    return holds


@dataclass(frozen=True)
class Shards:
    """The data sorted by label are cut in `per_client` · n_clients contiguous shards, which are dealt by lot.

    Source: McMahan et al. 2017 (200 shards, two per client); robust_aggregation 4.1, non-IID framework («distribute
    these shards generating an unbalanced partition … each client has at least one shard»). Order inside a label is
    random; shards differ by at most one sample; every sample is used.
    `unequal`: `per_client` is the mean only: everyone gets one shard, each further one goes to a uniformly drawn
    client. The paper gives neither number nor size of its shards, nor this law.
    """

    per_client: int = 2
    unequal: bool = False

    def __post_init__(self) -> None:
        check_count(self, "per_client")
        check_flag(self, "unequal")
        if self.unequal and self.per_client == 1:
            raise ValueError("Shards(per_client=1, unequal=True): no shard is left to make clients unequal; take >= 2")

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """`n_clients` sorted index arrays; `ValueError` when there are fewer samples than shards."""
        labels = check_labels("Shards", labels, n_clients)
        n_shards = self.per_client * n_clients
        if n_shards > labels.size:
            raise ValueError(
                f"Shards(per_client={self.per_client}), n_clients={n_clients}: {n_shards} shards of {labels.size}"
                " samples; lower one of the two"
            )
        rng = stream(seed, "partition shards")
        shards = np.array_split(shuffled_by_label(labels, rng), n_shards)
        dealt = np.repeat(np.arange(n_clients), self.per_client)
        if self.unequal:
            dealt[n_clients:] = rng.integers(n_clients, size=n_shards - n_clients)
            dealt[:n_clients] = np.arange(n_clients)
        dealt = rng.permutation(dealt)
        return tuple(
            np.sort(np.concatenate([shards[i] for i in np.flatnonzero(dealt == client)])) for client in range(n_clients)
        )
