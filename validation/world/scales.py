"""Scales of rounding by units: how large the numbers are that a quantity is a difference of.

What is drawn has degrees (loss, length). The largest curvature drawn, c in units of loss/length², and a length ℓ, to
which whatever else has units contributes, stand for an instance; a quantity of degrees (a, b) is then made of numbers
of about c^a·ℓ^(2a + b): L·ℓ² for a loss, ℓ² for a squared distance, and 1 for a pure number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from validation.statement.draw import Instance
from validation.statement.notation import Notation

__all__ = ["Scaled"]

Units = tuple[int, int]
_CURVATURE = (1, -2)


@dataclass(frozen=True, eq=False)
class Scaled:
    """What `observe` gives of a batch, and `sizes`, the scale of each quantity by its units where it gives none itself.

    `drawn`: degrees of the coordinates that have units. Curvatures, step sizes and letters that are declared positive
    are no differences of larger numbers and get none.
    """

    observe: Callable[..., Mapping[str, Any]]
    drawn: Mapping[str, Units]
    notation: Notation

    def __call__(self, x: Instance, **chosen: Any) -> Mapping[str, Any]:
        """Every quantity, shape (n,), and `sizes` of the same shape."""
        seen = self.observe(x, **chosen)
        if "magnitude" in seen:
            return seen
        curvature, length = self._units(x)
        powers: dict[Units, Any] = {}
        sizes = dict(seen.get("sizes", {}))
        for name in seen.keys() - sizes.keys() - {"admissible", "sizes"}:
            letter = self.notation.by_name.get(name)
            degrees = None if letter is None or letter.positive else letter.units
            if degrees is None or (degrees != (0, 0) and 2 * degrees[0] + degrees[1] == 0):
                continue
            if degrees not in powers:
                powers[degrees] = curvature ** degrees[0] * length ** (2 * degrees[0] + degrees[1])
            sizes[name] = np.maximum(np.abs(seen[name]), powers[degrees])
        return {**seen, "sizes": sizes}

    def _units(self, x: Instance) -> tuple[Any, Any]:
        """The curvature and the length that stand for each instance."""
        most = {name: np.abs(x[name]).reshape(len(x[name]), -1).max(axis=1) for name in self.drawn if name in x}
        curved = [most[name] for name in most if self.drawn[name] == _CURVATURE]
        curvature = np.max(curved, axis=0) if curved else np.float64(1.0)
        length = np.float64(0.0)
        for name, value in most.items():
            a, b = self.drawn[name]
            if 2 * a + b > 0:
                length = length + (value / curvature**a) ** (1 / (2 * a + b))
        return curvature, length
