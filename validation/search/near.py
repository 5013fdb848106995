"""Which nearly active instances to climb from next: those whose gap to a violation is small and still closes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from validation.search.arms import Arm

__all__ = ["EQUAL", "Near", "gap", "is_past", "is_pooled"]

__judges__ = "search"

EQUAL = 1e-7
"""A gap no larger is equality: it cannot be closed."""
_TURNS = 8  # that the share of the pool is spent in, at least


def gap(score: str, value: float) -> float | None:
    """How far a score is below the value from which on it is a violation; None where that is met or unknown.

    >>> gap("ratio", 0.75), gap("past 1", -0.5), gap("ratio", 1.0)
    (0.25, 0.5, None)
    """
    left = (1.0 if score == "ratio" else 0.0) - value
    return left if EQUAL < left < math.inf else None


def is_past(score: str) -> bool:
    """Whether a score holds the excess against one term of the right side."""
    return score.startswith("past ")


def is_pooled(score: str) -> bool:
    """Whether the nearly active points of a score are kept: those that say how near a violation is."""
    return score == "ratio" or is_past(score)


class Near:
    """The pools of all arms, and how much of its gap each climb from one has closed."""

    def __init__(self, arms: Sequence[Arm]) -> None:
        self.arms = arms
        self.closed: dict[tuple[Arm, str], list[float]] = {}
        self.of_score: dict[str, list[float]] = {}
        effort = {arm: arm.case.cost * (arm.case.space.n_cube + 10) for arm in arms}
        self.dear = {arm: 0.2 * math.log10(e / min(effort.values())) for arm, e in effort.items()}

    def open(self) -> list[tuple[Arm, str, float]]:
        """(arm, score, gap) wherever a pool has a gap that may be closed."""
        return [
            (arm, score, left)
            for arm in self.arms
            for score, (_, values) in sorted(arm.near.items())
            if len(values) and (left := gap(score, arm.best(score))) is not None
        ]

    def choose(self) -> tuple[Arm, str] | None:
        """The (arm, score) with the highest upper confidence; None where none has a gap that may be closed.

        What was not tried yet is expected to close as much as the same score did elsewhere.
        """
        total = math.log(1 + sum(len(c) for c in self.closed.values()))
        worth = {}
        for arm, score, left in self.open():
            seen = self.closed.get((arm, score), [])
            others = self.of_score.get(score, [])
            recent = sum(seen[-2:]) / len(seen[-2:]) if seen else (1 + sum(others)) / (1 + len(others))
            untried = 0.1 * math.sqrt(2 * total / (1 + len(seen)))
            worth[arm, score] = (0.2 + recent) / (1 + left) + untried - self.dear[arm]
        return max(worth, key=lambda key: worth[key]) if worth else None

    def turn(self, arm: Arm, share: float) -> float:
        """Evaluations of one climb, where `share` is what all of them have."""
        return max(share / min(_TURNS, max(1, len(self.open()))), 40.0 * (arm.case.space.n_cube + 10))

    def book(self, arm: Arm, score: str, before: float) -> None:
        """Note how much of the gap a climb has closed; `before`: the best value of the score before it."""
        was, left = gap(score, before), gap(score, arm.best(score))
        closed = 1 - (left or 0.0) / was if was else 0.0
        self.closed.setdefault((arm, score), []).append(closed)
        self.of_score.setdefault(score, []).append(closed)
