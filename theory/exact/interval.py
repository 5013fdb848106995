"""Rational intervals with roots, in plain Python: what the scripts of counterexamples carry for irrational sides."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

__all__ = ["Interval"]


class Interval:
    """Rationals low <= x <= high around a real number x, rounded outwards to 400 bits.

    +, −, ·, / and powers with rational exponents; `ZeroDivisionError` where a divisor's interval reaches to 0,
    `ValueError` where the base of a fractional power reaches below 0.
    """

    def __init__(self, low: Any, high: Any = None) -> None:
        self.low = -Interval.above(-Fraction(low))
        self.high = Interval.above(Fraction(low if high is None else high))

    @staticmethod
    def of(x: Any) -> Interval:
        """An interval itself, or a number as one."""
        return x if isinstance(x, Interval) else Interval(x)

    @staticmethod
    def above(x: Fraction, k: int = 1) -> Fraction:
        """A number of about 400 bits at or above the k-th root of x, by whole-number bisection; x >= 0 for k > 1."""
        shift = 400 + (x.denominator.bit_length() - abs(x.numerator).bit_length()) // k
        scaled = x * Fraction(2) ** (k * shift)
        whole = -(-scaled.numerator // scaled.denominator)
        if k > 1:
            low, high = 0, 1 << (whole.bit_length() // k + 1)  # highᵏ > whole
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if middle**k >= whole else (middle + 1, high)
            whole = low
        return whole / Fraction(2) ** shift

    def __add__(self, other: Any) -> Interval:
        y = Interval.of(other)
        return Interval(self.low + y.low, self.high + y.high)

    def __mul__(self, other: Any) -> Interval:
        y = Interval.of(other)
        ends = [a * b for a in (self.low, self.high) for b in (y.low, y.high)]
        return Interval(min(ends), max(ends))

    def __truediv__(self, other: Any) -> Interval:
        y = Interval.of(other)
        if y.low <= 0 <= y.high:
            raise ZeroDivisionError("an interval that reaches to 0")
        return self * Interval(1 / y.high, 1 / y.low)

    __radd__, __rmul__ = __add__, __mul__

    def __rtruediv__(self, other: Any) -> Interval:
        return Interval(other) / self

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Any) -> Interval:
        return self + -Interval.of(other)

    def __rsub__(self, other: Any) -> Interval:
        return -self + Interval.of(other)

    def __pow__(self, exponent: Any) -> Interval:
        p, q = Fraction(exponent).numerator, Fraction(exponent).denominator
        if p < 0:
            upright: Interval = self**-exponent
            return Interval(1) / upright
        found = Interval(1)
        for _ in range(p):
            found = found * self
        if q == 1:
            return found
        if found.low < 0:
            raise ValueError("a fractional power of an interval that reaches below 0")
        below = found.low and 1 / Interval.above(1 / found.low, q)
        return Interval(below, Interval.above(found.high, q))
