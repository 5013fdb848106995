"""What stays the same over a run, what only some runs ask for, and what signals see of a round."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from theory.algorithms.method import Method
from theory.base.arrays import Array
from theory.base.momentum import Momentum
from theory.rules.protocol import MemoryRule, Rule
from theory.simulate.conventions import Conventions
from theory.simulate.trajectory import _Log

__all__ = ["RoundSeen"]


@dataclass(frozen=True, eq=False)
class RoundSeen:
    """A round after local steps, for signals: its number, the broadcast model w (*batch, dim), each client's update,
    presence, and the models that clients started from, (*batch, n_clients or 1, dim): w, unless they have their own.
    """

    round: int
    model: Array
    updates: Array
    present: Array
    starts: Array


@dataclass(frozen=True)
class _More:
    """What only some runs ask for."""

    momentum: Momentum
    planned_steps: tuple[int, ...] | None
    signals: Callable[[RoundSeen], Mapping[str, Any]] | None
    method: Method | None


@dataclass(frozen=True, eq=False)
class _Job:
    """What stays the same over a run."""

    xp: Any
    rule: Rule | MemoryRule
    conventions: Conventions
    log: _Log
    memory: bool
    needs: tuple[str, ...] | None
    more: _More

    def wants(self, name: str, record: str) -> bool:
        """Whether the rule reads a field (all, if it does not say) or the log keeps it."""
        return record in self.log.record or self.needs is None or name in self.needs
