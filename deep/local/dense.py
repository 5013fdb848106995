"""Stacks of linear layers with ReLU, all clients at once: forward, backward and update written out, no autograd."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeGuard

import torch
from torch import Tensor

from deep.local.batches import LocalBatches
from deep.local.memory import keep_freed_memory
from deep.local.pool import Client, Pool
from deep.local.schedule import make_schedule
from deep.local.trainer import check_training
from deep.models import MLP, LinearRegression, Model, SoftmaxRegression, sample_losses

__all__ = ["DenseModel", "is_dense", "train_dense"]

DenseModel = SoftmaxRegression | LinearRegression | MLP


def is_dense(model: Model) -> TypeGuard[DenseModel]:
    """Whether `train_dense` knows this model's derivative; by exact type, as a subclass may compute something else."""
    return type(model) in {SoftmaxRegression, LinearRegression, MLP}


def train_dense(
    model: Model,
    start: Tensor,
    buffers: Tensor,
    pool: Pool,
    clients: Sequence[Client],
    batches: Sequence[LocalBatches],
    local_lr: float,
) -> tuple[Tensor, Tensor]:
    """A `Trainer` for `is_dense` models: batched matrix products with clients as the batch axis.

    Weights lie as one (m, outputs, inputs) tensor a layer while training: batched products want whole tensors.
    Raises `ValueError` as `check_training`, for another model, and as `sample_losses` for targets that do not fit.
    """
    if not is_dense(model):
        raise ValueError(
            f"train_dense(model={type(model).__name__}): expected SoftmaxRegression, LinearRegression or MLP; take"
            " train_together"
        )
    check_training("train_dense", model, start, buffers, clients, batches, local_lr)
    n_outputs = model.layers[-1].shapes[0][0]
    for client in clients:
        sample_losses(model.loss, start.new_zeros(1, n_outputs), client.targets[:1])
    if start.device.type == "cpu":
        keep_freed_memory()
    schedule = make_schedule(clients, batches, start.dtype)
    tensors = _tensors(model, start.detach()[schedule.order])
    samples = pool.inputs.flatten(1)
    _, m, size = schedule.rows.shape
    gathered = samples.new_empty(m * size, samples.shape[1])
    for s, (n, width) in enumerate(zip(schedule.n_active, schedule.width, strict=True)):
        rows = schedule.rows[s, :n, :width].reshape(-1)
        torch.index_select(samples, 0, rows, out=gathered[: len(rows)])
        _step(
            [tensor[:n] for tensor in tensors],
            gathered[: len(rows)].view(n, width, -1),
            schedule.targets[schedule.slots[s, :n, :width]],
            schedule.weight[s, :n, :width, None],
            model.loss == "cross-entropy",
            local_lr,
        )
    vectors = torch.empty_like(start)
    vectors[schedule.order] = torch.cat([tensor.flatten(1) for tensor in tensors], dim=1)
    return vectors, buffers.detach().clone()


def _tensors(model: Model, vectors: Tensor) -> list[Tensor]:
    """Weight (m, outputs, inputs) and bias (m, 1, outputs) of each layer in turn, out of (m, n_parameters)."""
    shapes = [shape for layer in model.layers for shape in layer.shapes]
    parts = torch.split(vectors, [prod(shape) for shape in shapes], dim=1)
    both = zip(parts, shapes, strict=True)
    return [part.reshape(-1, *(shape if len(shape) == 2 else (1, *shape))).contiguous() for part, shape in both]


def _step(
    tensors: list[Tensor], inputs: Tensor, targets: Tensor, weight: Tensor, is_softmax: bool, local_lr: float
) -> None:
    """One SGD step in place: `inputs` (n, width, features), `targets` (n, width, …), `weight` (n, width, 1)."""
    weights, biases = tensors[::2], tensors[1::2]
    signals = [inputs]
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        signals.append(torch.baddbmm(b, signals[-1], w.mT).relu_())
    outputs = torch.baddbmm(biases[-1], signals[-1], weights[-1].mT)
    # ∂(Σ weight · ℓ)/∂outputs: softmax − one-hot, or f(x) − y.
    slope = (_softmax_residual if is_softmax else _squared_residual)(outputs, targets).mul_(weight)
    for w, b, signal in zip(weights[::-1], biases[::-1], signals[::-1], strict=True):
        back = torch.bmm(slope, w) if signal is not inputs else slope
        w.baddbmm_(slope.mT, signal, alpha=-local_lr)
        b.sub_(slope.sum(1, keepdim=True), alpha=local_lr)
        if signal is not inputs:
            slope = back.mul_(signal.sign_())  # a ReLU's output is >= 0: its sign is the derivative


def _softmax_residual(outputs: Tensor, targets: Tensor) -> Tensor:
    residual = torch.softmax(outputs, dim=2)
    return residual.scatter_add_(2, targets[..., None], residual.new_full((), -1.0).expand(*targets.shape, 1))


def _squared_residual(outputs: Tensor, targets: Tensor) -> Tensor:
    if targets.ndim == 2 and targets.dtype == torch.int64:
        return outputs.scatter_add_(2, targets[..., None], outputs.new_full((), -1.0).expand(*targets.shape, 1))
    return outputs.sub_(targets.view(outputs.shape))
