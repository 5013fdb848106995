"""Sizes that a search tried, said shorter: «N of 2, 3, 4, 5, 7, 10» is «N of 2 to 10 (6 values)»."""

from __future__ import annotations

import re

__all__ = ["ranges"]

_NUMBER = r"\d{1,3}(?:,\d{3})+|\d+"
_LIST = re.compile(rf"\b(\w+) of ((?:{_NUMBER})(?:, (?:{_NUMBER}))+)(?![\d.])")
_LEAST = 4  # numbers of a list that is said shorter


def ranges(text: str) -> str:
    """The text with its long lists of increasing sizes as ranges.

    >>> ranges("no violation, N of 2, 3, 4, 5, 7, 1,000 and E of 2, 3 («one step»)")
    'no violation, N of 2 to 1,000 (6 values) and E of 2, 3 («one step»)'
    """
    return _LIST.sub(_shorter, text)


def _shorter(found: re.Match[str]) -> str:
    numbers = found[2].split(", ")
    values = [int(number.replace(",", "")) for number in numbers]
    if len(values) < _LEAST or values != sorted(values):
        return found[0]
    if values == list(range(values[0], values[-1] + 1)):
        return f"{found[1]} of {numbers[0]} to {numbers[-1]}"
    return f"{found[1]} of {numbers[0]} to {numbers[-1]} ({len(values)} values)"
