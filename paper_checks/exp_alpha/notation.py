"""The letters of Exp-α."""

from __future__ import annotations

from validation.notation import Notation, Quantity

__all__ = ["NOTATION"]

NOTATION = Notation(
    (
        Quantity("L", "L", "smoothness of every client", (1, -2), positive=True),
        Quantity("mu", r"\mu", "strong convexity of every client", (1, -2), positive=True),
        Quantity("kappa", r"\kappa", "L/μ", (0, 0), positive=True),
        Quantity("E", "E", "local steps a round", (0, 0), positive=True),
        Quantity("t", "t", "steps done, over all rounds", (0, 0)),
        Quantity("eta_t", r"\eta_t", "step size at step t", (-1, 2), positive=True),
    )
)
