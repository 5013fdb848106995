"""How many rounds, and how many bytes, a run took to reach a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from deep.metrics.rounds import check_order
from deep.metrics.scores import is_better, measured
from deep.storage.record import RoundRecord

__all__ = ["Reached", "reached"]


@dataclass(frozen=True)
class Reached:
    """The first evaluated round, counted from 1, in which `measure` was at `value` or better; None when in none.

    `interpolated`: where the straight line from the evaluated round before meets the value, a real number of rounds;
    `round` itself when there is none before, since the initial model is not evaluated. The papers leave open which of
    the two they print; the hundredths of robust_aggregation's R₆₀ may as well be means over seeds.
    `bytes`, `seconds`: down and up, and wall-clock time, up to and with that round.
    """

    measure: str
    value: float
    round: int | None
    interpolated: float | None
    bytes: int | None
    seconds: float | None


def reached(history: Sequence[RoundRecord], measure: str, value: float) -> Reached:
    """When the run reached `value`: an accuracy (a fraction of 1) from below, a loss from above.

    With ``("validation_accuracy", 0.4)`` acc40 (exp_alpha Tables 1 and 2), with ``("test_accuracy", 0.6)`` R₆₀
    (robust_aggregation §4.5). Raises `ValueError` for an unknown measure, a value that is not finite, or rounds out of
    order.
    """
    check_order(history, "reached")
    if not isfinite(value):
        raise ValueError(f"reached(measure={measure!r}, value={value!r}): must be a finite number")
    before: tuple[int, float] | None = None
    for number, seen in measured(history, measure).items():
        if not is_better(measure, value, seen):
            played = history[:number]
            return Reached(
                measure=measure,
                value=value,
                round=number,
                interpolated=_crossing(before, (number, seen), value),
                bytes=sum(record.bytes_down + record.bytes_up for record in played),
                seconds=sum(record.seconds for record in played),
            )
        before = number, seen
    return Reached(measure, value, None, None, None, None)


def _crossing(before: tuple[int, float] | None, after: tuple[int, float], value: float) -> float:
    if before is None:
        return float(after[0])
    return before[0] + (value - before[1]) / (after[1] - before[1]) * (after[0] - before[0])
