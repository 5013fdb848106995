"""Whether a bound ever says more than is known without it: right side and trivial bound alone, on a declared grid.

No run is needed: the constants of both are drawn, long horizons among them, so that runs too long to search count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.base.streams import stream
from validation.search.scores import TOLERANCE
from validation.statement.bound import Bound
from validation.statement.instances.draw import Space

__all__ = ["Vacuity", "vacuity"]

_DRAWS = 4096


@dataclass(frozen=True)
class Vacuity:
    """The share of the grid on which the right side lies below the trivial bound, and where it first does.

    `first`: the least value, there, of the grid's first coordinate, named in `along`; None where it never does.
    """

    share: float
    along: str
    first: float | None

    @property
    def words(self) -> str:
        """What was found, for `why`."""
        if self.first is None:
            return "the right side lies above the trivial bound on the whole grid"
        words = f"on {self.share:.0%} of the grid the right side lies below the trivial bound"
        return f"{words}, first at {self.along} = {self.first:.4g}"


def vacuity(bound: Bound, trivial: Bound, grid: Space, seed: int, label: str) -> Vacuity:
    """Both sides on corners and random draws of the grid; a side that is no number says nothing, one <= 0 neither.

    Everything random derives from (seed, label).
    """
    rng = stream(seed, f"grid/{label}")
    cube = np.concatenate([grid.corners(rng, _DRAWS), grid.random(rng, _DRAWS)])
    constants = grid.decode(cube)
    with np.errstate(all="ignore"):
        right, known = (np.broadcast_to(side(constants)[0], len(cube)) for side in (bound, trivial))
        below = (right > 0) & (right < known * (1 - TOLERANCE))
    along = grid.coordinates[0].name
    first = float(np.asarray(constants[along])[below].min()) if below.any() else None
    return Vacuity(float(below.mean()), along, first)
