"""Free vectors, their inner products as symbols, and a direction in which a quadratic form is negative."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from theory.exact import is_positive_semidefinite

__all__ = ["Vector", "inner", "negative_direction", "product_of", "square", "vectors"]

_DENOMINATORS = (1, 2, 3, 4, 6, 10, 100, 10**4, 10**8)


@dataclass(frozen=True)
class Vector:
    """A linear combination of named vectors, its coefficients sympy expressions."""

    parts: Mapping[str, Any]

    def __add__(self, other: Vector | int) -> Vector:
        theirs = {} if isinstance(other, int) else other.parts  # 0, where `sum` starts
        return Vector({k: self.parts.get(k, 0) + theirs.get(k, 0) for k in {**self.parts, **theirs}})

    __radd__ = __add__

    def __neg__(self) -> Vector:
        return -1 * self

    def __sub__(self, other: Vector) -> Vector:
        return self + -1 * other

    def __mul__(self, factor: Any) -> Vector:
        return Vector({k: sp.sympify(factor) * v for k, v in self.parts.items()})

    __rmul__ = __mul__


def vectors(names: str) -> Any:
    """Free vectors by name; one name gives one vector, several a tuple, as `symbols` does."""
    out = tuple(Vector({name: sp.Integer(1)}) for name in names.split())
    return out[0] if len(out) == 1 else out


def inner(u: Vector, v: Vector) -> Any:
    """⟨u, v⟩, linear in the inner products of the named vectors."""
    return sp.Add(*(a * b * product_of(i, j) for i, a in u.parts.items() for j, b in v.parts.items()))


def square(u: Vector) -> Any:
    """‖u‖²."""
    return inner(u, u)


def product_of(i: str, j: str) -> Any:
    """The symbol of ⟨vᵢ, vⱼ⟩ for two named vectors, the same in both orders."""
    first, second = sorted((i, j))
    return sp.Symbol(f"<{first},{second}>", real=True)


def negative_direction(matrix: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
    """A rational v with vᵀMv < 0, its entries as simple as a rounded eigenvector allows; None when M is PSD."""
    if is_positive_semidefinite(matrix):
        return None
    v = np.linalg.eigh(np.asarray([[float(x) for x in row] for row in matrix]))[1][:, 0]
    v = v / v[np.argmax(np.abs(v))]
    for limit in _DENOMINATORS:
        rounded = [Fraction(float(x)).limit_denominator(limit) for x in v]
        if _form(matrix, rounded) < 0:
            return rounded
    return _by_elimination(matrix)


def _form(matrix: Sequence[Sequence[Fraction]], v: Sequence[Fraction]) -> Fraction:
    return sum((a * x * y for row, x in zip(matrix, v, strict=True) for a, y in zip(row, v, strict=True)), Fraction(0))


def _by_elimination(matrix: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
    """The direction exact elimination itself yields: at a negative pivot, or at a zero pivot with a nonzero row."""
    size = len(matrix)
    rows = [list(row) for row in matrix]
    steps = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    for j in range(size):
        if rows[j][j] < 0:
            return steps[j]
        if rows[j][j] == 0:
            k = next((k for k in range(j + 1, size) if rows[j][k] != 0), None)
            if k is not None:
                shift = -(rows[k][k] + 1) / (2 * rows[j][k])
                return [shift * a + b for a, b in zip(steps[j], steps[k], strict=True)]
            continue
        for i in range(j + 1, size):
            factor = rows[i][j] / rows[j][j]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[j], strict=True)]
            steps[i] = [x - factor * y for x, y in zip(steps[i], steps[j], strict=True)]
    return None
