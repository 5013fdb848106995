"""What a setting of this paper may have on: the mechanisms that its statements are attacked with, by coordinates."""

from __future__ import annotations

from validation import Instant, Mechanism
from validation.world.mechanisms import above, nonzero

__all__ = ["MECHANISMS"]

MECHANISMS = (
    Mechanism("noise", ("noise", "noisy"), nonzero("noise", "noisy")),
    Mechanism("several local steps", ("local_steps",), above("local_steps", 1)),
    Mechanism("several local steps", ("tau",), above("tau", 1)),
    Mechanism("weights other than the shares", ("share", "weights", "mix"), nonzero("mix")),
    Mechanism("weights that have seen samples", ("sees", "weights"), above("sees", Instant.BEFORE_RUN)),
)
