"""What a setting of this paper may have on: the mechanisms that its statements are attacked with, by coordinates."""

from __future__ import annotations

from validation import Mechanism
from validation.world.mechanisms import above, below, nonzero

__all__ = ["MECHANISMS"]

MECHANISMS = (
    Mechanism("noise", ("noise", "noisy"), nonzero("noise", "noisy")),
    Mechanism("noise", ("sigma", "noisy"), nonzero("sigma", "noisy")),
    Mechanism("noise", ("sigma",), nonzero("sigma")),
    Mechanism("several local steps", ("local_steps",), above("local_steps", 1)),
    Mechanism("incomplete clients", ("done", "local_steps"), below("done", 0.5)),
    Mechanism("incomplete clients", ("active",), below("active", 0.5)),
)
