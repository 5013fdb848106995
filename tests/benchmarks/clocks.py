"""Contestants in turns in one process: processor and wall time of each, and under which load and with how many threads.

A busy machine takes the processor away from a long call and leaves a short one alone, and it stretches the wall time of
both: ratios are medians over turns, of processor time unless threads share the work.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from threadpoolctl import threadpool_info, threadpool_limits

__all__ = ["Times", "busy", "in_turns", "joined", "limited", "ratio", "said", "total"]


@dataclass(frozen=True)
class Times:
    """Seconds of one contestant, turn by turn, by the clock of the processor and by that on the wall."""

    cpu: tuple[float, ...]
    wall: tuple[float, ...]

    def row(self, name: str) -> dict[str, float]:
        """Medians, as a table keeps them."""
        return {f"{name}_cpu_s": median(self.cpu), f"{name}_wall_s": median(self.wall)}

    def middle(self) -> Times:
        """Their medians as one turn."""
        return Times((median(self.cpu),), (median(self.wall),))

    def __str__(self) -> str:
        return f"{median(self.cpu) * 1e3:9.3f} ms CPU {median(self.wall) * 1e3:9.3f} wall"


def in_turns(
    calls: Mapping[str, Callable[[], Any]], turns: int, times: Mapping[str, int] | None = None
) -> dict[str, Times]:
    """Each call once to warm up, then `turns` times, the others between; a turn of a short one is `times` calls."""
    for call in calls.values():
        call()
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(turns):
        for name, call in calls.items():
            repeats = (times or {}).get(name, 1)
            cpu, wall = time.process_time(), time.perf_counter()
            for _ in range(repeats):
                call()
            found[name].append(((time.process_time() - cpu) / repeats, (time.perf_counter() - wall) / repeats))
    return {name: Times(*zip(*pairs, strict=True)) for name, pairs in found.items()}


def joined(turns: Sequence[Times]) -> Times:
    """One after the other."""
    return Times(tuple(t for one in turns for t in one.cpu), tuple(t for one in turns for t in one.wall))


def total(parts: Sequence[Times]) -> Times:
    """Turn by turn all of them."""
    cpu, wall = (tuple(map(sum, zip(*(getattr(p, clock) for p in parts), strict=True))) for clock in ("cpu", "wall"))
    return Times(cpu, wall)


def ratio(one: Times, other: Times, clock: str = "cpu") -> float:
    """The median over turns of one's time by the other's, by the clock "cpu" or "wall"."""
    pairs: Sequence[tuple[float, float]] = list(zip(getattr(one, clock), getattr(other, clock), strict=True))
    return median(a / b for a, b in pairs)


@contextmanager
def limited(threads: int) -> Iterator[None]:
    """Within it BLAS and OpenMP use so many threads, and torch, where it is loaded, so many of its own."""
    torch: Any = sys.modules.get("torch")
    before = torch and torch.get_num_threads()
    with threadpool_limits(threads):
        if torch:
            torch.set_num_threads(threads)
        yield
        if torch:
            torch.set_num_threads(before)


def busy() -> dict[str, float]:
    """How many processes wanted to run in the last minute, and the most threads that a library here would start."""
    threads = max((pool["num_threads"] for pool in threadpool_info()), default=1)
    return {"load": round(os.getloadavg()[0], 1), "threads": threads}


def said(now: Mapping[str, float]) -> str:
    """The same in words."""
    threads = f"{now['threads']:.0f} thread{'' if now['threads'] == 1 else 's'}"
    return f"load {now['load']:.1f}, {threads}"
