"""left <= right, decided: violated, not violated, equal, equal to so many digits, or undefined."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeAlias

from theory.exact.errors import NoValueError, UndecidedError
from theory.exact.number import Exact, compared, exact

__all__ = ["Decision", "Enclosed", "Side", "Sides", "as_side", "decide", "near"]

_TOLD_APART = 50  # digits below which two sides merely look alike because no ball of theirs is narrow


class Sides(StrEnum):
    """How left stands to right where left <= right is claimed."""

    VIOLATED = "violated"
    NOT_VIOLATED = "not violated"
    EQUAL = "equal"
    EQUAL_TO_DIGITS = "equal to n digits"
    UNDEFINED = "undefined"


@dataclass(frozen=True)
class Enclosed:
    """An irrational side as it is shown: rationals below and above it, that agree to about 128 bits.

    `str` gives its first 30 digits; `float`, quotients and comparisons go by its middle. Two sides that were decided to
    be apart have enclosures that are apart. `digits`: the other side is equal to so many digits, and no more is known.
    """

    low: Fraction
    high: Fraction
    digits: int | None = None

    def __float__(self) -> float:
        return float(near(self))

    def __truediv__(self, other: Fraction | Enclosed) -> Fraction:
        return near(self) / near(other)

    def __rtruediv__(self, other: Fraction) -> Fraction:
        return other / near(self)

    def __lt__(self, other: Fraction | int | Enclosed) -> bool:
        return near(self) < near(other)

    def __le__(self, other: Fraction | int | Enclosed) -> bool:
        return near(self) <= near(other)

    def __gt__(self, other: Fraction | int | Enclosed) -> bool:
        return near(self) > near(other)

    def __ge__(self, other: Fraction | int | Enclosed) -> bool:
        return near(self) >= near(other)

    def __str__(self) -> str:
        middle = near(self)
        size = abs(middle)
        if not size:
            return "0…"
        exponent = len(str(size.numerator)) - len(str(size.denominator))
        scaled = int(size * Fraction(10) ** (29 - exponent))
        digits = str(scaled)
        exponent += len(digits) - 30
        text = f"{digits[0]}.{digits[1:30]}…" + (f"e{exponent:+d}" if exponent else "")
        return f"-{text}" if middle < 0 else text


Side: TypeAlias = Fraction | Enclosed


@dataclass(frozen=True)
class Decision:
    """`outcome` of left <= right, with both sides; `digits`: to how many they are equal, `reason`: why undefined."""

    outcome: Sides
    lhs: Side | None
    rhs: Side | None
    digits: int | None = None
    reason: str = ""

    def __str__(self) -> str:
        if self.outcome is Sides.EQUAL_TO_DIGITS:
            return f"equal to {self.digits:,} digits: left side {self.lhs}, right side {self.rhs}"
        if self.outcome is Sides.UNDEFINED:
            return f"undefined: {self.reason}"
        return f"{self.outcome}: left side {self.lhs}, right side {self.rhs}"


def as_side(value: Exact, precision: int = 128) -> Side:
    """A Fraction where the number is held as one, else its enclosure; `NoValueError` without a finite value."""
    return value.fraction() if value.is_rational else Enclosed(*value.enclosure(precision))


def near(side: Side | int) -> Fraction:
    """The side itself, or the middle of its enclosure."""
    return (side.low + side.high) / 2 if isinstance(side, Enclosed) else Fraction(side)


def decide(left: Any, right: Any) -> Decision:
    """How `left` stands to `right`, for ints, Fractions and `Exact` numbers.

    Rationals, and sides with roots, are decided; sides with exp, log or π that 4,096 bits do not tell apart are equal
    to about 1,200 digits, which is neither a violation nor a proof. Raises `UndecidedError` where fewer than 50 digits
    could be compared, as for numbers too large for any ball. Equal sides are shown as one.
    """
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        outcome = Sides.VIOLATED if left > right else Sides.NOT_VIOLATED if left < right else Sides.EQUAL
        return Decision(outcome, left, right)
    lhs, rhs = exact(left), exact(right)
    for name, side in (("left", lhs), ("right", rhs)):
        if not side.is_finite:
            return Decision(Sides.UNDEFINED, None, None, reason=f"the {name} side is {side!r}")
    try:
        order = compared(lhs, rhs)
    except NoValueError as error:
        return Decision(Sides.UNDEFINED, None, None, reason=str(error))
    except UndecidedError as error:
        if error.digits < _TOLD_APART:
            raise
        digits = error.digits // 100 * 100 or error.digits
        shown = Enclosed(*(rhs if lhs.is_rational else lhs).enclosure(), digits)
        return Decision(Sides.EQUAL_TO_DIGITS, shown, shown, digits)
    if order == 0:
        both = as_side(lhs if lhs.is_rational else rhs)
        return Decision(Sides.EQUAL, both, both)
    precision = 128
    while True:
        left_side, right_side = as_side(lhs, precision), as_side(rhs, precision)
        if (left_side > right_side) == (order > 0) and left_side != right_side:
            break
        precision *= 2
    return Decision(Sides.VIOLATED if order > 0 else Sides.NOT_VIOLATED, left_side, right_side)
