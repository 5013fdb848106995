"""What a division looks like: counts per client and class, sizes, class shares, and one number for the skew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deep.partition.checks import Index
from deep.partition.holdings import Holdings

__all__ = ["DivisionReport", "describe", "partition_counts"]


def partition_counts(labels: Index, parts: Sequence[Index], n_classes: int) -> Index:
    """Samples per client and class, (n_clients, n_classes); rows sum to the clients' sizes.

    Raises `ValueError` for an empty client, or a label outside 0 … n_classes − 1.
    """
    labels = np.asarray(labels)
    if labels.size == 0 or labels.min() < 0 or labels.max() >= n_classes:
        found = "none" if labels.size == 0 else f"{labels.min()} to {labels.max()}"
        raise ValueError(f"partition_counts(labels=…): labels {found}; expected 0 to {n_classes - 1}")
    for client, part in enumerate(parts):
        if len(part) == 0:
            raise ValueError(f"partition_counts(parts=…): client {client} is empty; every client needs >= 1 sample")
    return np.stack([np.bincount(labels[part], minlength=n_classes) for part in parts])


@dataclass(frozen=True, eq=False)
class DivisionReport:
    """Numbers of some holdings; classes are those the clients train on, so flipped labels count as flipped.

    `counts`: samples per client and class, int64 (n_clients, n_classes). `kinds`: see `Holdings`.
    `n_unused`: samples nobody holds; `n_shared`: samples held more than once (fresh cohorts); `n_wrong`: labels that
    are not the true ones, int64 (n_clients,).
    """

    counts: Index
    kinds: tuple[str, ...]
    n_unused: int
    n_shared: int
    n_wrong: Index

    @property
    def sizes(self) -> Index:
        """nₖ, (n_clients,)."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def shares(self) -> NDArray[np.float64]:
        """Data shares pₖ = nₖ/n, (n_clients,)."""
        return np.asarray(self.sizes / self.sizes.sum())

    @property
    def class_shares(self) -> NDArray[np.float64]:
        """qₖ, a client's share of each class, (n_clients, n_classes); rows sum to 1."""
        return np.asarray(self.counts / self.sizes[:, None])

    @property
    def distances(self) -> NDArray[np.float64]:
        """Total variation ½ Σ_c |q_kc − q_c| of each client from the pooled classes q = Σ pₖ qₖ, (n_clients,)."""
        pooled = self.counts.sum(axis=0) / self.counts.sum()
        return np.asarray(np.abs(self.class_shares - pooled).sum(axis=1) / 2)

    @property
    def skew(self) -> float:
        """Label skew Σ pₖ · (total variation of qₖ from q), in [0, 1): 0 when all clients have the same classes.

        It is the share of the samples that would have to change their class; K clients of equal size without a class
        in common reach 1 − 1/K.
        """
        return float(self.shares @ self.distances)

    @property
    def size_spread(self) -> float:
        """Standard deviation of the sizes over their mean."""
        return float(self.sizes.std() / self.sizes.mean())

    def to_dict(self) -> dict[str, object]:
        """All of it in plain Python numbers, ready for `json.dumps`."""
        return {
            "counts": self.counts.tolist(),
            "kinds": list(self.kinds),
            "sizes": self.sizes.tolist(),
            "shares": self.shares.tolist(),
            "class_shares": self.class_shares.tolist(),
            "distances": self.distances.tolist(),
            "skew": self.skew,
            "size_spread": self.size_spread,
            "n_unused": self.n_unused,
            "n_shared": self.n_shared,
            "n_wrong": self.n_wrong.tolist(),
        }


def describe(holdings: Holdings, labels: Index, n_classes: int) -> DivisionReport:
    """The report on `holdings` of samples with true `labels` (n,) in 0 … n_classes − 1.

    Raises `ValueError` for an empty client, or a label outside 0 … n_classes − 1.
    """
    labels = np.asarray(labels)
    partition_counts(labels, holdings.parts, n_classes)  # for its checks; what the clients train on is counted below
    held = np.bincount(np.concatenate(holdings.parts), minlength=labels.size)
    return DivisionReport(
        counts=np.stack([np.bincount(own, minlength=n_classes) for own in holdings.labels]),
        kinds=holdings.kinds,
        n_unused=int((held == 0).sum()),
        n_shared=int((held > 1).sum()),
        n_wrong=np.array([(own != labels[p]).sum() for p, own in zip(holdings.parts, holdings.labels, strict=True)]),
    )
