"""Who holds which samples: label skew by Dirichlet draws, every client with a minimum size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from theory.streams import stream

__all__ = ["MAX_BETA", "MAX_DRAWS", "dirichlet_partition", "partition_counts"]

MAX_BETA = 1e6  # beyond it the draws equal 1/n_clients up to rounding, and NumPy's overflow in the end
MAX_DRAWS = 100

Index = NDArray[np.int64]


def dirichlet_partition(labels: Index, n_clients: int, beta: float, seed: int, min_size: int = 1) -> tuple[Index, ...]:
    """Indices of each client's samples: class c is cut in proportions q_c ~ Dir(β, …, β), one draw per class.

    `labels` (n,), any integers; the answer holds `n_clients` sorted index arrays, together each of 0 … n − 1 once.
    β > 0 small: few classes per client, uneven sizes; β large (at most `MAX_BETA`): equal clients.

    A draw that leaves a client with fewer than `min_size` samples is thrown away, `MAX_DRAWS` times at most. The last
    draw is then repaired: as long as the smallest client (the first among equals) is short, it gets one sample,
    drawn uniformly, of the largest one (again the first). Each move lowers what is missing by one, so this ends.

    Raises `ValueError` for empty labels, β outside its range, counts < 1, or n_clients · min_size > n.
    """
    labels = np.asarray(labels)
    n = labels.size
    if labels.ndim != 1 or n == 0 or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError(
            f"dirichlet_partition(labels=…): {labels.dtype} of shape {labels.shape}; expected integers (n,), n >= 1"
        )
    if n_clients < 1:
        raise ValueError(f"dirichlet_partition(n_clients={n_clients}): must be >= 1")
    if not 0 < beta <= MAX_BETA:
        raise ValueError(f"dirichlet_partition(beta={beta}): must be in (0, {MAX_BETA:g}]; large values mean no skew")
    if min_size < 1:
        raise ValueError(f"dirichlet_partition(min_size={min_size}): must be >= 1; an empty client has no loss")
    if n_clients * min_size > n:
        raise ValueError(
            f"dirichlet_partition(n_clients={n_clients}, min_size={min_size}): needs {n_clients * min_size} samples,"
            f" has {n}; lower one of the two"
        )
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
