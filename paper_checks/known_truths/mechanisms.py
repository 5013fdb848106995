"""What a setting of this paper may have on: the mechanisms that its statements are attacked with, by coordinates."""

from __future__ import annotations

from validation import Mechanism
from validation.world.mechanisms import above, nonzero

__all__ = ["MECHANISMS"]

MECHANISMS = (
    Mechanism("noise", ("sigma",), nonzero("sigma")),
    Mechanism("several local steps", ("local_steps",), above("local_steps", 1)),
)
