"""What a check may cost, in numbers: evaluations, seconds, digits, memory; light, so that commands start fast."""

from __future__ import annotations

import os
from dataclasses import dataclass

__all__ = ["DEFAULT_BUDGET", "PATIENCE", "Limits", "usable_cores"]

__judges__ = "no"

DEFAULT_BUDGET = 40_000  # evaluations a reading

PATIENCE = 5  # by the clock a recheck may take so many times its seconds: not all it does is counted


@dataclass(frozen=True)
class Limits:
    """Seconds of a unit of work (a reading, a mutant); of one exact recheck; digits of its fractions; bytes of memory.

    Memory is resident memory beyond what a worker began with. Digits and the seconds of a recheck can leave a
    statement undecided that larger ones decide. They do so alike on every machine: the seconds of a recheck are counted
    in operations on its numbers, 250,000 short ones each, and the clock ends only what takes five times as long.
    Raises `ValueError` for a limit that is not positive.
    """

    seconds: float = 3600.0
    recheck_seconds: float = 60.0
    digits: int = 50_000
    memory: int = 4 << 30

    def __post_init__(self) -> None:
        for name in ("seconds", "recheck_seconds", "digits", "memory"):
            if not getattr(self, name) > 0:
                raise ValueError(f"Limits({name}={getattr(self, name)}): must be > 0")

    @property
    def patience(self) -> float:
        """Seconds by the clock after which a recheck, or a script, is ended whatever it does."""
        return PATIENCE * self.recheck_seconds


def usable_cores() -> int:
    """Cores that this process may run on, as its affinity has them where the system tells."""
    told = getattr(os, "sched_getaffinity", None)
    return len(told(0)) if told is not None else os.cpu_count() or 1
