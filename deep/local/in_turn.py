"""One client after the other."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from deep.local.batches import LocalBatches
from deep.local.pool import Client, Pool
from deep.models import Model, sample_losses, training_logits

__all__ = ["train_in_turn"]


def train_in_turn(
    model: Model,
    start: Tensor,
    buffers: Tensor,
    pool: Pool,
    clients: Sequence[Client],
    batches: Sequence[LocalBatches],
    local_lr: float,
) -> tuple[Tensor, Tensor]:
    """wₖ ← wₖ − η ∇(mean loss on the batch), for every batch of every client."""
    vectors, statistics = [], []
    for vector, own, client, plan in zip(start, buffers, clients, batches, strict=True):
        for row, count in zip(plan.index, plan.count, strict=True):
            batch = torch.from_numpy(row[:count]).to(vector.device)
            vector = vector.detach().requires_grad_()
            logits, own = training_logits(model, vector, pool.inputs[client.index[batch]], own)
            loss = sample_losses(model.loss, logits, client.targets[batch]).mean()
            (gradient,) = torch.autograd.grad(loss, vector)
            vector = vector.detach() - local_lr * gradient
        vectors.append(vector)
        statistics.append(own.detach())
    return torch.stack(vectors), torch.stack(statistics)
