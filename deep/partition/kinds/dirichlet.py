"""Who holds which samples: label skew by Dirichlet draws, every client with a minimum size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deep.partition.checks import Groups, Index, check_choice, check_count, check_labels, check_range
from deep.partition.sizes import rounded
from theory.base.streams import stream

__all__ = ["MAX_BETA", "MAX_DRAWS", "ROUNDINGS", "Dirichlet", "dirichlet_partition"]

MAX_BETA = 1e6  # beyond it the draws equal 1/n_clients up to rounding, and NumPy's overflow in the end
MAX_DRAWS = 100
ROUNDINGS = ("cumulative", "nearest")


@dataclass(frozen=True)
class Dirichlet:
    """Class c is cut among the clients in proportions q_c ~ Dir(β, …, β); see `dirichlet_partition`.

    Source: fedssa 5.1, NIID-2 (β = 0.5); fedaware 5 (β = 0.1, 100 clients). The papers name no minimum size.
    `rounding` "cumulative", the way of most public code, treats the last client unlike the others: it gets at least
    one sample of nearly every class, and the first half a sample a class less; "nearest" favours no place.
    """

    beta: float = 0.5
    min_size: int = 1
    rounding: str = "cumulative"

    def __post_init__(self) -> None:
        check_range(self, "beta", 0.0, MAX_BETA, open_low=True)
        check_count(self, "min_size")
        check_choice(self, "rounding", ROUNDINGS)

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """`n_clients` sorted index arrays, every sample in one; `ValueError` as `dirichlet_partition`."""
        return dirichlet_partition(labels, n_clients, self.beta, seed, self.min_size, self.rounding)


def dirichlet_partition(
    labels: Index, n_clients: int, beta: float, seed: int, min_size: int = 1, rounding: str = "cumulative"
) -> tuple[Index, ...]:
    """Indices of each client's samples: class c is cut in proportions q_c ~ Dir(β, …, β), one draw per class.

    `labels` (n,), any integers; the answer holds `n_clients` sorted index arrays, together each of 0 … n − 1 once.
    β > 0 small: few classes per client, uneven sizes; β large (at most `MAX_BETA`): equal clients.

    A draw that leaves a client with fewer than `min_size` samples is thrown away, `MAX_DRAWS` times at most. The last
    draw is then repaired: as long as the smallest client (the first among equals) is short, it gets one sample,
    drawn uniformly, of the largest one (again the first). Each move lowers what is missing by one, so this ends.

    `rounding` of class c, n_c samples, to whole ones:
    - "cumulative": cuts at ⌊n_c · (q_c1 + … + q_ck)⌋, as most public code has it. Every cut is rounded down, so that
      the first client loses half a sample of each class on average and the last one gains it: where most shares are
      below a sample, it alone holds nearly every class (100 clients, β = 0.1, ten classes of 5,000: 9.8 classes, others
      4.9), and where parts are small it is larger by half a sample a class.
    - "nearest": ⌊n_c · q_ck⌋, then one each to the largest remainders, ties by lot, those of the repair, too: no place
      among the clients is favoured.

    Raises `ValueError` for empty labels, β outside its range, counts < 1, n_clients · min_size > n or another rounding.
    """
    labels = check_labels("dirichlet_partition", labels, n_clients, min_size)
    if not 0 < beta <= MAX_BETA:
        raise ValueError(f"dirichlet_partition(beta={beta}): must be in (0, {MAX_BETA:g}]; large values mean no skew")
    if rounding not in ROUNDINGS:
        raise ValueError(f"dirichlet_partition(rounding={rounding!r}): must be one of {', '.join(ROUNDINGS)}")
    nearest = rounding == "nearest"
    for attempt in range(MAX_DRAWS):
        owner = _draw(labels, n_clients, beta, seed, attempt, nearest)
        if np.bincount(owner, minlength=n_clients).min() >= min_size:
            break
    else:
        lot = stream(seed, "partition lots").permutation(n_clients) if nearest else np.arange(n_clients)
        owner = np.argsort(lot)[_repaired(lot[owner], n_clients, min_size, seed)]
    return tuple(np.flatnonzero(owner == client) for client in range(n_clients))


def _draw(labels: Index, n_clients: int, beta: float, seed: int, attempt: int, nearest: bool) -> Index:
    """The owner of each sample, (n,), from one Dirichlet draw per class."""
    rng = stream(seed, "partition", attempt)
    owner = np.empty(labels.size, dtype=np.int64)
    for label in np.unique(labels):
        members = rng.permutation(np.flatnonzero(labels == label))
        proportions = rng.dirichlet(np.full(n_clients, beta))
        if nearest:
            sizes, lot = np.empty(n_clients, dtype=np.int64), rng.permutation(n_clients)
            sizes[lot] = rounded(members.size, proportions[lot])
            cuts = np.cumsum(sizes)[:-1]
        else:
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
