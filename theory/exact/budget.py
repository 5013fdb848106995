"""What exact arithmetic may cost, alike on every machine: digits of its numbers, and operations weighted by digits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from theory.exact.compiled import compiled
from theory.exact.errors import DigitsError, OperationsError, calling_line

__all__ = ["at_most_digits", "at_most_operations", "charge", "charging", "check_length", "counted"]

_BITS_A_DIGIT = 3.3219280948873626

_SHORT = 255  # bits, up to which an operation counts 1

_BITS: ContextVar[int] = ContextVar("bits of exact numbers", default=1 << 26)


class _Count:
    """How many operations there may be, and how many there were."""

    def __init__(self, most: float) -> None:
        self.most, self.done = most, 0


_COUNT: ContextVar[_Count | None] = ContextVar("operations on exact numbers", default=None)


@contextmanager
def at_most_digits(digits: int) -> Iterator[None]:
    """Within it an exact rational whose numerator or denominator passes about `digits` digits raises `DigitsError`."""
    if digits < 1:
        raise ValueError(f"at_most_digits({digits}): expected at least 1")
    token = _BITS.set(int(digits * _BITS_A_DIGIT) + 1)
    try:
        yield
    finally:
        _BITS.reset(token)


@contextmanager
def at_most_operations(operations: float) -> Iterator[_Count]:
    """Within it more operations on exact numbers raise `OperationsError`; `done` of what it gives says how many were.

    One on short numbers counts 1, one on b bits about 1 + b/256 + b²/1,000,000, as its time grows.
    """
    if not operations > 0:
        raise ValueError(f"at_most_operations({operations}): must be > 0")
    count = _Count(operations) if compiled() is None else compiled().Count(operations)
    token = _COUNT.set(count)
    try:
        yield count
    finally:
        _COUNT.reset(token)


def check_length(bits: int) -> None:
    """Raise `DigitsError` where a number of so many bits is longer than allowed."""
    if bits > _BITS.get():
        raise DigitsError(f"a number of more than {int(_BITS.get() / _BITS_A_DIGIT):,} digits{calling_line()}")


def counted(bits: int, times: int = 1) -> None:
    """Count operations with results of so many bits; raises `OperationsError` beyond the budget."""
    count = _COUNT.get()
    if count is None:
        return
    count.done += times * (1 + (bits >> 8) + bits * bits // 1_000_000)
    if count.done > count.most:
        raise OperationsError(f"more than {count.most:,.0f} operations{calling_line()}")


def charge(bits: int) -> None:
    """`check_length` and `counted` of one operation, written for speed: where exact rechecks spend their time."""
    if bits > _BITS.get():
        check_length(bits)
    count = _COUNT.get()
    if count is not None:
        count.done += 1
        if bits > _SHORT or count.done > count.most:
            count.done -= 1
            counted(bits)


def charging() -> tuple[Any, ...]:
    """What the compiled `charge` takes: both variables, what raises beyond them, the bits up to which it counts 1."""
    return _BITS, _COUNT, check_length, counted, _SHORT
