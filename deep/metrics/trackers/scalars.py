"""The numbers of one round that trackers show, by tag."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Self

from deep.metrics.of_round import ROUND_QUANTITIES
from deep.metrics.quantities import round_quantities
from deep.metrics.quantity import BEST, OPTIMUM
from deep.metrics.rounds import rounds_of
from deep.storage.record import RoundRecord

__all__ = ["Tracker", "round_scalars"]

_SCALARS = {
    "loss/train": "train_loss",
    "loss/validation": "validation_loss",
    "loss/test": "test_loss",
    "accuracy/validation": "validation_accuracy",
    "accuracy/test": "test_accuracy",
    "server/update_norm": "update_norm",
    "server/bytes_down": "bytes_down",
    "server/bytes_up": "bytes_up",
    "seconds/round": "seconds",
}
# Of one round alone, w* and Fₖ* cannot be estimated.
_QUANTITIES = tuple(q for q in ROUND_QUANTITIES if not {OPTIMUM, BEST} & set(q.estimates))


class Tracker:
    """Something to be called with each round's record, and closed; a ``with`` closes it."""

    def __call__(self, record: RoundRecord) -> None:
        """Show one round."""
        raise NotImplementedError

    def close(self, completed: bool = True) -> None:
        """End what is shown; `completed`: whether the run came to its end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(completed=kind is None)


def round_scalars(record: RoundRecord) -> dict[str, float]:
    """Losses, accuracies (also by group), ‖update‖, bytes, seconds and their parts, and the `ROUND_QUANTITIES` that one
    round determines; what was not measured is left out.
    """
    found: dict[str, float | None] = {tag: getattr(record, name) for tag, name in _SCALARS.items()}
    found |= {f"accuracy/group/{name}": value for name, value in record.group_accuracy.items()}
    found |= {f"seconds/{part}": value for part, value in record.seconds_of.items()}
    # Its place in the run does not matter to these quantities.
    alone = replace(record, round=0)
    found |= {f"quantity/{key}": one for key, (one,) in round_quantities(rounds_of([alone]), _QUANTITIES).items()}
    return {tag: float(value) for tag, value in found.items() if value is not None}
