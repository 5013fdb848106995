"""Exponential class imbalance: the counts of a client's classes fall off geometrically, the parts are disjoint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deep.partition.checks import Groups, Index, check_choice, check_count, check_labels, check_range, check_ratios
from deep.partition.sizes import exponential_profile, members, rounded
from theory.base.streams import stream

__all__ = ["ORDERS", "Imbalance", "imbalanced_counts"]

ORDERS = ("given", "rotated", "random")


def imbalanced_counts(ratio: float, n_classes: int, size: int, order: str, client: int, seed: int) -> Index:
    """Samples per class of one client, (n_classes,), summing to `size`: ∝ ratio^(place/(C−1)), rounded.

    Source: exp_alpha 4.1, after Cao et al. 2019: `ratio` is the smallest class over the largest. `order` says which
    class has which place: "given" (the first class is the largest, for every client, as in Cao et al.), "rotated"
    (client k starts at class k mod C), "random" (a permutation of its own, from the stream of (seed, client)).
    Raises `ValueError` for another order.
    """
    if order not in ORDERS:
        raise ValueError(f"imbalanced_counts(order={order!r}): must be one of {', '.join(ORDERS)}")
    places = np.arange(n_classes)
    if order == "rotated":
        places = (places - client) % n_classes
    elif order == "random":
        places = stream(seed, "imbalance order", client).permutation(n_classes)
    return rounded(size, exponential_profile(ratio, n_classes)[places])


@dataclass(frozen=True)
class Imbalance:
    """Disjoint clients of one size, each with an exponential profile of its classes.

    Source: exp_alpha 4.1, Imbalanced CIFAR10; equal sizes as in its remark |Ξᵢ| = |Ξⱼ|. `ratio` in (0, 1], smallest
    class over largest: one for all clients, or a list with one per client. `order`: see `imbalanced_counts`; with
    "rotated" and a multiple of C clients of one ratio, balanced data are used up. `size` of a client; None for the
    largest the data allow. Not every sample is used. A class whose share of `size` rounds to 0 is absent.
    *Differs:* the paper draws new clients each round; that is `deep.partition.ImbalancedCohorts`.
    """

    ratio: float | tuple[float, ...] = 0.01
    order: str = "rotated"
    size: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.ratio, tuple):
            check_ratios(self, "ratio")
        else:
            check_range(self, "ratio", 0.0, 1.0, open_low=True)
        check_choice(self, "order", ORDERS)
        if self.size is not None:
            check_count(self, "size")

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """`n_clients` sorted index arrays of one size.

        Raises `ValueError` when the number of ratios is not n_clients, or when the classes hold too few samples.
        """
        labels = check_labels("Imbalance", labels, n_clients)
        ratios = self.ratio if isinstance(self.ratio, tuple) else (self.ratio,) * n_clients
        if len(ratios) != n_clients:
            raise ValueError(f"Imbalance(ratio={self.ratio}): {len(ratios)} ratios for n_clients={n_clients}")
        classes, available = np.unique(labels, return_counts=True)
        if self.size is not None:
            counts = self._counts(ratios, classes.size, self.size, seed)
            short = np.flatnonzero(counts.sum(axis=0) > available)
            if short.size:
                raise ValueError(
                    f"Imbalance(size={self.size}), n_clients={n_clients}: needs {counts[:, short[0]].sum()} samples of"
                    f" class {classes[short[0]]}, has {available[short[0]]}; lower one of the two"
                )
        else:
            counts = self._largest(ratios, available, seed, n_clients)
        rng = stream(seed, "partition imbalance")
        owner = np.full(labels.size, -1)
        for label, wanted in zip(members(labels, classes), counts.T, strict=True):
            drawn = rng.permutation(label)[: wanted.sum()]
            owner[drawn] = np.repeat(np.arange(n_clients), wanted)
        return tuple(np.flatnonzero(owner == client) for client in range(n_clients))

    def _counts(self, ratios: tuple[float, ...], n_classes: int, size: int, seed: int) -> Index:
        """Samples per client and class, (n_clients, n_classes)."""
        return np.stack([imbalanced_counts(r, n_classes, size, self.order, k, seed) for k, r in enumerate(ratios)])

    def _largest(self, ratios: tuple[float, ...], available: Index, seed: int, n_clients: int) -> Index:
        """The counts of the largest size that fits, searched downwards from n / n_clients."""
        # Demand is within n_clients of size · Σₖ q_kc: start where that alone forbids more, not at n / n_clients.
        density = self._counts(ratios, available.size, 1_000_000, seed).sum(axis=0) / 1e6
        bound = np.min((available + n_clients) / np.maximum(density, 1e-9))
        for size in range(int(min(available.sum() // n_clients, bound + 1)), 0, -1):
            counts = self._counts(ratios, available.size, size, seed)
            if np.all(counts.sum(axis=0) <= available):
                return counts
        raise ValueError(
            f"Imbalance(ratio={self.ratio}), n_clients={n_clients}: not even one sample each fits classes of"
            f" {available.tolist()} samples; lower n_clients"
        )
