"""All clients of a round trained in one go: vmap over their gradients."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from deep.local.affine_rows import AffineRows
from deep.local.batches import LocalBatches
from deep.local.pool import Client, Pool
from deep.local.schedule import is_padded, make_schedule, padded_widths
from deep.local.trainer import PLAIN, affine_of, check_training, rows_of
from deep.local.trainers.gradients import compiled_gradients, gradients_of
from deep.local.trainers.graphs import graphed_gradients
from deep.models import Model, initial_buffers
from deep.models.network import Network
from deep.models.norm import BatchNorm
from theory.algorithms.local_step import Affine, Stepwise
from theory.base.momentum import Momentum

__all__ = ["pads", "train_together", "uses_batch_statistics"]


def train_together(
    model: Model,
    start: Tensor,
    buffers: Tensor,
    pool: Pool,
    clients: Sequence[Client],
    batches: Sequence[LocalBatches],
    local_lr: float,
    l2: float = 0.0,
    momentum: Momentum = PLAIN,
    steps: Affine | AffineRows | Stepwise | None = None,
    compiled: bool = False,
) -> tuple[Tensor, Tensor]:
    """A `Trainer`: step s of all clients that have one is one call of vmap(grad), with one gather from the pool.

    Clients out of steps are left out and stay as they are; padding weighs 0 in the mean, and in the statistics of a
    `BatchNorm`. Clients of several runs may stand on the axis, each row with a correction of its own (`AffineRows`).
    `compiled`: that call goes through `torch.compile`; otherwise, on a GPU, it is a CUDA graph replayed.
    Raises `ValueError` as `check_training`, and where batches of one step differ in size and the model has statistics
    that padding would enter (`pads`).
    """
    check_training("train_together", model, start, buffers, clients, batches, local_lr, l2)
    if is_padded(batches) and not pads(model, compiled):
        raise ValueError(
            "train_together: batches of one step differ in size and the model normalises with the batch's statistics,"
            " which padding would change; train in turn, or "
            + ("uncompiled" if compiled else "build the model with deep.models.norm.BatchNorm")
        )
    masked = uses_batch_statistics(model)
    graphs = start.device.type == "cuda" and not compiled
    gradients = (compiled_gradients if compiled else graphed_gradients if graphs else gradients_of)(model)
    schedule = make_schedule(clients, batches, start.dtype)
    widths = padded_widths(schedule) if graphs and not masked else schedule.width
    vectors, statistics = start.detach()[schedule.order], buffers.detach()[schedule.order]
    affine = _corrections(steps, start, schedule.order)
    first, velocity = vectors.clone() if not affine.plain else vectors, None
    for s, (n, width) in enumerate(zip(schedule.n_active, widths, strict=True)):
        here = s, slice(n), slice(width)
        moves = None if schedule.moves is None else schedule.moves[here]
        inputs, targets = pool.take(schedule.rows[here], moves), schedule.targets[schedule.slots[here]]
        fewest = schedule.fewest[s] if masked and schedule.fewest[s] < width else None
        weight = schedule.weight[here]
        gradient, after = gradients(vectors[:n], statistics[:n], inputs, targets, weight, fewest)
        if l2:
            gradient = gradient.add(vectors[:n], alpha=l2)
        if not affine.plain:
            gradient = _first(affine, n).gradient(gradient, vectors[:n], first[:n])
        velocity, direction = momentum.along(None if velocity is None else velocity[:n], gradient)
        vectors[:n].add_(direction, alpha=-local_lr)
        statistics[:n] = after
    back = schedule.order.argsort()
    return vectors[back], statistics[back]


def _corrections(steps: Affine | AffineRows | Stepwise | None, start: Tensor, order: Tensor) -> Affine | AffineRows:
    """The correction of the clients in their order in the schedule; `ValueError` as `affine_of`."""
    if isinstance(steps, AffineRows):
        return steps.rows(order)
    return affine_of("train_together", rows_of(steps, start, order))


def _first(affine: Affine | AffineRows, n: int) -> Affine | AffineRows:
    """That of the first n clients."""
    if isinstance(affine, AffineRows):
        return affine.rows(slice(n))
    return Affine(affine.scale, affine.pull, None if affine.shift is None else affine.shift[:n])


def uses_batch_statistics(model: Model) -> bool:
    """Whether training outputs of one sample depend on the others in its batch: running or batch statistics."""
    module = getattr(model, "module", None)
    parts = module.modules() if isinstance(module, nn.Module) else ()
    return len(initial_buffers(model)) > 0 or any(isinstance(part, BatchNorm | _BatchNorm) for part in parts)


def pads(model: Model, compiled: bool = False) -> bool:
    """Whether padding can be kept out of the batch's statistics: there are none, or they are those of `BatchNorm`.

    Not of `compiled` ones: layers are told of padding by an attribute, and `torch.compile` sees no such change.
    """
    if not uses_batch_statistics(model):
        return True
    if compiled or not isinstance(model, Network):
        return False
    return not any(isinstance(part, _BatchNorm) for part in model.module.modules())
