"""Clients trained one after the other: the reference, and on a CPU the fastest way for convolutions."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from deep.local.batches import LocalBatches
from deep.local.dense import is_dense, train_dense
from deep.local.memory import keep_freed_memory
from deep.local.pool import Client, Pool
from deep.local.trainer import check_training
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
    """A `Trainer`: one client at a time, by `train_dense` where it knows the model, else by autograd, updates in place.

    On a CPU images go through convolutions channels-last, and freed memory is kept (`keep_freed_memory`).
    Raises `ValueError` as `check_training`.
    """
    check_training("train_in_turn", model, start, buffers, clients, batches, local_lr)
    if is_dense(model):
        alone = [slice(k, k + 1) for k in range(len(clients))]
        found = [train_dense(model, start[k], buffers[k], pool, clients[k], batches[k], local_lr) for k in alone]
        return torch.cat([vector for vector, _ in found]), torch.cat([running for _, running in found])
    on_cpu = start.device.type == "cpu"
    channels_last = on_cpu and pool.inputs.ndim == 4 and any(layer.kind == "conv" for layer in model.layers)
    if on_cpu:
        keep_freed_memory()
    vectors, statistics = start.detach().clone(), buffers.detach().clone()
    for k, (client, batch) in enumerate(zip(clients, batches, strict=True)):
        vector, running = vectors[k], statistics[k]
        positions = torch.from_numpy(batch.index).to(client.index.device)
        rows = client.index[positions]
        for s, count in enumerate(batch.count.tolist()):
            inputs = pool.inputs[rows[s, :count]]
            if channels_last:
                inputs = _channels_last(inputs)
            leaf = vector.detach().requires_grad_()
            if len(running):
                logits, running = training_logits(model, leaf, inputs, running)
            else:  # the same outputs, without a search for statistics at every step
                logits = model.logits(leaf, inputs)
            loss = sample_losses(model.loss, logits, client.targets[positions[s, :count]]).mean()
            (gradient,) = torch.autograd.grad(loss, leaf)
            vector.add_(gradient, alpha=-local_lr)
        statistics[k] = running
    return vectors, statistics


def _channels_last(images: Tensor) -> Tensor:
    """The same `images`, (n, channels, height, width), stored pixel by pixel."""
    if images.shape[1] == 1:  # the same memory; `contiguous` sees that and keeps strides that convolutions misread
        height, width = images.shape[2:]
        return images.contiguous().as_strided(images.shape, (height * width, 1, width, 1))
    return images.contiguous(memory_format=torch.channels_last)
