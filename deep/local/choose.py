"""Which trainer a round takes: as asked, or the one that was measured to be the fastest."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from deep.local.batches import LocalBatches
from deep.local.dense import is_dense, train_dense
from deep.local.in_turn import train_in_turn
from deep.local.pool import Client
from deep.local.schedule import is_padded
from deep.local.together import train_together, uses_batch_statistics
from deep.local.trainer import Trainer
from deep.models import Model

__all__ = ["trainer_for"]


def trainer_for(
    choice: str,
    model: Model,
    device: torch.device,
    clients: Sequence[Client],
    batches: Sequence[LocalBatches],
) -> Trainer:
    """The trainer that `RunConfig.trainer` asks for.

    "in-turn": `train_in_turn`. "together": `train_dense` where it knows the model, else `train_together`.
    "auto": TABLE

    Raises `ValueError` for another choice.
    """
    together = train_dense if is_dense(model) else train_together
    if choice == "in-turn":
        return train_in_turn
    if choice == "together":
        return together
    if choice != "auto":
        raise ValueError(f"trainer_for({choice!r}): must be one of auto, in-turn, together")
    if is_dense(model):
        return train_dense
    if device.type == "cpu" or len(clients) == 1 or (uses_batch_statistics(model) and is_padded(batches)):
        return train_in_turn
    return train_together
