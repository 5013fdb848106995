"""Scales of rounding by units: how large the numbers are that a quantity is a difference of.

What is drawn has degrees (loss, length). The largest curvature drawn, c in units of loss/length², and a length ℓ, to
which whatever else has units contributes, stand for an instance; a quantity of degrees (a, b) is then made of numbers
of about c^a·ℓ^(2a + b): L·ℓ² for a loss, ℓ² for a squared distance, and 1 for a pure number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from validation.statement.instances.draw import Instance
from validation.statement.notation import Notation

__all__ = ["Scaled"]

Units = tuple[int, int]
_CURVATURE = (1, -2)
_NO_QUANTITY = {"admissible", "sizes"}


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
        """Every quantity, shape (n,), and `sizes` of the same shape, each computed when it is asked for."""
        seen = self.observe(x, **chosen)
        return seen if "magnitude" in seen else {**seen, "sizes": _Sizes(self, x, seen)}

    def degrees(self, name: str) -> Units | None:
        """The degrees by which a quantity has a scale; None for one that has none."""
        letter = self.notation.by_name.get(name)
        degrees = None if letter is None or letter.positive else letter.units
        return None if degrees is None or (degrees != (0, 0) and 2 * degrees[0] + degrees[1] == 0) else degrees

    def units(self, x: Instance) -> tuple[Any, Any]:
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


class _Sizes(Mapping[str, Any]):
    """The scales of what is seen of a batch; a statement has few of the letters that a world observes."""

    def __init__(self, scaled: Scaled, x: Instance, seen: Mapping[str, Any]) -> None:
        self.scaled, self.x, self.seen = scaled, x, seen
        self.told: Mapping[str, Any] = seen.get("sizes", {})

    def __getitem__(self, name: str) -> Any:
        if name in self.told:
            return self.told[name]
        degrees = self.scaled.degrees(name)
        if degrees is None or name in _NO_QUANTITY:
            raise KeyError(name)
        (a, b), (curvature, length) = degrees, self._units
        return np.maximum(np.abs(self.seen[name]), curvature**a * length ** (2 * a + b))

    def __iter__(self) -> Iterator[str]:
        yield from self.told
        for name in self.seen.keys() - self.told.keys() - _NO_QUANTITY:
            if self.scaled.degrees(name) is not None:
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        if name in self.told:
            return True
        known = isinstance(name, str) and name in self.seen and name not in _NO_QUANTITY
        return known and self.scaled.degrees(str(name)) is not None

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    @cached_property
    def _units(self) -> tuple[Any, Any]:
        return self.scaled.units(self.x)
