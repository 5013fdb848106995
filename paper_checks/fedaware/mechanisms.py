"""What a setting of this paper may have on: the mechanisms that its statements are attacked with, by coordinates."""

from __future__ import annotations

from validation import Mechanism
from validation.world.mechanisms import above, below, changing, nonzero

__all__ = ["MECHANISMS"]

MECHANISMS = (
    Mechanism("noise", ("sigma",), nonzero("sigma")),
    Mechanism("several local steps", ("local_steps",), above("local_steps", 1)),
    Mechanism("changing weights", ("applied",), changing("applied")),
    Mechanism("absent clients", ("taking_part",), below("taking_part", 1)),
)
