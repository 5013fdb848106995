"""Trainer: what every way of training the clients of a round takes and gives, and what it may rely on."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Protocol, cast

from torch import Tensor

from deep.local.batches import LocalBatches
from deep.local.pool import Client, Pool
from deep.models import Model, initial_buffers, n_parameters
from theory.algorithms.local_step import Affine, Stepwise
from theory.base.momentum import Momentum

__all__ = ["PLAIN", "Trainer", "affine_of", "check_training", "rows_of"]

PLAIN = Momentum()


class Trainer(Protocol):
    """wₖ ← wₖ − η gₖ, gₖ = ∇(mean loss over the real samples of the batch) + l2·wₖ, once per batch, for every client k.

    `steps`: the local step of a client algorithm, its vectors a row per client in the order of `clients`; an affine one
    takes a·gₖ + D·(wₖ − w₀) + c in place of gₖ. With `momentum` the step goes along its direction in place of that,
    from velocity 0 at the start of the round.

    `start` (m, n_parameters) and `buffers` (m, n_buffers), each client's own, are not changed; they, the samples of
    `pool`, and index and targets of the `clients` lie on one device. `batches`: one for each client. `local_lr` η > 0,
    `l2` >= 0.
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
        l2: float = 0.0,
        momentum: Momentum = PLAIN,
        steps: Affine | Stepwise | None = None,
    ) -> tuple[Tensor, Tensor]: ...


def check_training(
    by: str,
    model: Model,
    start: Tensor,
    buffers: Tensor,
    clients: Sequence[Client],
    batches: Sequence[LocalBatches],
    local_lr: float,
    l2: float,
) -> None:
    """`ValueError` from `by` for shapes that do not fit, positions a client lacks, a rate not > 0, an l2 < 0."""
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
    if not (isfinite(l2) and l2 >= 0):
        raise ValueError(f"{by}(l2={l2!r}): must be a finite number >= 0")


def affine_of(by: str, steps: Affine | Stepwise | None) -> Affine:
    """The correction of `steps`; `ValueError` from `by` for a local step that is not affine."""
    if steps is None:
        return Affine()
    if not isinstance(steps, Affine):
        raise ValueError(f"{by}(steps=…): a local step that is not affine; take train_in_turn")
    return steps


def rows_of(steps: Affine | Stepwise | None, start: Tensor, chosen: slice | Tensor) -> Affine | Stepwise | None:
    """The step of some of the clients, at `chosen` places; `start` (m, n_parameters) says how many there are."""
    if steps is None:
        return None
    if isinstance(steps, Stepwise):
        n = len(start)
        every = {name: cast("Tensor", rows) for name, rows in steps.carried.items()}
        carried = {name: rows.expand(n, rows.shape[-1])[chosen] for name, rows in every.items()}
        return Stepwise(steps.step, carried, steps.leaves)
    shift = None if steps.shift is None else cast("Tensor", steps.shift).to(start.dtype).expand_as(start)[chosen]
    return Affine(steps.scale, steps.pull, shift)
