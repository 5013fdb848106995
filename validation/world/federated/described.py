"""What cases of runs are made of, and what one costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from theory.worlds.federated.letter import Letter
from theory.worlds.federated.options import Options
from validation.statement.instances.draw import Coordinate

__all__ = ["Described", "cost"]


@dataclass(frozen=True)
class Described:
    """What of a description its cases are made of; see `Federated`."""

    weights: str
    noise: str
    part: str
    steps: str
    convex: bool
    kappa: float
    loose: bool
    equal: bool
    same: tuple[str, ...]
    draws: tuple[Coordinate, ...]
    counts: tuple[float, ...]
    N: tuple[int, int]
    E: tuple[int, int]
    R: tuple[int, int]
    T: tuple[int, int] | None
    d: tuple[int, int]
    begin: bool
    corners: tuple[str, ...]
    far: int
    options_at: Callable[[int, int, int], Options]
    letters: tuple[Letter, ...]
    given: tuple[str, ...]
    extra: tuple[str, ...]
    by_step: bool  # whether the step size is a formula of t

    @property
    def has_rows(self) -> bool:
        """Whether weights are drawn."""
        return self.weights not in ("shares", "seen")


def cost(N: int, d: int, E: int, R: int) -> float:
    """What an instance costs, in evaluations of a short run: measured on batches of 50 to 1000 runs."""
    return max(1.0, N * d * E * R / 400 + (E + R / 3) / 80)
