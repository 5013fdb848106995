"""Coordinates that runs are drawn with besides the usual ones: equal shares, and numbers of local steps."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validation.statement.instances.draw import Coordinate

__all__ = ["Counts", "Equal", "Same"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Equal:
    """Equal shares of `size` clients; nothing is drawn."""

    name: str
    size: int

    @property
    def n_cube(self) -> int:
        """No numbers of the cube."""
        return 0

    def decode(self, cube: Float) -> Float:
        """(n, 0) -> (n, size)."""
        return np.full((len(cube), self.size), 1 / self.size)

    def special(self) -> tuple[float, ...]:
        """No special values."""
        return (0.0,)

    def rationalise(self, value: Float, limit: int) -> Any:
        """Exactly equal shares."""
        return [Fraction(1, self.size)] * self.size


@dataclass(frozen=True)
class Counts:
    """A whole number from 1 to `high` for each of `size` clients."""

    name: str
    high: int
    size: int

    @property
    def n_cube(self) -> int:
        """One number of the cube a client."""
        return self.size

    def decode(self, cube: Float) -> Float:
        """(n, size) in [0, 1] -> (n, size), whole numbers."""
        return np.minimum(1.0 + np.floor(cube * self.high), self.high)

    def special(self) -> tuple[float, ...]:
        """One step, and all of them."""
        return (0.0, 1.0)

    def rationalise(self, value: Float, limit: int) -> Any:
        """The same whole numbers."""
        return [Fraction(round(float(v))) for v in value]


@dataclass(frozen=True)
class Same:
    """What `of` draws of one client, for all `size` of them."""

    of: Coordinate
    size: int

    @property
    def name(self) -> str:
        """The name of what is drawn."""
        return self.of.name

    @property
    def n_cube(self) -> int:
        """The numbers of one client."""
        return self.of.n_cube

    def decode(self, cube: Float) -> Float:
        """(n, n_cube) -> (n, size, …)."""
        return np.repeat(self.of.decode(cube)[:, None], self.size, axis=1)

    def special(self) -> tuple[float, ...]:
        """Those of one client."""
        return self.of.special()

    def rationalise(self, value: Float, limit: int) -> Any:
        """One client's fractions, for all of them."""
        return [self.of.rationalise(value[0], limit)] * self.size
