"""One measure along a run: its best, half-time, final and late values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isfinite

import numpy as np

from deep.storage.record import RoundRecord

__all__ = ["MEASURES", "Score", "is_better", "last_rounds", "measured", "score"]

MEASURES = ("train_loss", "validation_loss", "validation_accuracy", "test_loss", "test_accuracy")


@dataclass(frozen=True)
class Score:
    """One measure over the rounds that measured it, rounds counted from 1; None where there is none.

    `best`, `best_round`: the highest accuracy or lowest loss, the first of equals.
    `half_time`: at round ⌈n_rounds/2⌉ (exp_alpha Tables 1 and 2) or, when that one was not evaluated, at the last one
    before it that was: `half_time_round` says which. `final`: at round n_rounds.
    `late_mean`, `late_variance`: over the evaluated ones of the last rounds; the variance is unbiased and takes two.
    """

    best: float | None
    best_round: int | None
    half_time: float | None
    half_time_round: int | None
    final: float | None
    late_mean: float | None
    late_variance: float | None


def measured(history: Sequence[RoundRecord], measure: str) -> dict[int, float]:
    """The values of a measure by round, counted from 1, where it was measured.

    Raises `ValueError` for an unknown measure.
    """
    if measure not in MEASURES:
        raise ValueError(f"measure {measure!r}: expected one of {', '.join(MEASURES)}")
    values = {record.round + 1: getattr(record, measure) for record in history}
    return {number: value for number, value in values.items() if value is not None}


def is_better(measure: str, value: float, than: float) -> bool:
    """Accuracies are better when greater, losses when smaller."""
    return value > than if measure.endswith("accuracy") else value < than


def score(history: Sequence[RoundRecord], measure: str, n_rounds: int, n_late: int) -> Score:
    """The score of a measure in a run of `n_rounds` planned rounds, of which the last `n_late` are late."""
    values = measured(history, measure)
    best: int | None = None
    for number, value in values.items():
        if best is None or is_better(measure, value, values[best]):
            best = number
    half = ceil(n_rounds / 2)
    before = [number for number in values if number <= half <= len(history)]
    half_round = max(before, default=None)
    late = [value for number, value in values.items() if number > n_rounds - n_late]
    return Score(
        best=None if best is None else values[best],
        best_round=best,
        half_time=None if half_round is None else values[half_round],
        half_time_round=half_round,
        final=values.get(n_rounds),
        late_mean=float(np.mean(late)) if late else None,
        late_variance=float(np.var(late, ddof=1)) if len(late) > 1 else None,
    )


def last_rounds(n_rounds: int, fraction: float) -> int:
    """⌈fraction · n_rounds⌉, at least one. Raises `ValueError` unless 0 < fraction <= 1."""
    if not (isfinite(fraction) and 0 < fraction <= 1):
        raise ValueError(f"summarise(late={fraction!r}): must be a fraction of the rounds in (0, 1]")
    return max(1, ceil(fraction * n_rounds - 1e-9))  # 0.07 · 100 rounds to 7.000000000000001
