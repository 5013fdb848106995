"""Where a round's time goes."""

from __future__ import annotations

from collections.abc import Generator
from time import perf_counter
from typing import Any, TypeVar

import torch

__all__ = ["Clock"]


W = TypeVar("W")


class Clock:
    """Seconds by name since the last `stop`; waits for the device, so that its work counts where it was asked for."""

    def __init__(self, device: torch.device) -> None:
        self._device, self._waits = device, device.type == "cuda"
        self._began = self._last = perf_counter()
        self.seconds: dict[str, float] = {}

    def stop(self, name: str) -> None:
        """What was done since the last stop counts as `name`."""
        if self._waits:
            torch.cuda.synchronize(self._device)
        now = perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._last
        self._last = now

    def part(self, name: str, seconds: float, of: str) -> None:
        """Of what counts as `of`, so many seconds count as `name`."""
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        self.seconds[of] -= seconds

    def waited(self, work: W) -> Generator[W, tuple[Any, float], Any]:
        """The result of `work`, yielded to whoever does it; of the time that passes only what the work took counts."""
        asked = perf_counter()
        result, seconds = yield work
        others = perf_counter() - asked - seconds
        self._began += others
        self._last += others
        return result

    @property
    def total(self) -> float:
        """Seconds since the clock was made."""
        return self._last - self._began
