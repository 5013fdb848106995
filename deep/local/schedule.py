"""Schedule: the batches of all clients of a round laid side by side, for trainers that take a step for all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from deep.local.batches import LocalBatches
from deep.local.pool import Client

__all__ = ["Schedule", "is_padded", "make_schedule", "padded_widths"]


@dataclass(frozen=True, eq=False)
class Schedule:
    """Clients in an order in which those who still train come first, and what they take in each step.

    `order`: int64 (m,), the client that stands at each place, most steps first; `n_active` and `width` of each step:
    its clients are the first n_active of that order, its longest batch has `width` samples, its shortest `fewest`.
    `moves`: (n_steps, m, size, …), as in `LocalBatches`, or None.
    `rows`: int64 (n_steps, m, size), samples in the pool; `slots`: the same as positions into `targets`, all clients'
    targets one after the other; `weight`: (n_steps, m, size), 1/count on the samples of a batch, 0 on padding.
    """

    order: Tensor
    n_active: tuple[int, ...]
    width: tuple[int, ...]
    fewest: tuple[int, ...]
    rows: Tensor
    slots: Tensor
    targets: Tensor
    weight: Tensor
    moves: Tensor | None


def make_schedule(clients: Sequence[Client], batches: Sequence[LocalBatches], dtype: torch.dtype) -> Schedule:
    """The schedule of a round on the clients' device, with weights of type `dtype`."""
    steps = np.array([batch.n_steps for batch in batches])
    order = np.argsort(-steps, kind="stable")
    n_steps, size = int(steps.max()), max(batch.index.shape[1] for batch in batches)
    offset = np.cumsum([0, *(len(client) for client in clients)])
    slots = np.zeros((n_steps, len(clients), size), dtype=np.int64)
    count = np.zeros((n_steps, len(clients)), dtype=np.int64)
    own_moves = [batch.moves for batch in batches if batch.moves is not None]
    moves = np.zeros((*slots.shape, *own_moves[0].shape[2:]), dtype=np.int64) if own_moves else None
    for place, k in enumerate(order):
        n, own = batches[k].index.shape
        slots[:n, place] = offset[k] + batches[k].index[:, :1]
        slots[:n, place, :own] = offset[k] + batches[k].index
        count[:n, place] = batches[k].count
        given = batches[k].moves
        if moves is not None and given is not None:
            moves[:n, place, :own] = given
    device = clients[0].index.device
    real = np.arange(size) < count[..., None]
    weight = torch.from_numpy(real / np.maximum(count, 1)[..., None]).to(device, dtype)
    moved = torch.from_numpy(slots).to(device)
    return Schedule(
        order=torch.from_numpy(order).to(device),
        n_active=tuple((count > 0).sum(1).tolist()),
        width=tuple(count.max(1).tolist()),
        fewest=tuple(np.where(count > 0, count, size).min(1).tolist()),
        rows=torch.cat([client.index for client in clients])[moved],
        slots=moved,
        targets=torch.cat([client.targets for client in clients]),
        weight=weight,
        moves=None if moves is None else torch.from_numpy(moves).to(device),
    )


def padded_widths(schedule: Schedule, multiple: int = 16) -> tuple[int, ...]:
    """Width of each step padded up to a multiple, or to all that `rows` has: few widths for what goes by shape."""
    size = schedule.rows.shape[2]
    return tuple(min(size, -(-width // multiple) * multiple) for width in schedule.width)


def is_padded(batches: Sequence[LocalBatches]) -> bool:
    """Whether two clients take batches of different sizes in the same step, so that one of them needs padding."""
    for s in range(max(batch.n_steps for batch in batches)):
        if len({int(batch.count[s]) for batch in batches if s < batch.n_steps}) > 1:
            return True
    return False
