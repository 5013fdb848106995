"""What a setting of this paper may have on: the mechanisms that its statements are attacked with, by coordinates."""

from __future__ import annotations

from validation import Mechanism
from validation.world.mechanisms import above, always, changing, nonzero

__all__ = ["MECHANISMS", "switched_on"]

MECHANISMS = (
    Mechanism("noise", ("sigma",), nonzero("sigma")),
    Mechanism("several local steps", ("local_steps",), above("local_steps", 1)),
    Mechanism("changing weights", ("applied",), changing("applied")),
)


def switched_on(K: float, *, absent: bool = False) -> tuple[Mechanism, ...]:
    """What the sizes and choices of a case have on: several local steps, and clients that may be absent."""
    several = (Mechanism("several local steps", (), always),) if K > 1 else ()
    return (*several, *((Mechanism("absent clients", (), always),) if absent else ()))
