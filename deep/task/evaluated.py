"""What an evaluation of a round found, on the server's samples and on each client's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deep.task.evaluation import Score

__all__ = ["Evaluated"]


@dataclass(frozen=True)
class Evaluated:
    """The new model on the server's samples, None in rounds without evaluation, and on what each client held out.

    `client_loss`, `client_accuracy`: by slot, None where nothing is held out; empty in rounds without evaluation.
    `judged`: the model each client is judged by, in words, where that is neither the server's nor that with its own
    normalisation; `server_accuracy` on the test samples is then that of the server's model.
    """

    validation: Score | None
    test: Score | None
    client_loss: list[float | None] = field(default_factory=list)
    client_accuracy: list[float | None] = field(default_factory=list)
    judged: str = ""
    server_accuracy: float | None = None
