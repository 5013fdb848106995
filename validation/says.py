"""What a claim says, as a value: two sides and how they are related, kept as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.exact.number import Exact
from validation.bound import Bound, python_source

__all__ = ["Eq", "Le", "Says", "eq", "le"]


@dataclass(frozen=True)
class Le:
    """left <= right on every instance of a world; also the form of a hypothesis."""

    left: Any
    right: Any

    @cached_property
    def sides(self) -> tuple[Bound, Bound]:
        """Both sides in every form that is needed, compiled once."""
        return Bound(self.left), Bound(self.right)

    @property
    def words(self) -> str:
        """The relation in plain characters, as a hypothesis is named."""
        return f"{self.left} <= {self.right}"

    @property
    def source(self) -> str:
        """The relation as Python source that is exact over Fractions."""
        return f"{python_source(self.left)} <= {python_source(self.right)}"

    def met(self, values: Mapping[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
        """Whether it holds at each of many instances, in floats, with the slack of a rounding of either side."""
        (left, size_left), (right, size_right) = (side(values) for side in self.sides)
        return np.asarray(left - right <= 4 * np.finfo(np.float64).eps * (size_left + size_right))

    def met_exactly(self, values: Mapping[str, Fraction | Exact]) -> bool:
        """Whether it holds at one instance of exact numbers."""
        left, right = (side.exact(values) for side in self.sides)
        return bool(left <= right)


@dataclass(frozen=True)
class Eq:
    """left == right for all values of their letters."""

    left: Any
    right: Any


Says: TypeAlias = Le | Eq


def le(left: Any, right: Any) -> Le:
    """left <= right; numbers, symbols and formulas of them."""
    return Le(sp.sympify(left), sp.sympify(right))


def eq(left: Any, right: Any) -> Eq:
    """left == right."""
    return Eq(sp.sympify(left), sp.sympify(right))
