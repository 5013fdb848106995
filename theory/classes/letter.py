"""A letter among exact numbers: a step size, a condition number or a number of clients anywhere in a range.

A statement that is written with a `Letter` in place of a number has rational functions of the letter for coefficients.
Signs that are asked on the way, such as μ < L, are decided for the whole range at once, by Sturm's theorem.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Complex
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpq_poly

from theory.classes.numbers import Number, Real, Surd, number
from theory.exact.sturm import Range, has_root, never_negative

__all__ = ["Letter"]


class Letter(Surd):
    """top(x)/bottom(x) for all x of a range; `Letter.named("eta", Range.read("(0, 1]"))` is x itself.

    Arithmetic is with rationals and with letters of the same range. Raises `ValueError` for a square root, for a
    divisor that vanishes in the range, and for a comparison that comes out differently at different numbers of it.
    """

    __slots__ = ("bottom", "name", "top", "within")

    def __init__(self, top: fmpq_poly, bottom: fmpq_poly, name: str, within: Range) -> None:
        common = top.gcd(bottom)
        unit = common * bottom.leading_coefficient() / common.leading_coefficient()
        self.top, self.bottom, self.name, self.within = top // unit, bottom // unit, name, within

    @staticmethod
    def named(name: str, within: Range) -> Letter:
        """The letter itself."""
        return Letter(fmpq_poly([0, 1]), fmpq_poly([1]), name, within)

    @property
    def terms(self) -> dict[tuple[int, ...], Any]:  # type: ignore[override]
        """What `sign` asks for: the number's sign in the range, in place of an enclosure, which a letter has not."""
        return _Sign(self)

    @property
    def sign(self) -> int:
        """−1 or 1; raises `ValueError` where it is not the same in the whole range."""
        product = self.top * self.bottom
        if has_root(self.top, self.within):
            raise ValueError(f"{self} is 0 or changes its sign for {self.name} in {self.within}: take a shorter range")
        return 1 if never_negative(product, self.within) else -1

    @property
    def never_negative(self) -> bool:
        """Whether the number is >= 0, or has no value, everywhere in the range."""
        return never_negative(self.top * self.bottom, self.within)

    @property
    def defined(self) -> bool:
        """Whether the number has a value everywhere in the range."""
        return not has_root(self.bottom, self.within)

    def at(self, x: Fraction) -> Fraction:
        """The value at one number; raises `ZeroDivisionError` where it has none."""
        place = fmpq(x.numerator, x.denominator)
        bottom = self.bottom(place)
        if bottom == 0:
            raise ZeroDivisionError(f"{self} has no value at {self.name} = {x}")
        found = self.top(place) / bottom
        return Fraction(int(found.p), int(found.q))

    def of(self, top: fmpq_poly, bottom: fmpq_poly) -> Real:
        """Another rational function of the letter, a rational number where it is one."""
        made = Letter(top, bottom, self.name, self.within)
        if made.top.degree() <= 0 and made.bottom.degree() <= 0:
            return fmpq(0) if made.top == 0 else made.top.leading_coefficient() / made.bottom.leading_coefficient()
        return made

    def _parts(self, other: Number) -> tuple[fmpq_poly, fmpq_poly]:
        x = number(other)
        if isinstance(x, Letter):
            if (x.name, x.within) != (self.name, self.within):
                raise ValueError(f"{self.name} in {self.within} beside {x.name} in {x.within}: expected one letter")
            return x.top, x.bottom
        if isinstance(x, Surd):
            raise ValueError(
                f"{x!r} beside the letter {self.name}: expected rational numbers, or a letter for the root"
            )
        return fmpq_poly([x]), fmpq_poly([1])

    def __add__(self, other: Number) -> Real:
        if isinstance(other, float) or not _takes(other):
            return NotImplemented
        top, bottom = self._parts(other)
        return self.of(self.top * bottom + top * self.bottom, self.bottom * bottom)

    def __mul__(self, other: Number) -> Real:
        if not _takes(other):
            return NotImplemented
        top, bottom = self._parts(other)
        return self.of(self.top * top, self.bottom * bottom)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Real:
        return self.of(-self.top, self.bottom)

    def __sub__(self, other: Number) -> Real:
        return NotImplemented if not _takes(other) else self + -number(other)

    def __rsub__(self, other: Number) -> Real:
        return NotImplemented if not _takes(other) else -self + other

    def __truediv__(self, other: Number) -> Real:
        if not _takes(other):
            return NotImplemented
        divisor = number(other)
        return self * (1 / divisor)

    def __rtruediv__(self, other: Number) -> Real:
        if not _takes(other):
            return NotImplemented
        if has_root(self.top, self.within):
            raise ValueError(f"division by {self}, which vanishes for {self.name} in {self.within}")
        top, bottom = self._parts(other)
        return self.of(self.bottom * top, self.top * bottom)

    def __pow__(self, exponent: int) -> Real:
        if not isinstance(exponent, int):
            raise ValueError(f"{self} to the power {exponent}: expected a whole number; take the root as the letter")
        if exponent < 0:
            return 1 / self**-exponent
        return fmpq(1) if exponent == 0 else self.of(self.top**exponent, self.bottom**exponent)

    def __eq__(self, other: object) -> bool:
        """Whether they are equal in the whole range; raises `ValueError` where they are at some numbers of it only."""
        if not _takes(other):
            if isinstance(other, Complex | Decimal | np.generic):
                raise ValueError(f"{self} == {other!r}: expected an exact number, such as Fraction(1, 10)")
            return NotImplemented
        apart = self - number(other)
        if not isinstance(apart, Letter):
            return bool(apart == 0)
        if has_root(apart.top, self.within):
            raise ValueError(f"{self} == {other}: so for some {self.name} in {self.within} only: take a shorter range")
        return False

    def __le__(self, other: Number) -> bool:
        apart = number(other) - self
        below = bool(apart.never_negative if isinstance(apart, Letter) else apart >= 0)
        return below or not self > other

    def __ge__(self, other: Number) -> bool:
        return bool(-self <= -number(other))

    def __bool__(self) -> bool:
        """Whether it is not 0 in the whole range; raises `ValueError` where it is 0 at some numbers of it only."""
        return self != 0

    def __hash__(self) -> int:
        """Asked where a number is to have a root or a name of its own, which letters have not."""
        raise ValueError(f"a root of {self}: expected arithmetic; write the statement with the root as its letter")

    def __float__(self) -> float:
        """Refused: a letter has no one value, so that roots, rounding and functions of floats have none."""
        raise ValueError(
            f"{self} has no value of its own: expected +, −, ·, / and whole powers; no float, root or rounding"
        )

    __int__ = __floor__ = __ceil__ = __trunc__ = __round__ = __complex__ = __float__

    def _of_one_number(self) -> Any:
        """Refused: what a fraction or a float tells of itself, such as its denominator, a letter has not."""
        raise ValueError(
            f"{self} has no numerator, denominator or parts of its own: expected +, −, ·, / and whole powers"
        )

    numerator = denominator = real = imag = property(_of_one_number)
    as_integer_ratio = is_integer = limit_denominator = conjugate = hex = bit_length = _of_one_number

    def __repr__(self) -> str:
        top, bottom = (str(p).replace("x", self.name) for p in (self.top, self.bottom))
        return top if self.bottom.degree() == 0 else f"({top})/({bottom})"

    def __str__(self) -> str:
        return repr(self)


class _Sign(dict[tuple[int, ...], Any]):
    """One term, whose value is the sign of a letter; it is computed when the term is read, and not before."""

    def __init__(self, letter: Letter) -> None:
        super().__init__({(): None})
        self.letter = letter

    def items(self) -> Any:
        return {(): arb(self.letter.sign)}.items()


def _takes(x: object) -> bool:
    return isinstance(x, int | Fraction | Surd | fmpq)
