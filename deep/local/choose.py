"""How the clients of a round are trained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from deep.local.batches import LocalBatches
from deep.local.in_turn import train_in_turn
from deep.local.pool import Client
from deep.models import Model

__all__ = ["trainer_for"]


def trainer_for(
    kind: str, model: Model, device: torch.device, clients: Sequence[Client], batches: Sequence[LocalBatches]
) -> Any:
    """One client after the other."""
    return train_in_turn
