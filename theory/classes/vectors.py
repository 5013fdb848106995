"""Vectors and quadratic forms with exact coefficients: what a statement over a class is written in.

A vector is Σ aᵢ·vᵢ over named free vectors; a form is ΣΣ aᵢⱼ⟨vᵢ, vⱼ⟩ + Σ bₖFₖ + c over their inner products and over
free function values. ``u * v`` is ⟨u, v⟩, ``u**2`` is ‖u‖², and a comparison of two forms is a condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar, overload

from flint import fmpq

from theory.classes.numbers import Number, Real, Surd, named, number, text

__all__ = ["Condition", "Form", "Least", "Vector", "least"]

K = TypeVar("K")


@dataclass(frozen=True, eq=False)
class Vector:
    """Σ parts[i]·vᵢ; `parts` holds no zero. `of`: the list of free vectors that i counts in, None where none is known.

    Raises `ValueError` where vectors of two lists meet.
    """

    parts: Mapping[int, Real]
    of: object | None = None

    def __add__(self, other: Vector) -> Vector:
        return _settled(_sum(self.parts, other.parts, 1), _one_list(self, other))

    def __sub__(self, other: Vector) -> Vector:
        return _settled(_sum(self.parts, other.parts, -1), _one_list(self, other))

    def __neg__(self) -> Vector:
        return self * -1

    @overload
    def __mul__(self, other: Vector) -> Form: ...
    @overload
    def __mul__(self, other: Number) -> Vector: ...
    def __mul__(self, other: Vector | Number) -> Form | Vector:
        if isinstance(other, Vector):
            if other is self:
                return self._square()
            quad: dict[tuple[int, int], Real] = {}
            for i, a in self.parts.items():
                for j, b in other.parts.items():
                    key = (i, j) if i <= j else (j, i)
                    quad[key] = quad.get(key, fmpq(0)) + a * b
            return Form(_kept(quad), of=_one_list(self, other))
        return self._times(number(other))

    def __rmul__(self, other: Number) -> Vector:
        return self._times(number(other))

    def __truediv__(self, other: Number) -> Vector:
        return self._times(1 / number(other))

    def _square(self) -> Form:
        """Each product of two parts once."""
        parts = list(self.parts.items())
        quad: dict[tuple[int, int], Real] = {}
        for place, (i, a) in enumerate(parts):
            quad[i, i] = a * a
            for j, b in parts[place + 1 :]:
                quad[(i, j) if i <= j else (j, i)] = 2 * (a * b)
        return Form(_kept(quad), of=self.of)

    def _times(self, factor: Real) -> Vector:
        return Vector(_kept({i: named(a * factor) for i, a in self.parts.items()}), self.of)

    def __pow__(self, exponent: int) -> Form:
        if exponent != 2:
            raise ValueError(f"vector**{exponent}: only the square, ‖v‖² = v**2, is meant")
        return self * self

    def key(self) -> tuple[tuple[int, Real], ...]:
        """What makes two vectors the same."""
        return tuple(sorted(self.parts.items(), key=lambda item: item[0]))


@dataclass(frozen=True, eq=False)
class Form:
    """Σ quad[i, j]⟨vᵢ, vⱼ⟩ (i <= j, each product once) + Σ values[k]·Fₖ + constant, without zeros; `of`: as of one."""

    quad: Mapping[tuple[int, int], Real] = field(default_factory=dict)
    values: Mapping[int, Real] = field(default_factory=dict)
    constant: Real = field(default_factory=lambda: fmpq(0))
    of: object | None = None

    def __add__(self, other: Form | Number) -> Form:
        other = as_form(other)
        quad, values = _sum(self.quad, other.quad, 1), _sum(self.values, other.values, 1)
        return Form(quad, values, self.constant + other.constant, _one_list(self, other))

    __radd__ = __add__

    def __neg__(self) -> Form:
        return self._times(fmpq(-1))

    def __sub__(self, other: Form | Number) -> Form:
        return self + -as_form(other)

    def __rsub__(self, other: Number) -> Form:
        return -self + other

    def __mul__(self, other: Number) -> Form:
        return self._times(number(other))

    def _times(self, factor: Real) -> Form:
        return Form(
            _kept({k: a * factor for k, a in self.quad.items()}),
            _kept({k: a * factor for k, a in self.values.items()}),
            self.constant * factor,
            self.of,
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> Form:
        return self._times(1 / number(other))

    def __le__(self, other: Form | Number) -> Condition:
        return Condition(self - other)

    def __ge__(self, other: Form | Number) -> Condition:
        return Condition(as_form(other) - self)

    def equals(self, other: Form | Number) -> Condition:
        """self = other, as a condition; ``==`` is left to Python."""
        return Condition(self - other, equality=True)

    @property
    def is_constant(self) -> bool:
        return not self.quad and not self.values


@dataclass(frozen=True, eq=False)
class Condition:
    """`form` <= 0, or = 0; `label` says which inequality of which class it is."""

    form: Form
    equality: bool = False
    label: str = "hypothesis"

    def __bool__(self) -> bool:
        raise ValueError("a condition has no truth value: write a <= b and b <= c apart, each in the list `given`")


@dataclass(frozen=True, eq=False)
class Least:
    """min of several forms: a conclusion «at least one iterate is good»."""

    forms: tuple[Form, ...]


def least(*forms: Form) -> Least:
    """min(form, …), to be bounded in a conclusion."""
    if not forms:
        raise ValueError("least(): expected one form at least")
    return Least(forms)


def _one_list(one: Vector | Form, other: Vector | Form) -> object | None:
    if one.of is None or other.of is None:
        return one.of if other.of is None else other.of
    if one.of is not other.of:
        raise ValueError("vectors or values of two Problems in one expression: everything in a statement is of one")
    return one.of


def _settled(parts: Mapping[int, Real], of: object | None) -> Vector:
    """The vector with each long coefficient as one number: what is written later in it does not grow."""
    return Vector({i: named(a) for i, a in parts.items()}, of)


def as_form(x: Form | Number) -> Form:
    """A number as the constant form."""
    return x if isinstance(x, Form) else Form(constant=number(x))


def written(form: Form, vectors: Iterable[str], values: Iterable[str]) -> str:
    """The form in the names of its free vectors and values."""
    v, f = list(vectors), list(values)
    parts = [f"{_factor(a)}<{v[i]},{v[j]}>" for (i, j), a in form.quad.items()]
    parts += [f"{_factor(a)}{f[k]}" for k, a in form.values.items()]
    if isinstance(form.constant, Surd) or form.constant != 0 or not parts:
        parts.append(text(form.constant))
    return " + ".join(parts)


def _factor(a: Real) -> str:
    return "" if not isinstance(a, Surd) and a == 1 else f"({text(a)})*"


def _kept(terms: Mapping[K, Real]) -> dict[K, Real]:
    return {k: a for k, a in terms.items() if isinstance(a, Surd) or a != 0}


def _sum(left: Mapping[K, Real], right: Mapping[K, Real], factor: int) -> dict[K, Real]:
    out = dict(left)
    for k, a in right.items():
        out[k] = out[k] + factor * a if k in out else factor * a
    return _kept(out)
