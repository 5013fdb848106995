"""One exact instance that an author names: where a mutant falls, where a bound is attained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

__all__ = ["At", "at"]


@dataclass(frozen=True)
class At:
    """Numbers by the names that a world draws them by, sizes of a family among them; `case`: part of a case's name."""

    case: str
    numbers: Mapping[str, Any]

    def __str__(self) -> str:
        of = f"{self.case}: " if self.case else ""
        return of + ", ".join(f"{name} = {_text(value)}" for name, value in self.numbers.items())


def at(case: str = "", /, **numbers: Any) -> At:
    """One instance, exactly: whole numbers, fractions as `"1/3"` or `Fraction`, lists of them, and choices as they are.

    `case`: a part of the case's name, where the world has several. Raises `TypeError` for a float, which is not exact.

    >>> str(at("two clients", weights=["1/3", "2/3"], E=2))
    'two clients: weights = (1/3, 2/3), E = 2'
    """
    if not numbers:
        raise TypeError("at(): no numbers; expected each number that the world draws, such as at(kappa=1, E=8)")
    return At(case, {name: _exact(name, value) for name, value in numbers.items()})


def _exact(name: str, value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_exact(name, one) for one in value]
    if isinstance(value, bool | float):
        raise TypeError(f"at({name}={value!r}): no exact number; expected a whole number, or a fraction such as '1/3'")
    try:
        return Fraction(value)
    except ValueError as error:
        raise TypeError(f"at({name}={value!r}): expected a whole number, or a fraction such as '1/3'") from error


def _text(value: Any) -> str:
    return f"({', '.join(map(_text, value))})" if isinstance(value, list) else str(value)
