"""Clients trained one after the other: the reference, and on a CPU the fastest way for convolutions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import Tensor, nn

from deep.features.optimised import OptimiserStep
from deep.features.optimiser import Tuned
from deep.features.seam import Batch, LossStep
from deep.local.batches import LocalBatches
from deep.local.memory import keep_freed_memory
from deep.local.pool import Client, Pool
from deep.local.products import autocasting
from deep.local.trainer import PLAIN, check_training, rows_of
from deep.local.trainers.dense import is_dense, train_dense
from deep.local.trainers.gradients import Gradient, compiled_gradient
from deep.models import Model, sample_losses, training_features, training_logits
from deep.models.layout import channels_last, convolves_channels_last
from deep.models.network import Network
from theory.algorithms.local_step import Affine, Oracle, Stepwise
from theory.base.arrays import Array
from theory.base.momentum import Momentum
from theory.base.streams import stream

__all__ = ["train_in_turn", "walk_in_turn"]


def train_in_turn(
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
    compiled: bool = False,
) -> tuple[Tensor, Tensor]:
    """A `Trainer`: one client at a time, by `train_dense` where it knows the model, else by autograd, updates in place.

    Images go through convolutions as `deep.models.layout` says; on a CPU freed memory is kept (`keep_freed_memory`).
    `compiled`: every model by autograd, its gradient through `torch.compile`.
    What layers of the model draw at random comes from stream (seed, "layers", round, client) of each client's batches.
    Raises `ValueError` as `check_training`, and for a compiled step with a loss of its own.
    """
    work = (model, start, buffers, pool, clients, batches, local_lr, l2, momentum, steps, compiled)
    vectors, statistics, _ = walk_in_turn(*work)
    return vectors, statistics


def walk_in_turn(
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
    compiled: bool = False,
) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
    """`train_in_turn`, and what the local step says it leaves, by name, (m, n_parameters) each."""
    check_training("train_in_turn", model, start, buffers, clients, batches, local_lr, l2)
    tuned = steps.step if isinstance(steps, Stepwise) and isinstance(steps.step, OptimiserStep) else None
    inner = steps.step if isinstance(steps, Stepwise) and tuned is None else None if tuned is None else tuned.inner
    own_loss = inner if isinstance(inner, LossStep) else None
    if isinstance(steps, Stepwise) and (own_loss is None or tuned is not None) and momentum.beta:
        raise ValueError("train_in_turn(steps=…, momentum=…): a local step of its own has its own momentum")
    if compiled and own_loss is not None:
        raise ValueError("train_in_turn(steps=…, compiled=True): the step has a loss of its own, which is not compiled")
    if is_dense(model) and not isinstance(steps, Stepwise) and not (compiled or autocasting(start.device)):
        alone, how = [slice(k, k + 1) for k in range(len(clients))], (local_lr, l2, momentum)
        found = [
            train_dense(model, start[k], buffers[k], pool, clients[k], batches[k], *how, rows_of(steps, start, k))
            for k in alone
        ]
        return torch.cat([vector for vector, _ in found]), torch.cat([running for _, running in found]), {}
    if start.device.type == "cpu":
        keep_freed_memory()
    vectors, statistics = start.detach().clone(), buffers.detach().clone()
    left = {name: torch.empty_like(start) for name in steps.leaves} if isinstance(steps, Stepwise) else {}
    # A local step of one's own may ask for gradients at other models than the client's.
    own_way = compiled or own_loss is not None or (isinstance(steps, Stepwise) and tuned is None)
    bind = model.bound() if type(model) is Network and model.binds and not own_way else None
    by_pixel = convolves_channels_last(model, pool.inputs) and not (bind is not None and cast("Network", model).merges)
    stored = channels_last if by_pixel else None
    whole = _with_decay(compiled_gradient(model), l2) if compiled else None
    for k, (client, batch) in enumerate(zip(clients, batches, strict=True)):
        positions = torch.from_numpy(batch.index).to(client.index.device)
        rows = client.index[positions]
        moves = None if batch.moves is None else torch.from_numpy(batch.moves).to(rows.device)
        own, running, velocity = rows_of(steps, start, slice(k, k + 1)), statistics[k], None
        carried = _begun(own, start[k : k + 1].detach())
        if whole is not None:
            gradient = whole
        elif bind is not None:
            gradient = _with_decay(_bound_gradient(model, *bind(carried["model"][0], running)), l2)
        else:
            known = {name: rows[0] for name, rows in carried.items() if name != "model"}
            first = buffers[k] if buffers.shape[1] else None
            gradient = _gradient_of(model, own_loss, known, first, l2)
        optimiser = None
        if tuned is not None:
            kept = {name: rows[0] for name, rows in carried.items()}
            optimiser = Tuned(tuned.optimiser, model, carried["model"][0], local_lr, kept)
        with _layers_draw(model, batch, start.device):
            for s, count in enumerate(batch.count.tolist()):
                inputs = pool.take(rows[s, :count], None if moves is None else moves[s, :count])
                targets = client.targets[positions[s, :count]]
                if stored is not None:
                    inputs = stored(inputs)

                def gradient_at(
                    models: Any, inputs: Tensor = inputs, targets: Tensor = targets, gradient: Gradient = gradient
                ) -> Tensor:
                    nonlocal running
                    flat, running = gradient(models[0], running, inputs, targets)
                    return flat[None]

                if optimiser is not None and tuned is not None:
                    corrected = tuned.gradient(gradient_at(carried["model"]), cast("dict[str, Array]", carried))
                    optimiser.step(corrected[0])
                    continue
                carried, velocity = _stepped(
                    None if own_loss else own, momentum, gradient_at, carried, velocity, local_lr
                )
        if optimiser is not None:
            carried |= {name: rows[None] for name, rows in optimiser.left().items()}
        vectors[k], statistics[k] = carried["model"][0], running
        for name, rows in left.items():
            rows[k] = carried[name][0]
    return vectors, statistics, left


@contextmanager
def _layers_draw(model: Model, batch: LocalBatches, device: torch.device) -> Iterator[None]:
    """torch's global generators seeded for one client's steps, where the model draws from them, and left as before."""
    if not getattr(model, "draws", False):
        yield
        return
    seed, round_index, client = batch.key
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(int(stream(seed, "layers", round_index, client).integers(2**63)))
        yield


def _with_decay(plain: Gradient, l2: float) -> Gradient:
    """`plain` and l2·w, which is added in place: what `plain` gives must be nobody else's."""

    def gradient(vector: Tensor, running: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        flat, after = plain(vector, running, inputs, targets)
        return (flat.add_(vector, alpha=l2) if l2 else flat), after

    return gradient


def _bound_gradient(model: Model, module: nn.Module, parameters: list[nn.Parameter]) -> Gradient:
    """As `gradient_of`, of a module whose `parameters` are the client's vector itself, and its running statistics those
    that are given, which move on in place.
    """

    def gradient(vector: Tensor, running: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        loss = sample_losses(model.loss, module(inputs).to(vector.dtype), targets).mean()
        parts = torch.autograd.grad(loss, parameters)
        return torch.cat([part.flatten() for part in parts]), running

    return gradient


def _gradient_of(
    model: Model, own_loss: LossStep | None, known: dict[str, Tensor], first: Tensor | None, l2: float
) -> Gradient:
    """As `gradient_of`, and l2·w, by plain autograd: of the model's loss, or of a local step's own.

    That one is shown the client's vectors `known` by name, and the statistics `first` that it began the round with.
    """

    def gradient(vector: Tensor, running: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        leaf, features, after = vector.detach().requires_grad_(), None, running
        if own_loss is not None and own_loss.features:
            features, logits, after = training_features(model, leaf, inputs, running)
        elif len(running) or getattr(model, "has_modes", False):
            logits, after = training_logits(model, leaf, inputs, running)
        else:  # the same outputs, without a search for statistics at every step
            logits = model.logits(leaf, inputs)
        logits = logits.to(leaf.dtype)  # rounded under autocast, as are features; losses are not
        features = None if features is None else features.to(leaf.dtype)
        if own_loss is None:
            loss = sample_losses(model.loss, logits, targets).mean()
        else:
            batch = Batch(inputs, targets, logits, features, _features_at(model, inputs, running), first)
            loss = own_loss.loss(model, leaf, batch, known)
        found: Tensor = torch.autograd.grad(loss, leaf)[0]
        return (found.add(vector, alpha=l2) if l2 else found), after

    return gradient


def _features_at(model: Model, inputs: Tensor, buffers: Tensor) -> Callable[[Tensor], Tensor]:
    """vector → its features of `inputs`, without a gradient."""

    def features(vector: Tensor) -> Tensor:
        with torch.no_grad():
            return training_features(model, vector, inputs, buffers)[0].to(vector.dtype)

    return features


def _begun(steps: Affine | Stepwise | None, start: Tensor) -> dict[str, Tensor]:
    """What one client carries before its first local step, each (1, n_parameters)."""
    more = {} if steps is None else {name: cast("Tensor", rows) for name, rows in steps.carried.items()}
    return {"model": start.clone(), "start": start, **more}


def _stepped(
    steps: Affine | Stepwise | None,
    momentum: Momentum,
    oracle: Oracle,
    carried: dict[str, Tensor],
    velocity: Tensor | None,
    local_lr: float,
) -> tuple[dict[str, Tensor], Tensor | None]:
    """One local step of one client: what it carries, and its velocity; the model is updated in place if it can be."""
    if isinstance(steps, Stepwise):
        return cast("dict[str, Tensor]", dict(steps.step(oracle, carried, local_lr))), None
    gradient = oracle(carried["model"])
    if steps is not None:
        gradient = steps.gradient(gradient, carried["model"], carried["start"])
    velocity, direction = momentum.along(velocity, gradient)
    carried["model"].add_(direction, alpha=-local_lr)
    return carried, velocity
