"""Signs of polynomials and rational functions on intervals, exactly: Sturm's theorem on square-free factors."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import fmpq, fmpq_poly

__all__ = ["Range", "has_root", "never_negative"]


@dataclass(frozen=True)
class Range:
    """The numbers from `low` to `high`, with or without each end; `high` None: no end.

    `read` makes one of text such as "(0, 1]", "[1/10, 2)" or "[1, oo)". Raises `ValueError` for one without numbers
    inside.
    """

    low: Fraction
    high: Fraction | None
    with_low: bool = False
    with_high: bool = False

    def __post_init__(self) -> None:
        if self.high is not None and not self.low < self.high:
            raise ValueError(f"Range(low={self.low}, high={self.high}): expected low < high")

    @staticmethod
    def read(text: str) -> Range:
        """The range that brackets say, a round one for an end that is not in it."""
        inside = text.strip() if isinstance(text, str) else ""
        ends = [end.strip() for end in inside[1:-1].split(",")]
        try:
            if inside[0] not in "([" or inside[-1] not in ")]" or len(ends) != 2:
                raise ValueError("no range")
            low, high = Fraction(ends[0]), None if ends[1] == "oo" else Fraction(ends[1])
        except (ValueError, IndexError, ZeroDivisionError):
            raise ValueError(f"Range.read({text!r}): expected an interval such as '(0, 1/2]' or '[1, oo)'") from None
        return Range(low, high, inside[0] == "[", inside[-1] == "]" and high is not None)

    def __contains__(self, x: Fraction) -> bool:
        above = x >= self.low if self.with_low else x > self.low
        return above and (self.high is None or (x <= self.high if self.with_high else x < self.high))

    def __str__(self) -> str:
        high = "oo" if self.high is None else self.high
        return f"{'(['[self.with_low]}{self.low}, {high}{')]'[self.with_high]}"

    def part(self, low: Fraction, high: Fraction) -> Range:
        """The closed part between two numbers, but for ends of the whole that are not in it."""
        return Range(low, high, low != self.low or self.with_low, high != self.high or self.with_high)


def has_root(p: fmpq_poly, within: Range) -> bool:
    """Whether a polynomial that is not 0 has a real root in the range, ends as the range has them."""
    ends = [within.low] if within.with_low else []
    ends += [within.high] if within.with_high and within.high is not None else []
    return any(p(_rational(end)) == 0 for end in ends) or _inside(p, within) > 0


def never_negative(p: fmpq_poly, within: Range) -> bool:
    """Whether p >= 0 on the whole range.

    >>> never_negative(fmpq_poly([1, -2, 1]), Range.read("(0, 2)"))  # (1 − x)²
    True
    """
    if p.degree() <= 0:
        return bool(p == 0 or p.coeffs()[0] > 0)
    odd = fmpq_poly([1])
    for factor, power in p.factor_squarefree()[1]:
        if power % 2:
            odd *= factor
    if _inside(odd, within) > 0:
        return False
    return bool(p(_regular_point(p, within)) > 0)


def _rational(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def _regular_point(p: fmpq_poly, within: Range) -> fmpq:
    """A point inside the range at which the polynomial is not 0."""
    low = _rational(within.low)
    width = fmpq(1) if within.high is None else _rational(within.high) - low
    points = (low + width * k / (p.degree() + 2) for k in range(1, p.degree() + 2))
    return next(x for x in points if p(x) != 0)


def _inside(p: fmpq_poly, within: Range) -> int:
    """How many different roots lie strictly inside the range."""
    if p.degree() <= 0:
        return 0
    p = p // p.gcd(p.derivative())
    low, high = _rational(within.low), None if within.high is None else _rational(within.high)
    for end in (low, high):  # roots at the ends are none inside
        if end is not None and p(end) == 0:
            p = p // fmpq_poly([-end, 1])
    chain = [p, p.derivative()]
    while chain[-1].degree() > 0:
        chain.append(-(chain[-2] % chain[-1]))
    chain = [q for q in chain if q != 0]
    at_low = _changes([q(low) for q in chain])
    at_high = _changes([q.leading_coefficient() if high is None else q(high) for q in chain])
    return at_low - at_high


def _changes(values: list[Any]) -> int:
    signs = [v > 0 for v in values if v != 0]
    return sum(a != b for a, b in pairwise(signs))
