"""Local training: whose samples, in which batches, and how the clients of a round are trained."""

from __future__ import annotations

from deep.local.batches import LocalBatches, draw_batches
from deep.local.choose import trainer_for
from deep.local.in_turn import train_in_turn
from deep.local.pool import Client, Pool

__all__ = ["Client", "LocalBatches", "Pool", "draw_batches", "train_in_turn", "trainer_for"]
