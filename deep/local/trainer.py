"""Trainer: what every way of training the clients of a round takes and gives, and what it may rely on."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Protocol

from torch import Tensor

from deep.local.batches import LocalBatches
from deep.local.pool import Client, Pool
from deep.models import Model, initial_buffers, n_parameters

__all__ = ["Trainer", "check_training"]


class Trainer(Protocol):
    """wₖ ← wₖ − η ∇(mean loss over the real samples of the batch), once per batch, for every client k of a round.

    `start` (m, n_parameters) and `buffers` (m, n_buffers), each client's own, are not changed; they, the samples of
    `pool`, and index and targets of the `clients` lie on one device. `batches`: one for each client. `local_lr` η > 0.
    Gives the new (m, n_parameters) and (m, n_buffers), in the precision of `start`; the inputs must have it, too.
    All trainers give the same numbers up to the order of sums. Raises `ValueError` as `check_training`.
    """

    def __call__(
        self,
        model: Model,
        start: Tensor,
        buffers: Tensor,
        pool: Pool,
        clients: Sequence[Client],
        batches: Sequence[LocalBatches],
        local_lr: float,
    ) -> tuple[Tensor, Tensor]: ...


def check_training(
    by: str,
    model: Model,
    start: Tensor,
    buffers: Tensor,
    clients: Sequence[Client],
    batches: Sequence[LocalBatches],
    local_lr: float,
) -> None:
    """`ValueError` from `by` for shapes that do not fit, positions a client does not have, and a rate not > 0."""
    n = len(clients)
    if not n or len(batches) != n:
        raise ValueError(f"{by}({n} clients, {len(batches)} batches): expected one for each client, of at least one")
    expected = (n, n_parameters(model)), (n, len(initial_buffers(model)))
    found = tuple(start.shape), tuple(buffers.shape)
    if found != expected:
        raise ValueError(
            f"{by}(start {found[0]}, buffers {found[1]}): expected {expected[0]} and {expected[1]} for {n} clients"
        )
    for client, batch in zip(clients, batches, strict=True):
        if batch.index.size and batch.index.max() >= len(client):
            raise ValueError(
                f"{by}: batches of client {client.number} ask for position {batch.index.max()}; it has {len(client)}"
                " samples"
            )
    if not (isfinite(local_lr) and local_lr > 0):
        raise ValueError(f"{by}(local_lr={local_lr!r}): must be a finite number > 0")
