"""Exact numbers with an infinitesimal ε > 0: rational functions of ε, ordered as they are for all small enough ε.

A statement «for all sufficiently small η» is decided by running its exact text once with η = ε: every comparison made
on the way, of sides, maxima and hypotheses, is the one that holds on a whole interval 0 < ε < h. `deciding` tells an h
for which all comparisons made are right, by Cauchy's bound on the roots of polynomials.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_poly

from theory.exact.budget import charge
from theory.exact.errors import InexactError, NoValueError, calling_line
from theory.exact.number import Exact, exact

__all__ = ["EPSILON", "Germ", "Reach", "deciding"]


@dataclass
class Reach:
    """How far the comparisons made so far hold: for every ε in (0, `until`)."""

    until: Fraction = Fraction(1)


_REACH: ContextVar[Reach | None] = ContextVar("reach", default=None)


@contextmanager
def deciding() -> Iterator[Reach]:
    """The interval on which every comparison of germs made inside holds."""
    reach = Reach()
    token = _REACH.set(reach)
    try:
        yield reach
    finally:
        _REACH.reset(token)


def _polynomial(value: Any) -> fmpq_poly:
    number = exact(value)
    if not number.has_value:
        raise NoValueError(f"{number!r} beside an infinitesimal")
    if not number.is_rational:
        raise InexactError(f"{number!r} beside an infinitesimal, which takes fractions alone{calling_line()}")
    found = number.fraction()
    return fmpq_poly([fmpq(found.numerator, found.denominator)])


def _lowest(p: fmpq_poly) -> tuple[int, fmpq]:
    """The order of the lowest term of a polynomial that is not 0, and its coefficient."""
    return next((k, c) for k, c in enumerate(p.coeffs()) if c != 0)


def _root_free(p: fmpq_poly) -> Fraction:
    """An h such that a polynomial that is not 0 has no root in (0, h): Cauchy's bound |c|/(|c| + max|cⱼ|)."""
    order, first = _lowest(p)
    rest = [abs(c) for c in p.coeffs()[order + 1 :]]
    bound = abs(first) / (abs(first) + max(rest)) if rest else fmpq(1)
    return Fraction(int(bound.p), int(bound.q))


class Germ:
    """top(ε)/bottom(ε) with rational coefficients. Arithmetic with whole numbers and fractions; no floats, no roots."""

    __slots__ = ("bottom", "top")
    __array_ufunc__ = None  # an array of numbers is asked entry by entry, as an array of objects

    def __init__(self, top: fmpq_poly, bottom: fmpq_poly) -> None:
        common = top.gcd(bottom)
        if common.degree() > 0:
            top, bottom = top // common, bottom // common
        self.top, self.bottom = top, bottom
        charge(max((c.height_bits() for p in (top, bottom) for c in p.coeffs()), default=1))

    @staticmethod
    def of(value: Any) -> Germ:
        """A whole number or fraction as a germ; `InexactError` for floats that are none, and for irrational numbers."""
        return value if isinstance(value, Germ) else Germ(_polynomial(value), fmpq_poly([1]))

    @property
    def sign(self) -> int:
        """−1, 0 or 1: the sign for all small enough ε; how small is told to `deciding`."""
        if self.top == 0:
            return 0
        reach = _REACH.get()
        if reach is not None:
            reach.until = min(reach.until, _root_free(self.top), _root_free(self.bottom))
        return 1 if (_lowest(self.top)[1] > 0) == (_lowest(self.bottom)[1] > 0) else -1

    @property
    def leading(self) -> tuple[Fraction, int]:
        """(c, k) of the leading term c·ε^k as ε → 0; (0, 0) of 0."""
        if self.top == 0:
            return Fraction(0), 0
        (k, c), (m, d) = _lowest(self.top), _lowest(self.bottom)
        return Fraction(int((c / d).p), int((c / d).q)), k - m

    def at(self, epsilon: Fraction) -> Fraction:
        """The value at one ε; raises `ZeroDivisionError` where it has none."""
        x = fmpq(epsilon.numerator, epsilon.denominator)
        bottom = self.bottom(x)
        if bottom == 0:
            raise ZeroDivisionError(f"a germ has no value at ε = {epsilon}")
        found = self.top(x) / bottom
        return Fraction(int(found.p), int(found.q))

    def __add__(self, other: Any) -> Germ:
        o = Germ.of(other)
        return Germ(self.top * o.bottom + o.top * self.bottom, self.bottom * o.bottom)

    def __mul__(self, other: Any) -> Germ:
        o = Germ.of(other)
        return Germ(self.top * o.top, self.bottom * o.bottom)

    def __truediv__(self, other: Any) -> Germ:
        o = Germ.of(other)
        if o.top == 0:
            raise ZeroDivisionError("division of a germ by 0")
        return Germ(self.top * o.bottom, self.bottom * o.top)

    def __rtruediv__(self, other: Any) -> Germ:
        return Germ.of(other) / self

    def __neg__(self) -> Germ:
        return Germ(-self.top, self.bottom)

    def __sub__(self, other: Any) -> Germ:
        return self + -Germ.of(other)

    def against(self, other: Any) -> int:
        """−1, 0 or 1 as it is below, equal to or above a number or germ, for all small enough ε; of ±inf, too."""
        if isinstance(other, Exact) and other.has_value and not other.is_finite:
            return -1 if other > 0 else 1
        return (self + -Germ.of(other)).sign

    def __rsub__(self, other: Any) -> Germ:
        return Germ.of(other) - self

    def __pow__(self, power: Any) -> Germ:
        if int(power) != power:
            raise InexactError(f"a germ to the power {power}: expected a whole number")
        n = int(power)
        return Germ(self.top**n, self.bottom**n) if n >= 0 else Germ.of(1) / self**-n

    __radd__, __rmul__ = __add__, __mul__

    def __abs__(self) -> Germ:
        return -self if self.sign < 0 else self

    def __pos__(self) -> Germ:
        return self

    def __bool__(self) -> bool:
        return self.sign != 0  # which tells how small ε has to be

    def __eq__(self, other: object) -> bool:
        return self.against(other) == 0

    def __lt__(self, other: Any) -> bool:
        return self.against(other) < 0

    def __le__(self, other: Any) -> bool:
        return self.against(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self.against(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self.against(other) >= 0

    __hash__ = None  # type: ignore[assignment]

    def __float__(self) -> float:
        raise InexactError("an infinitesimal as a float; expected arithmetic, comparisons, max, min and abs alone")

    def __repr__(self) -> str:
        coefficient, order = self.leading
        return f"{coefficient}·ε^{order} + …" if order else f"{coefficient} + …"


EPSILON = Germ(fmpq_poly([0, 1]), fmpq_poly([1]))
