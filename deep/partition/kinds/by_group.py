"""Natural clients: one domain, speaking role or user each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deep.partition.checks import Groups, Index, check_count, check_labels
from theory.base.streams import stream

__all__ = ["Clients", "Domains", "Speakers", "Users"]


@dataclass(frozen=True)
class Clients:
    """Client k holds all samples of the k-th client that the data name, in sorted order of their names.

    A client whose samples all went to validation and test has none to train on, and is refused.
    """

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """As `Domains.parts`, `groups` (n,) being each sample's client."""
        return _each("Clients", "clients", labels, n_clients, groups)


@dataclass(frozen=True)
class Domains:
    """Client k holds all samples of the k-th domain, in sorted order of the domains' names or numbers.

    Source: exp_alpha 4.3 («We distribute the data from each domain to a client separately»).
    """

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """One sorted index array per domain; `groups` (n,) is each sample's domain, integers or text.

        Raises `ValueError` without groups, or when n_clients is not the number of domains.
        """
        return _each("Domains", "domains", labels, n_clients, groups)


@dataclass(frozen=True)
class Speakers:
    """Each client is one speaking role, drawn uniformly among those with at least `min_size` samples.

    Source: efl A.3, Shakespeare («a participant dataset for each speaking role and sample 132 speaking roles with at
    least five lines»). *Differs:* counts samples, which are lines only where the reader makes one sample of a line.
    """

    min_size: int = 5

    def __post_init__(self) -> None:
        check_count(self, "min_size")

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """`n_clients` sorted index arrays, in sorted order of the roles; `groups` (n,) is each sample's role.

        Raises `ValueError` without groups, or when too few roles have enough samples.
        """
        return _drawn("Speakers", labels, n_clients, seed, groups, self.min_size)


@dataclass(frozen=True)
class Users:
    """Each client is one user, drawn uniformly among those with at least `min_size` samples.

    Source: efl A.3 and Table 5, Sentiment140 (1,503 devices); how they were chosen is not said.
    """

    min_size: int = 1

    def __post_init__(self) -> None:
        check_count(self, "min_size")

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """As `Speakers.parts`, `groups` (n,) being each sample's user."""
        return _drawn("Users", labels, n_clients, seed, groups, self.min_size)


def _each(call: str, what: str, labels: Index, n_clients: int, groups: Groups | None) -> tuple[Index, ...]:
    """A client for each group; `what` the groups are, in errors."""
    found = _by_group(call, check_labels(call, labels, n_clients), groups)
    if len(found) != n_clients:
        raise ValueError(
            f"{call}(), n_clients={n_clients}: the data have {len(found)} {what}; one client each; expected"
            f" n_clients={len(found)}"
        )
    return found


def _drawn(
    call: str, labels: Index, n_clients: int, seed: int, groups: Groups | None, min_size: int
) -> tuple[Index, ...]:
    labels = check_labels(call, labels, n_clients)
    large = [part for part in _by_group(call, labels, groups) if part.size >= min_size]
    if len(large) < n_clients:
        raise ValueError(
            f"{call}(min_size={min_size}), n_clients={n_clients}: only {len(large)} groups have that many samples"
        )
    chosen = stream(seed, "partition groups").choice(len(large), n_clients, replace=False)
    return tuple(large[i] for i in np.sort(chosen))


def _by_group(call: str, labels: Index, groups: Groups | None) -> tuple[Index, ...]:
    """The increasing indices of each group, in sorted order of the groups."""
    if groups is None:
        raise ValueError(f"{call}: needs groups, one per sample; this data set has none")
    groups = np.asarray(groups)
    if groups.shape != labels.shape:
        raise ValueError(f"{call}(groups=…): shape {groups.shape}; expected {labels.shape}, one per sample")
    _, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    return tuple(np.split(np.argsort(place, kind="stable"), np.cumsum(sizes)[:-1]))
