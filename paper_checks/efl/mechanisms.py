"""What a setting of this paper may have on: the mechanisms that its statements are attacked with, by coordinates."""

from __future__ import annotations

from validation import Mechanism
from validation.world.mechanisms import always, below, nonzero

__all__ = ["MECHANISMS", "local_steps"]

MECHANISMS = (
    Mechanism("noise", ("noise", "noisy"), nonzero("noise", "noisy")),
    Mechanism("noise", ("sigma", "noisy"), nonzero("sigma", "noisy")),
    Mechanism("noise", ("sigma",), nonzero("sigma")),
    Mechanism("incomplete clients", ("active",), below("active", 0.5)),
)


def local_steps(E: int) -> tuple[Mechanism, ...]:
    """What a case of E local steps has on, of which the clients finish a fraction `done`."""
    several = (Mechanism("several local steps", (), always),) if E > 1 else ()
    return (*several, Mechanism("incomplete clients", ("done",), below("done", 0.5)))
