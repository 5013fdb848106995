"""One exact instance that an author names: where a mutant falls, where a bound is attained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

__all__ = ["At", "at", "exactly"]


@dataclass(frozen=True)
class At:
    """Numbers by the names that a world draws them by; `case`: whose, "" where only one draws these."""

    case: str
    numbers: Mapping[str, Any]

    def __str__(self) -> str:
        of = f"{self.case}: " if self.case else ""
        return of + ", ".join(f"{name} = {_text(value)}" for name, value in self.numbers.items())


def at(case: str = "", /, **numbers: Any) -> At:
    """One instance, exactly: whole numbers, `Fraction`, or text such as "1/3", and lists of them for clients or rounds.

    `case`: the name of the case, where several of the world draw these numbers; that of a family with its sizes filled
    in. Raises `ValueError` for no numbers, and for a float, which is not exact.

    >>> str(at("two clients", weights=["1/3", "2/3"], E=2))
    'two clients: weights = (1/3, 2/3), E = 2'
    """
    if not numbers:
        raise ValueError("at(): no numbers; expected each number that the world draws, such as at(kappa=1, E=8)")
    return At(case, {name: exactly(value) for name, value in numbers.items()})


def exactly(value: Any) -> Any:
    """Fractions for whole numbers, fractions and text, in lists as they are given. Raises `ValueError` for a float."""
    if isinstance(value, list | tuple):
        return [exactly(one) for one in value]
    if isinstance(value, float):
        raise ValueError(f"{value!r} is a float; expected a whole number, a Fraction or text such as '1/3'")
    try:
        return Fraction(value)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{value!r} is no number; expected a whole number, a Fraction or text such as '1/3'"
        ) from error


def _text(value: Any) -> str:
    return f"({', '.join(map(_text, value))})" if isinstance(value, list) else str(value)
