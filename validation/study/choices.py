"""Which value of a number is tried next, of those that are left: any in between, or one of a count or of a list."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any

from theory.exact.sturm import Range
from validation.statement.instances.draw import Choice, Integer, LogScale, Signed, Uniform, _as_written

__all__ = ["next_value", "possible", "shortest_between"]

__judges__ = "no"

Intervals = list[tuple[Fraction, Fraction]]


def possible(name: str, drawn_by: Sequence[Any], whole: Range) -> Sequence[Any] | None:
    """The values in an interval that a number may have, growing, where they are a count's or a list's; else None.

    `drawn_by`: its coordinate in every case. Raises `ValueError` where one has several numbers, or none that fills the
    interval, or where they differ in kind.
    """
    found: list[Any] = []
    for c in drawn_by:
        if getattr(c, "shape", ()) or not isinstance(c, Integer | Choice | Uniform | Signed):
            raise ValueError(f"some_choice({name!r}): drawn by {c!r}; expected one number, drawn without a shape")
        if isinstance(c, Integer):
            low, high = max(ceil(whole.low), c.low), min(floor(_high(whole)), c.high)
            low, high = low + (Fraction(low) not in whole), high - (Fraction(high) not in whole)
            found.append(range(low, high + 1))
        elif isinstance(c, Choice):
            found.append(sorted(v for v in map(_as_written, c.values) if v in whole))
        elif isinstance(c, Uniform) and not isinstance(c, LogScale):
            ends = _as_written(c.low), _as_written(c.high)
            if whole.low < ends[0] or _high(whole) > ends[1]:
                what = f"{name} is drawn from [{ends[0]}, {ends[1]}]"
                raise ValueError(f"some_choice(within={whole}): {what}; expected an interval of values it may have")
    if not found:
        return None
    if len(found) < len(drawn_by) or any(list(one[:1000]) != list(found[0][:1000]) for one in found):
        raise ValueError(f"some_choice({name!r}): drawn from other values in other cases; expected the same in all")
    return found[0]  # type: ignore[no-any-return]


def _high(whole: Range) -> Fraction:
    if whole.high is None:
        raise ValueError("expected a bounded interval")
    return whole.high


def next_value(
    left: Intervals, whole: Range, turn: int, listed: Sequence[Any] | None, tried: set[Fraction]
) -> Fraction | None:
    """A short fraction near the middle of the widest interval left, every other turn the shortest inside it; an end of
    an interval where it is nothing else. Of `listed` values the one in the middle of most that are left.
    """
    if listed is not None:
        return _of_list(left, listed, tried)
    points = [a for a, b in left if a == b and a in whole]
    wide = [(b - a, a, b) for a, b in left if a < b]
    if not wide:
        return points[0] if points else None
    width, a, b = max(wide)
    middle = (a + b) / 2
    return shortest_between(a, b) if turn % 2 else shortest_between(middle - width / 4, middle + width / 4)


def _of_list(left: Intervals, listed: Sequence[Any], tried: set[Fraction]) -> Fraction | None:
    runs = [(bisect_left(listed, a), bisect_right(listed, b)) for a, b in left]
    for first, last in sorted(runs, key=lambda run: run[0] - run[1]):
        middle = (first + last) // 2
        for away in range(len(tried) + 1):
            for place in (middle + away, middle - away - 1):
                if first <= place < last and Fraction(listed[place]) not in tried:
                    return Fraction(listed[place])
    return None


def shortest_between(a: Fraction, b: Fraction) -> Fraction:
    """The fraction with the least denominator strictly between a < b, of these the one with the least numerator.

    >>> shortest_between(Fraction(17, 10), Fraction(7, 4)), shortest_between(Fraction(-1, 3), Fraction(1, 2))
    (Fraction(12, 7), Fraction(0, 1))
    """
    if b <= 0:
        return -shortest_between(-b, -a)
    if a < 0:
        return Fraction(0)
    below = a.numerator // a.denominator
    if below + 1 < b:
        return Fraction(below + 1)
    rest, most = a - below, b - below  # 0 <= rest < most <= 1
    if rest == 0:
        return below + 1 / Fraction((1 / most).__floor__() + 1)
    return below + 1 / shortest_between(1 / most, 1 / rest)
