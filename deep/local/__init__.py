"""Local training: whose samples, in which batches, and how the clients of a round are trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.base.lazily import lazily

if TYPE_CHECKING:
    from deep.local.batches import LocalBatches, draw_batches, planned_steps
    from deep.local.choose import trainer_for
    from deep.local.pool import Client, Pool
    from deep.local.trainer import Trainer
    from deep.local.trainers.dense import train_dense
    from deep.local.trainers.in_turn import train_in_turn, walk_in_turn
    from deep.local.trainers.together import train_together

__all__ = [
    "Client",
    "LocalBatches",
    "Pool",
    "Trainer",
    "draw_batches",
    "planned_steps",
    "train_dense",
    "train_in_turn",
    "train_together",
    "trainer_for",
    "walk_in_turn",
]

__getattr__ = lazily(__name__, __file__)
