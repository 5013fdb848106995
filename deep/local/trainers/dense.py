"""Stacks of linear layers with ReLU, all clients at once: forward, backward and update written out, no autograd."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeGuard, cast

import torch
from torch import Tensor

from deep.local.batches import LocalBatches
from deep.local.memory import keep_freed_memory
from deep.local.pool import Client, Pool
from deep.local.schedule import make_schedule
from deep.local.trainer import PLAIN, affine_of, check_training, rows_of
from deep.models import MLP, LinearRegression, Model, SoftmaxRegression, sample_losses
from theory.algorithms.local_step import Affine, Stepwise
from theory.base.momentum import Momentum

__all__ = ["DenseModel", "dense_outputs", "is_dense", "squared_gradients", "train_dense"]

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
    l2: float = 0.0,
    momentum: Momentum = PLAIN,
    steps: Affine | Stepwise | None = None,
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
    check_training("train_dense", model, start, buffers, clients, batches, local_lr, l2)
    n_outputs = model.layers[-1].shapes[0][0]
    first = torch.cat([client.targets[:1] for client in clients])
    sample_losses(model.loss, start.new_zeros(len(clients), n_outputs), first)
    if start.device.type == "cpu":
        keep_freed_memory()
    schedule = make_schedule(clients, batches, start.dtype)
    tensors = _tensors(model, start.detach()[schedule.order])
    affine = affine_of("train_dense", rows_of(steps, start, schedule.order))
    corrections = None if affine.plain else _by_layer(model, affine, tensors)
    drifts = None if corrections is None or momentum.beta else [_moved(*one, local_lr, l2) for one in corrections]
    samples = pool.inputs.flatten(1)
    _, m, size = schedule.rows.shape
    gathered = samples.new_empty(m * size, samples.shape[1])
    plain = l2 == 0 and momentum.beta == 0 and corrections is None
    velocities: list[Tensor | None] = [None] * len(tensors)
    for s, (n, width) in enumerate(zip(schedule.n_active, schedule.width, strict=True)):
        rows = schedule.rows[s, :n, :width].reshape(-1)
        if schedule.moves is None:
            torch.index_select(samples, 0, rows, out=gathered[: len(rows)])
        else:
            moves = schedule.moves[s, :n, :width].flatten(0, 1)
            gathered[: len(rows)] = pool.take(rows, moves).flatten(1)
        here = [tensor[:n] for tensor in tensors]
        signals, slopes = _backward(
            here,
            gathered[: len(rows)].view(n, width, -1),
            schedule.targets[schedule.slots[s, :n, :width]],
            schedule.weight[s, :n, :width, None],
            model.loss == "cross-entropy",
        )
        if plain:
            _descend(here, signals, slopes, local_lr)
            continue
        if drifts is not None:
            for tensor, (decay, drift) in zip(here, drifts, strict=True):
                tensor.mul_(decay).add_(drift[:n])
            _descend(here, signals, slopes, local_lr * affine.scale)
            continue
        for place, (tensor, gradient) in enumerate(zip(here, _gradients(signals, slopes), strict=True)):
            before = velocities[place]
            gradient = gradient.add_(tensor, alpha=l2)
            if corrections is not None:
                gradient = _corrected(*corrections[place], gradient, tensor)
            velocities[place], direction = momentum.along(None if before is None else before[:n], gradient)
            tensor.sub_(direction, alpha=local_lr)
    vectors = torch.empty_like(start)
    vectors[schedule.order] = torch.cat([tensor.flatten(1) for tensor in tensors], dim=1)
    return vectors, buffers.detach().clone()


def squared_gradients(
    model: DenseModel, vector: Tensor, inputs: Tensor, labels: Callable[[Tensor], Sequence[tuple[Tensor, Tensor]]]
) -> Tensor:
    """Σ weight·(∇ℓ)², entry by entry, over samples `inputs` (n, …) of a softmax model, (n_parameters,).

    `labels(logits)`: pairs of targets (n,) and weights (n,), the sums over which are added. A sample's gradient of a
    layer is an outer product, so the sum of squares is one product of squared factors.
    """
    tensors = _tensors(model, vector[None])
    signals, outputs = _forward(tensors, inputs.flatten(1)[None])
    squared = [signal[0].square() for signal in signals]
    sums: list[Tensor] = []
    for targets, weight in labels(outputs[0]):
        slopes = _slopes(tensors, signals, _softmax_residual(outputs, targets[None]))
        parts: list[Tensor] = []
        for signal, slope in zip(squared, slopes, strict=True):
            squares = slope[0].square_().mul_(weight[:, None])
            parts += [(squares.mT @ signal).flatten(), squares.sum(0)]
        sums.append(torch.cat(parts))
    return sums[0] if len(sums) == 1 else torch.stack(sums).sum(0)


def dense_outputs(model: DenseModel, vectors: Tensor, inputs: Tensor) -> Tensor:
    """Outputs (m, n, n_outputs) of m models, rows of `vectors`, each on its own `inputs` (m, n, n_features)."""
    tensors = _tensors(model, vectors)
    signal = inputs
    for w, b in zip(tensors[:-2:2], tensors[1:-2:2], strict=True):
        signal = torch.baddbmm(b, signal, w.mT).relu_()
    return torch.baddbmm(tensors[-1], signal, tensors[-2].mT)


def _tensors(model: Model, vectors: Tensor) -> list[Tensor]:
    """Weight (m, outputs, inputs) and bias (m, 1, outputs) of each layer in turn, out of (m, n_parameters)."""
    shapes = [shape for layer in model.layers for shape in layer.shapes]
    parts = torch.split(vectors, [prod(shape) for shape in shapes], dim=1)
    both = zip(parts, shapes, strict=True)
    return [part.reshape(-1, *(shape if len(shape) == 2 else (1, *shape))).contiguous() for part, shape in both]


def _by_layer(model: Model, affine: Affine, tensors: list[Tensor]) -> list[tuple[Affine, Tensor]]:
    """The correction of each tensor, and that tensor at the start of the round."""
    vector = [None] * len(tensors)
    shifts = vector if affine.shift is None else _tensors(model, cast("Tensor", affine.shift))
    pulls: Sequence[float | Tensor]
    if isinstance(affine.pull, int | float):
        pulls = [affine.pull] * len(tensors)
    else:
        pulls = _tensors(model, cast("Tensor", affine.pull).reshape(1, -1))
    parts = zip(pulls, shifts, tensors, strict=True)
    return [(Affine(affine.scale, pull, shift), tensor.clone()) for pull, shift, tensor in parts]


def _moved(affine: Affine, start: Tensor, local_lr: float, l2: float) -> tuple[Any, Tensor]:
    """(1 − η(a·l2 + D), η(D·w₀ − c)): what a step without momentum does to w beside −ηa∇ℓ."""
    pulled = start * affine.pull if affine.shift is None else start * affine.pull - cast("Tensor", affine.shift)
    return 1 - local_lr * (affine.scale * l2 + affine.pull), pulled.mul_(local_lr)


def _corrected(affine: Affine, start: Tensor, gradient: Tensor, tensor: Tensor) -> Tensor:
    """a·g + D·(w − w₀) + c of the clients that still train, who come first."""
    n = len(tensor)
    if affine.scale != 1.0:
        gradient = gradient.mul_(affine.scale)
    if not affine.isotropic:
        gradient = gradient.addcmul_(cast("Tensor", affine.pull), tensor - start[:n])
    elif affine.pull:
        gradient = gradient.add_(tensor - start[:n], alpha=cast("float", affine.pull))
    return gradient if affine.shift is None else gradient.add_(cast("Tensor", affine.shift)[:n])


def _backward(
    tensors: list[Tensor], inputs: Tensor, targets: Tensor, weight: Tensor, is_softmax: bool
) -> tuple[list[Tensor], list[Tensor]]:
    """What each layer was given, and ∂(Σ weight · ℓ)/∂(what it put out), first layer first.

    `inputs` (n, width, features), `targets` (n, width, …), `weight` (n, width, 1).
    """
    signals, outputs = _forward(tensors, inputs)
    # softmax − one-hot, or f(x) − y.
    residual = (_softmax_residual if is_softmax else _squared_residual)(outputs, targets).mul_(weight)
    return signals, _slopes(tensors, signals, residual)


def _forward(tensors: list[Tensor], inputs: Tensor) -> tuple[list[Tensor], Tensor]:
    """(What each layer is given, what the last puts out)."""
    weights, biases = tensors[::2], tensors[1::2]
    signals = [inputs]
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        signals.append(torch.baddbmm(b, signals[-1], w.mT).relu_())
    return signals, torch.baddbmm(biases[-1], signals[-1], weights[-1].mT)


def _slopes(tensors: list[Tensor], signals: list[Tensor], residual: Tensor) -> list[Tensor]:
    """∂/∂(what each layer puts out), first layer first, from that of the last."""
    slopes = [residual]
    for w, signal in zip(tensors[::2][:0:-1], signals[:0:-1], strict=True):
        # A ReLU's output is >= 0: its sign is the derivative.
        slopes.append(torch.bmm(slopes[-1], w).mul_(signal.sign()))
    return slopes[::-1]


def _descend(tensors: list[Tensor], signals: list[Tensor], slopes: list[Tensor], local_lr: float) -> None:
    """One plain step in place, no gradient of the weights' size being made."""
    for w, b, signal, slope in zip(tensors[::2], tensors[1::2], signals, slopes, strict=True):
        w.baddbmm_(slope.mT, signal, alpha=-local_lr)
        b.sub_(slope.sum(1, keepdim=True), alpha=local_lr)


def _gradients(signals: list[Tensor], slopes: list[Tensor]) -> list[Tensor]:
    """∇ of each tensor in turn, weight and bias of each layer."""
    return [
        gradient
        for signal, slope in zip(signals, slopes, strict=True)
        for gradient in (torch.bmm(slope.mT, signal), slope.sum(1, keepdim=True))
    ]


def _softmax_residual(outputs: Tensor, targets: Tensor) -> Tensor:
    residual = torch.softmax(outputs, dim=2)
    return residual.scatter_add_(2, targets[..., None], residual.new_full((), -1.0).expand(*targets.shape, 1))


def _squared_residual(outputs: Tensor, targets: Tensor) -> Tensor:
    if targets.ndim == 2 and targets.dtype == torch.int64:
        return outputs.scatter_add_(2, targets[..., None], outputs.new_full((), -1.0).expand(*targets.shape, 1))
    return outputs.sub_(targets.view(outputs.shape))
