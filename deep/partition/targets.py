"""The class distribution a global model is judged on, and the test samples or weights that follow it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deep.partition.checks import Index, check_choice, check_count, check_labels
from deep.partition.sizes import Shares, exponential_profile, members, rounded
from deep.partition.text import as_text, built
from theory.base.streams import stream

__all__ = [
    "TARGETS",
    "Exponential",
    "Mixture",
    "Skew",
    "Target",
    "Uniform",
    "known_mixture",
    "make_target",
    "target_sample",
    "target_text",
    "target_weights",
]


class Target(Protocol):
    """A class distribution."""

    def shares(self, counts: Index) -> Shares: ...


@dataclass(frozen=True)
class Uniform:
    """Every class has the share 1/C. Source: fedssa 5.1 («a balanced test dataset»)."""

    def shares(self, counts: Index) -> Shares:
        """Class shares (n_classes,), for clients' `counts` (n_clients, n_classes)."""
        counts = _checked("Uniform", counts)
        return np.full(counts.shape[1], 1 / counts.shape[1])


@dataclass(frozen=True)
class Skew:
    """The training distribution of one client, counted from 0: client 0 is the paper's Client 1. Source: fedssa 5.1."""

    client: int = 0

    def __post_init__(self) -> None:
        check_count(self, "client", 0)

    def shares(self, counts: Index) -> Shares:
        """Class shares (n_classes,) of that client; `ValueError` when `counts` (n_clients, n_classes) lack it."""
        counts = _checked("Skew", counts)
        if self.client >= len(counts):
            raise ValueError(f"Skew(client={self.client}): there are {len(counts)} clients, counted from 0")
        own = counts[self.client]
        return np.asarray(own / own.sum(), dtype=np.float64)


@dataclass(frozen=True)
class Mixture:
    """q = Σ pₖqₖ of the clients' training distributions qₖ, pₖ the `weights`, one per client, >= 0 with sum 1.

    Source: fedssa, Appendix A: the global objective Σ pₖFₖ of a target, here of a target whose p is known (SSA-D9).
    """

    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        given = self.weights
        numbers = isinstance(given, tuple) and all(
            isinstance(p, int | float) and not isinstance(p, bool) for p in given
        )
        if not numbers or not given or not min(given) >= 0 or not abs(sum(given) - 1) <= 1e-9:
            raise ValueError(f"Mixture(weights={given!r}): must be numbers >= 0 with sum 1, one per client")

    def shares(self, counts: Index) -> Shares:
        """Class shares (n_classes,); `ValueError` when `counts` (n_clients, n_classes) has other clients."""
        counts = _checked("Mixture", counts)
        if len(counts) != len(self.weights):
            raise ValueError(f"Mixture: {len(self.weights)} weights; expected one for each of {len(counts)} clients")
        own = counts / counts.sum(axis=1, keepdims=True)
        mixed = np.asarray(self.weights) @ own
        return np.asarray(mixed / mixed.sum(), dtype=np.float64)


@dataclass(frozen=True)
class Exponential:
    """n_c = n₁ ρ^(−(c−1)/(C−1)): the first class is ρ times the last. Source: fedssa 5.1 (Imb-A ρ = 100, Imb-B 50).

    *Differs:* the print has σ − 1 under c − 1 and says that C is the number of classes; σ is read as C. `order`:
    "given", or "reversed" for the last class largest.
    """

    rho: float = 100.0
    order: str = "given"

    def __post_init__(self) -> None:
        if isinstance(self.rho, bool) or not isinstance(self.rho, int | float) or not 1 <= self.rho <= 1e9:
            raise ValueError(f"Exponential(rho={self.rho!r}): must be a number in [1, 1e9]; 1 is uniform")
        check_choice(self, "order", ("given", "reversed"))

    def shares(self, counts: Index) -> Shares:
        """Class shares (n_classes,), for clients' `counts` (n_clients, n_classes)."""
        profile = exponential_profile(1 / self.rho, _checked("Exponential", counts).shape[1])
        return profile[::-1].copy() if self.order == "reversed" else profile


def target_weights(labels: Index, shares: Shares) -> NDArray[np.float64]:
    """A weight for each test sample, (n,), with sum 1: share q_c over the n_c samples of its class.

    The weighted accuracy estimates that on the target with all samples used. `labels` (n,) in 0 … n_classes − 1,
    `shares` (n_classes,). Raises `ValueError` when a class with a positive share has no sample.
    """
    labels, shares, available = _test_set("target_weights", labels, shares)
    return np.asarray((shares / np.maximum(available, 1))[labels], dtype=np.float64)


def target_sample(labels: Index, shares: Shares, seed: int, size: int | None = None) -> Index:
    """Sorted indices of test samples drawn without replacement in the target's proportions.

    Without `size` the subset is the largest: n_c = ⌊m · q_c⌋ with the largest m for which every n_c is there (as in
    fedssa, whose n₁ is then the whole first class of a balanced test set); with it, shares of `size` are rounded to
    that total. Raises `ValueError` when a class has too few samples.
    """
    labels, shares, available = _test_set("target_sample", labels, shares)
    if size is None:
        largest = 1 / np.max(shares / np.maximum(available, 1))
        # The class that decides the size comes back as available · (1 − ε): round what is an integer but for that.
        wanted = np.minimum(np.floor(largest * shares + 1e-9 * available).astype(np.int64), available)
    elif isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"target_sample(size={size!r}): must be an integer >= 1, or None for the largest")
    else:
        wanted = rounded(size, shares)
        if np.any(wanted > available):
            short = int(np.argmax(wanted > available))
            raise ValueError(
                f"target_sample(size={size}): needs {wanted[short]} samples of class {short}, there are"
                f" {available[short]}; lower the size, or leave it out for the largest"
            )
    rng = stream(seed, "target sample")
    pools = members(labels, np.arange(shares.size))
    return np.sort(np.concatenate([rng.permutation(pool)[:n] for pool, n in zip(pools, wanted, strict=True)]))


TARGETS: Mapping[str, type[Target]] = MappingProxyType(
    {"uniform": Uniform, "skew": Skew, "mixture": Mixture, "exponential": Exponential},
)


def known_mixture(target: Target, n_clients: int) -> Shares | None:
    """p with q = Σ pₖqₖ by the target's definition, (n_clients,): of `Mixture` and `Skew`; None for the others.

    Where clients' distributions are not linearly independent, other p give the same classes.
    """
    if isinstance(target, Skew) and target.client < n_clients:
        return np.asarray(np.arange(n_clients) == target.client, dtype=np.float64)
    if isinstance(target, Mixture) and len(target.weights) == n_clients:
        return np.asarray(target.weights, dtype=np.float64)
    return None


def make_target(text: str) -> Target:
    """The target that `text` describes; `ValueError` as `make_partition`.

    >>> make_target("exponential(rho=50)")
    Exponential(rho=50, order='given')
    """
    registry: Mapping[str, Callable[..., Target]] = TARGETS
    return built(registry, "target", text)


def target_text(target: Target) -> str:
    """The text that `make_target` turns back into `target`, every setting named."""
    return as_text(TARGETS, target)


def _checked(call: str, counts: Index) -> Index:
    counts = np.asarray(counts)
    if counts.ndim != 2 or counts.size == 0 or counts.min() < 0 or counts.sum(axis=1).min() == 0:
        raise ValueError(f"{call}.shares(counts=…): shape {counts.shape}; expected (n_clients, n_classes), no row zero")
    return counts


def _test_set(call: str, labels: Index, shares: Shares) -> tuple[Index, Shares, Index]:
    labels, shares = check_labels(call, labels, 1), np.asarray(shares, dtype=np.float64)
    if shares.ndim != 1 or not np.all(shares >= 0) or abs(float(shares.sum()) - 1) > 1e-9:
        raise ValueError(f"{call}(shares={shares.tolist()}): must be numbers >= 0 with sum 1, one per class")
    if labels.min() < 0 or labels.max() >= shares.size:
        raise ValueError(f"{call}(labels=…): labels {labels.min()} to {labels.max()}; expected 0 to {shares.size - 1}")
    available = np.bincount(labels, minlength=shares.size)
    if np.any((shares > 0) & (available == 0)):
        empty = int(np.argmax((shares > 0) & (available == 0)))
        raise ValueError(f"{call}: class {empty} has the share {shares[empty]:g} and no test sample")
    return labels, shares, available
