"""Where a round's time goes."""

from __future__ import annotations

from time import perf_counter

import torch

__all__ = ["Clock"]


class Clock:
    """Seconds by name since the last `stop`; waits for the device, so that its work counts where it was asked for."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._began = self._last = perf_counter()
        self.seconds: dict[str, float] = {}

    def stop(self, name: str) -> None:
        """What was done since the last stop counts as `name`."""
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)
        now = perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._last
        self._last = now

    @property
    def total(self) -> float:
        """Seconds since the clock was made."""
        return self._last - self._began
