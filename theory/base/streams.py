"""Random streams derived from (seed, purpose, round, client): no global generator, no order of calls."""

from __future__ import annotations

from zlib import crc32

import numpy as np

__all__ = ["stream"]


def stream(seed: int, purpose: str, *axes: int) -> np.random.Generator:
    """The generator of one purpose at one place, for instance ``stream(7, "noise", round, client)``.

    Adding a client or changing the rule shifts nobody else's draws. `seed` and `axes` are integers >= 0;
    a negative one raises `ValueError`.
    """
    if seed < 0 or any(axis < 0 for axis in axes):
        raise ValueError(f"stream(seed={seed}, {purpose!r}, {axes}): seed and axes must be integers >= 0")
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, crc32(purpose.encode()), *axes])))
