"""Dirichlet skew the other way round: every client draws its own class shares, all clients have one size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deep.partition.checks import Groups, Index, check_labels, check_range
from deep.partition.kinds.dirichlet import MAX_BETA
from deep.partition.sizes import Shares, members, rounded
from theory.base.streams import stream

__all__ = ["DirichletClients"]


@dataclass(frozen=True)
class DirichletClients:
    """Client k draws qₖ ~ Dir(β C · p) and its samples by qₖ without replacement; p: shares of the data's C classes.

    Source: Hsu et al. 2019, cited by fedaware 5 («latent Dirichlet allocation over labels») and by fedssa 5 for its β;
    fedssa 5.1 and much code cut each class instead, see `Dirichlet`. Balanced data give Dir(β, …, β).
    Sizes differ by at most one and every sample is used. When a class runs out, the rest of a client is drawn from
    qₖ on the classes left, or from what they hold when qₖ is 0 there, as at the last of the clients, which come in
    random order.
    """

    beta: float = 0.1

    def __post_init__(self) -> None:
        check_range(self, "beta", 0.0, MAX_BETA, open_low=True)

    def parts(self, labels: Index, n_clients: int, seed: int, groups: Groups | None = None) -> tuple[Index, ...]:
        """`n_clients` sorted index arrays, every sample in one; `ValueError` for fewer samples than clients."""
        labels = check_labels("DirichletClients", labels, n_clients)
        classes, left = np.unique(labels, return_counts=True)
        rng = stream(seed, "partition dirichlet clients")
        prior = np.maximum(self.beta * classes.size * left / labels.size, np.finfo(np.float64).tiny)
        sizes = rounded(labels.size, np.full(n_clients, 1 / n_clients))
        counts = np.zeros((n_clients, classes.size), dtype=np.int64)
        for client in rng.permutation(n_clients):
            q = rng.dirichlet(prior)
            counts[client] = _taken(q, left, int(sizes[client]), rng)
            left = left - counts[client]
        owner = np.empty(labels.size, dtype=np.int64)
        for label, wanted in zip(members(labels, classes), counts.T, strict=True):
            owner[rng.permutation(label)] = np.repeat(np.arange(n_clients), wanted)
        return tuple(np.flatnonzero(owner == client) for client in range(n_clients))


def _taken(q: Shares, left: Index, size: int, rng: np.random.Generator) -> Index:
    """Samples of each class that a client takes, (n_classes,), at most `left`; a pass fills it or empties a class."""
    taken = np.zeros_like(left)
    while taken.sum() < size:
        room = left - taken
        odds = np.where(room > 0, q, 0.0)
        if not odds.sum() > 0:
            odds = room.astype(np.float64)
        drawn = rng.multinomial(size - int(taken.sum()), odds / odds.sum())
        taken = taken + np.minimum(drawn, room)
    return taken
