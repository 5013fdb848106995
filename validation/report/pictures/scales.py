"""Axes: from numbers to pixels, linear or logarithmic, with ticks a person would have chosen."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Scale", "spanning"]


@dataclass(frozen=True)
class Scale:
    """Maps [lo, hi] onto [start, end] pixels; on a log axis 0 < lo, and values are clamped to the axis by `clamped`."""

    lo: float
    hi: float
    start: float
    end: float
    log: bool = False

    def __call__(self, x: float) -> float:
        at = math.log10 if self.log else float
        part = (at(x) - at(self.lo)) / (at(self.hi) - at(self.lo))
        return self.start + part * (self.end - self.start)

    def clamped(self, x: float) -> float:
        return self(min(max(x, self.lo), self.hi))

    def ticks(self, about: int = 5) -> list[float]:
        """Round values on the axis: decades, 1-2-5 or even steps, as the span asks for."""
        if not self.log or self.hi / self.lo < 5:
            return _even_ticks(self.lo, self.hi, about)
        decades = math.log10(self.hi) - math.log10(self.lo)
        step = max(1, math.ceil(decades / about))
        first, last = math.floor(math.log10(self.lo)), math.ceil(math.log10(self.hi))
        within = 1, 2, 5
        leads: tuple[int, ...] = within if decades < about / 2 else (1,)
        found = [lead * 10.0**k for k in range(first, last + 1) if k % step == 0 for lead in leads]
        return [t for t in found if self.lo * (1 - 1e-9) <= t <= self.hi * (1 + 1e-9)]


def _even_ticks(lo: float, hi: float, about: int) -> list[float]:
    raw = (hi - lo) / max(about, 1)
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= raw * (1 - 1e-9))
    first, last = math.ceil(lo / step - 1e-9), math.floor(hi / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def spanning(values: Iterable[float], start: float, end: float, *, log: bool = False, room: float = 0.05) -> Scale:
    """The scale that holds all finite `values` (positive ones only on a log axis), with `room` at both ends."""
    kept = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
    if not kept:
        return Scale(0.1, 1.0, start, end, log) if log else Scale(0.0, 1.0, start, end)
    lo, hi = min(kept), max(kept)
    if log:
        first, last = math.log10(lo), math.log10(hi)
        pad = room * (last - first) if last - first > 0.08 else 0.08
        # Within what a float can hold.
        return Scale(10 ** max(first - pad, -307.0), 10 ** min(last + pad, 308.0), start, end, log=True)
    # Values equal up to rounding must not be blown up into a landscape of noise.
    if hi - lo <= 1e-9 * max(abs(lo), abs(hi), 1e-300):
        middle, half = (lo + hi) / 2, max(abs(hi) * 0.05, 1e-12) if hi else 0.5
        lo, hi = middle - half, middle + half
    pad = (hi - lo) * room
    # A quantity that is never negative starts at zero when it comes near it.
    floor = 0.0 if 0 <= lo < 0.35 * hi else lo - pad
    return Scale(floor, hi + pad, start, end)
