"""From floats to exact numbers, and comparisons decided by enclosures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, ctx, fmpq

__all__ = ["ball", "decide_less", "rational"]


def rational(value: Any) -> Any:
    """The rational a float, int, string "p/q" or Fraction is exactly, as ``fmpq``; lists are converted entrywise.

    Raises `ValueError` for NaN and infinities.
    """
    if isinstance(value, (list, tuple)):
        return [rational(v) for v in value]
    if isinstance(value, fmpq):
        return value
    if isinstance(value, str):
        top, _, bottom = value.partition("/")
        return fmpq(int(top), int(bottom or 1))
    try:
        top, bottom = value.as_integer_ratio()
    except (ValueError, OverflowError):
        raise ValueError(f"rational({value!r}): expected a finite number") from None
    return fmpq(int(top), int(bottom))


def ball(value: Any) -> Any:
    """The ball (``arb``) around an exact number at the current precision; lists are converted entrywise."""
    if isinstance(value, (list, tuple)):
        return [ball(v) for v in value]
    exact = rational(value)
    return arb(exact.p) / arb(exact.q)


def decide_less(left: Callable[[], Any], right: Callable[[], Any], start: int = 128, limit: int = 1 << 16) -> bool:
    """Whether left() < right(), both recomputed in balls of doubled precision until the enclosures separate.

    Raises `ArithmeticError` when they still overlap at `limit` bits (the two may be equal).
    """
    before = ctx.prec
    precision = start
    try:
        while precision <= limit:
            ctx.prec = precision
            a, b = left(), right()
            if a < b:
                return True
            if a >= b:
                return False
            precision *= 2
    finally:
        ctx.prec = before
    raise ArithmeticError(f"decide_less: the enclosures overlap at {limit} bits; the two sides may be equal")
