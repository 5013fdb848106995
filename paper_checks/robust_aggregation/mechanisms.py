"""What a setting of this paper may have on: the mechanisms that its statements are attacked with, by coordinates."""

from __future__ import annotations

from validation import Instant, Mechanism
from validation.world.mechanisms import above, changing, nonzero

__all__ = ["MECHANISMS"]

MECHANISMS = (
    Mechanism("noise", ("sigma",), nonzero("sigma")),
    Mechanism("several local steps", ("local_steps",), above("local_steps", 1)),
    Mechanism("changing weights", ("weights",), changing("weights")),
    Mechanism("weights that follow the losses", ("rule", "weights"), nonzero("rule")),
    Mechanism("weights that have seen samples", ("sees",), above("sees", Instant.BEFORE_RUN)),
)
