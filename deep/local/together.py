"""All clients of a round trained in one go: vmap over their gradients."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn
from torch.func import grad, vmap

from deep.local.batches import LocalBatches
from deep.local.pool import Client, Pool
from deep.local.schedule import is_padded, make_schedule
from deep.local.trainer import PLAIN, affine_of, check_training, rows_of
from deep.models import Model, initial_buffers, sample_losses, training_logits
from deep.models.norm import BatchNorm
from theory.algorithms.local_step import Affine, Stepwise
from theory.momentum import Momentum

__all__ = ["train_together", "uses_batch_statistics"]


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
    steps: Affine | Stepwise | None = None,
) -> tuple[Tensor, Tensor]:
    """A `Trainer`: step s of all clients that have one is one call of vmap(grad), with one gather from the pool.

    Clients out of steps are left out and stay as they are; padding weighs 0 in the mean.
    Raises `ValueError` as `check_training`, and where batches of one step differ in size and the model normalises with
    the batch's statistics, which padding would enter.
    """
    check_training("train_together", model, start, buffers, clients, batches, local_lr, l2)
    if is_padded(batches) and uses_batch_statistics(model):
        raise ValueError(
            "train_together: batches of one step differ in size and the model normalises with the batch's statistics,"
            " which padding would change; train in turn, or build the model with norm='group'"
        )

    def loss(vector: Tensor, running: Tensor, inputs: Tensor, targets: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        logits, after = training_logits(model, vector, inputs, running)
        return (sample_losses(model.loss, logits, targets) * weight).sum(), after

    gradients = vmap(grad(loss, has_aux=True))
    schedule = make_schedule(clients, batches, start.dtype)
    vectors, statistics = start.detach()[schedule.order], buffers.detach()[schedule.order]
    affine = affine_of("train_together", rows_of(steps, start, schedule.order))
    first, velocity = vectors.clone() if not affine.plain else vectors, None
    for s, (n, width) in enumerate(zip(schedule.n_active, schedule.width, strict=True)):
        here = s, slice(n), slice(width)
        moves = None if schedule.moves is None else schedule.moves[here]
        inputs, targets = pool.take(schedule.rows[here], moves), schedule.targets[schedule.slots[here]]
        gradient, after = gradients(vectors[:n], statistics[:n], inputs, targets, schedule.weight[here])
        if l2:
            gradient = gradient.add(vectors[:n], alpha=l2)
        if not affine.plain:
            shift = None if affine.shift is None else affine.shift[:n]
            gradient = Affine(affine.scale, affine.pull, shift).gradient(gradient, vectors[:n], first[:n])
        velocity, direction = momentum.along(None if velocity is None else velocity[:n], gradient)
        vectors[:n].add_(direction, alpha=-local_lr)
        statistics[:n] = after
    back = schedule.order.argsort()
    return vectors[back], statistics[back]


def uses_batch_statistics(model: Model) -> bool:
    """Whether training outputs of one sample depend on the others in its batch: running or batch statistics."""
    module = getattr(model, "module", None)
    parts = module.modules() if isinstance(module, nn.Module) else ()
    return len(initial_buffers(model)) > 0 or any(isinstance(part, BatchNorm | nn.BatchNorm2d) for part in parts)
