"""Who holds which samples: label skew by Dirichlet draws, every client with a minimum size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deep.partition.checks import Groups, Index, check_count, check_labels, check_range
from theory.streams import stream

__all__ = ["MAX_BETA", "MAX_DRAWS", "Dirichlet", "dirichlet_partition"]

MAX_BETA = 1e6  # beyond it the draws equal 1/n_clients up to rounding, and NumPy's overflow in the end
MAX_DRAWS = 100


@dataclass(frozen=True)
class Dirichlet:
    """Class c is cut among the clients in proportions q_c ~ Dir(β, …, β); see `dirichlet_partition`.

    Source: fedssa 5.1, NIID-2 (β = 0.5); fedaware 5 (β = 0.1, 100 clients). The papers name no minimum size.
    """

    beta: float = 0.5
    min_size: int = 1

    def __post_init__(self) -> None:
        check_range(self, "beta", 0.0, MAX_BETA, open_low=True)
        check_count(self, "min_size")

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """`n_clients` sorted index arrays, every sample in one; `ValueError` as `dirichlet_partition`."""
        return dirichlet_partition(labels, n_clients, self.beta, seed, self.min_size)


def dirichlet_partition(labels: Index, n_clients: int, beta: float, seed: int, min_size: int = 1) -> tuple[Index, ...]:
    """Indices of each client's samples: class c is cut in proportions q_c ~ Dir(β, …, β), one draw per class.

    `labels` (n,), any integers; the answer holds `n_clients` sorted index arrays, together each of 0 … n − 1 once.
    β > 0 small: few classes per client, uneven sizes; β large (at most `MAX_BETA`): equal clients.

    A draw that leaves a client with fewer than `min_size` samples is thrown away, `MAX_DRAWS` times at most. The last
    draw is then repaired: as long as the smallest client (the first among equals) is short, it gets one sample,
    drawn uniformly, of the largest one (again the first). Each move lowers what is missing by one, so this ends.

    Raises `ValueError` for empty labels, β outside its range, counts < 1, or n_clients · min_size > n.
    """
    labels = check_labels("dirichlet_partition", labels, n_clients, min_size)
    if not 0 < beta <= MAX_BETA:
        raise ValueError(f"dirichlet_partition(beta={beta}): must be in (0, {MAX_BETA:g}]; large values mean no skew")
    for attempt in range(MAX_DRAWS):
        owner = _draw(labels, n_clients, beta, seed, attempt)
        if np.bincount(owner, minlength=n_clients).min() >= min_size:
            break
    else:
        owner = _repaired(owner, n_clients, min_size, seed)
    return tuple(np.flatnonzero(owner == client) for client in range(n_clients))


def _draw(labels: Index, n_clients: int, beta: float, seed: int, attempt: int) -> Index:
    """The owner of each sample, (n,), from one Dirichlet draw per class."""
    rng = stream(seed, "partition", attempt)
    owner = np.empty(labels.size, dtype=np.int64)
    for label in np.unique(labels):
        members = rng.permutation(np.flatnonzero(labels == label))
        proportions = rng.dirichlet(np.full(n_clients, beta))
        cuts = np.floor(np.cumsum(proportions)[:-1] * members.size).astype(np.int64)
        for client, part in enumerate(np.split(members, cuts)):
            owner[part] = client
    return owner


def _repaired(owner: Index, n_clients: int, min_size: int, seed: int) -> Index:
    """`owner` with samples of the largest clients moved until every client has `min_size`."""
    rng = stream(seed, "partition-repair")
    owner = owner.copy()
    sizes = np.bincount(owner, minlength=n_clients)
    while sizes.min() < min_size:
        smallest, largest = int(sizes.argmin()), int(sizes.argmax())
        owner[rng.choice(np.flatnonzero(owner == largest))] = smallest
        sizes[smallest] += 1
        sizes[largest] -= 1
    return owner
