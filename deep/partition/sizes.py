"""Whole numbers of samples: rounding to a fixed total, unequal sizes, and dealing a sorted deck."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deep.partition.checks import Index

__all__ = ["Shares", "deal", "exponential_profile", "log_normal_sizes", "members", "rounded", "shuffled_by_label"]

Shares = NDArray[np.float64]


def rounded(total: int, shares: Shares) -> Index:
    """Integers closest to total · shares with exactly this total: floors, then one each to the largest remainders.

    `shares` (k,) >= 0 with sum 1; the first among equal remainders comes first. Every entry is within 1 of its share.
    """
    exact = total * shares
    counts = np.floor(exact).astype(np.int64)
    order = np.argsort(-(exact - counts), kind="stable")
    counts[order[: total - int(counts.sum())]] += 1
    return counts


def log_normal_sizes(n: int, n_clients: int, sigma: float, min_size: int, rng: np.random.Generator) -> Index:
    """Sizes nₖ = min_size + (n − n_clients · min_size) · wₖ / Σ w with log wₖ ~ N(0, σ²), rounded; they sum to n."""
    weights = np.exp(sigma * rng.standard_normal(n_clients))
    return min_size + rounded(n - n_clients * min_size, weights / weights.sum())


def exponential_profile(ratio: float, n_classes: int) -> Shares:
    """Shares q_c ∝ ratio^(c/(C−1)) of classes c = 0 … C − 1, (n_classes,): smallest over largest is `ratio`."""
    profile = ratio ** (np.arange(n_classes) / max(n_classes - 1, 1))
    return np.asarray(profile / profile.sum(), dtype=np.float64)


def shuffled_by_label(labels: Index, rng: np.random.Generator) -> Index:
    """All indices sorted by label, (n,), in random order inside each label."""
    order = rng.permutation(labels.size)
    return order[np.argsort(labels[order], kind="stable")]


def members(labels: Index, classes: Index) -> list[Index]:
    """The increasing indices of each class, one array per entry of the sorted `classes`."""
    order = np.argsort(labels, kind="stable")
    cuts = np.searchsorted(labels[order], classes)
    return np.split(order, cuts[1:])


def deal(sizes: Index) -> Index:
    """The client who gets each card of a deck of Σ sizes cards, (n,): client k every n/nₖ-th card.

    Client k's j-th card has the time (j + ½)/nₖ and the deck is dealt in order of time, ties to the first client. Of
    any m cards in a row, client k gets within 1 + nₖ/n̄ of its share m · nₖ/n, n̄ being the mean size.
    """
    owner = np.repeat(np.arange(sizes.size), sizes)
    place = np.arange(owner.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return owner[np.argsort((place + 0.5) / sizes[owner], kind="stable")]
