"""Which trainer a round takes: as asked, or the one that was measured to be the fastest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch

from deep.local.batches import LocalBatches
from deep.local.pool import Client
from deep.local.products import autocasting
from deep.local.schedule import is_padded
from deep.local.trainer import Trainer
from deep.local.trainers.dense import is_dense, train_dense
from deep.local.trainers.in_turn import train_in_turn
from deep.local.trainers.together import pads, train_together
from deep.models import Model

__all__ = ["packs", "trainer_for"]


def trainer_for(
    choice: str,
    model: Model,
    device: torch.device,
    clients: Sequence[Client],
    batches: Sequence[LocalBatches],
    *,
    affine: bool = True,
    compiled: bool = False,
) -> Trainer:
    """The trainer that `RunConfig.trainer` asks for.

    "in-turn": `train_in_turn`. "together": `train_dense` where it knows the model, else `train_together`.
    "auto" on a CPU: `train_dense` where it knows the model, else in turn. Measured with torch 2.13 on one thread of a
    busy x86 machine, in processor time, times as fast as a plain loop of torch.nn.Module and SGD, clients with 600
    images of 28 × 28, one epoch, batches of 64 / 10 (tests/benchmarks/results/deep.json):

    - softmax regression: dense 2.5 / 7.2, vmap 0.9 / 1.2
    - MLP 784-128-10: dense 1.7 / 3.5, vmap 1.0 / 1.1
    - robust-cnn-flattened: in turn 2.4 / 1.5, vmap 0.9 / 0.7; of the strongest plain loop in turn 1.2 / 1.05

    With batch statistics, where one step's batches differ in size, 2 / 10 clients with three steps of up to 10 images
    (32 × 32), processor seconds: resnet-20 in turn 0.23 / 1.1, vmap 0.31 / 1.4; digit-model in turn 0.45 / 2.5, vmap
    0.62 / 7.2.

    "auto" on a GPU: together, as CUDA graphs, but in turn where padding would enter statistics of the batch (`pads`),
    and compiled for a client alone. Measured on an H100, ms a step of 10 clients / 1 client with batches of 64:
    robust-cnn-flattened 1.3 / 0.3, five-layer-cnn 1.9 / 0.5, of which vmap without graphs takes 4.3 / 3.7 and 6.6; the
    gradient of pools and biases was shortened afterwards and not measured again.

    Under autocast, and `compiled`, written-out derivatives are left to autograd.
    A model that draws at random in training takes clients in turn: what each draws is its own.
    `affine`: whether the local step is that of SGD with an affine correction; any other takes clients in turn.

    Raises `ValueError` for another choice, and for "together" where the local step is not affine.
    """
    in_turn: Trainer = partial(train_in_turn, compiled=True) if compiled else train_in_turn
    side_by_side: Trainer = partial(train_together, compiled=True) if compiled else train_together
    if getattr(model, "draws", False):
        return in_turn
    if not affine:
        if choice == "together":
            raise ValueError(f"trainer_for({choice!r}): the local step is not affine; expected 'in-turn' or 'auto'")
        return in_turn
    written_out = is_dense(model) and not (compiled or autocasting(device))
    together = train_dense if written_out else side_by_side
    if choice == "in-turn":
        return in_turn
    if choice == "together":
        return together
    if choice != "auto":
        raise ValueError(f"trainer_for({choice!r}): must be one of auto, in-turn, together")
    if written_out:
        return train_dense
    if device.type == "cpu" or (compiled and len(clients) == 1) or (is_padded(batches) and not pads(model, compiled)):
        return in_turn
    return side_by_side


def packs(choice: str, model: Model, device: torch.device, *, compiled: bool = False) -> bool:
    """Whether clients of several runs of one network may train on one axis, each with an affine step of its own.

    That is where `trainer_for` gives `train_together` whatever the batches are: a model whose outputs no constants and
    no draws of its own decide, and whose statistics keep padding out.
    """
    asked = choice == "together" or (choice == "auto" and device.type != "cpu")
    fixed = getattr(model, "draws", False) or getattr(model, "constants", None)
    return asked and not (is_dense(model) or fixed or compiled) and pads(model, compiled)
