"""A named setting of a paper, as code: what it fixes of an instance, with the line of the paper that says so.

A condition that a statement lacks is met by a setting where an instance of the setting is one of the reading's own
world; `validation.papers.met` looks for one, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

__all__ = ["Fix", "Setting", "alike", "each", "equal", "falling", "same_as", "setting"]

__judges__ = "no"

Fix: TypeAlias = Callable[[Any, Mapping[str, Any]], Any]
"""(what was drawn, all numbers of the instance) → what the setting has instead; None where it cannot be seen there."""


@dataclass(frozen=True)
class Setting:
    """A method, partition, step size or participation that a paper names; `name` is how a reader is told of it.

    `quote`: its line in the paper. `fixes`: by the name of a number that worlds draw, what it is in this setting;
    numbers that a world does not draw are left out, others stay free.
    """

    name: str
    quote: str
    fixes: Mapping[str, Fix] = field(default_factory=dict)

    def imposed(self, numbers: Mapping[str, Any]) -> dict[str, Any] | None:
        """An instance as it is in this setting; None where the setting fixes numbers, and the world draws none of them.

        >>> setting("FedAvg", quote="…", fixes={"weights": equal}).imposed({"weights": [Fraction(1), Fraction(0)]})
        {'weights': [Fraction(1, 2), Fraction(1, 2)]}
        """
        named = [name for name in self.fixes if name in numbers]
        if self.fixes and not named:
            return None
        found = dict(numbers)
        for name in named:
            made = self.fixes[name](found[name], found)
            if made is None:
                return None
            found[name] = made
        return found


def setting(name: str, *, quote: str, fixes: Mapping[str, Fix] | None = None) -> Setting:
    """A setting of the paper: its name, the line that says so, and what it fixes.

    Raises `ValueError` without a name or a quotation.
    """
    if not name.strip() or not quote.strip():
        raise ValueError(f"setting({name!r}, quote={quote!r}): expected a name, and the paper's own line")
    return Setting(" ".join(name.split()), " ".join(quote.split()), dict(fixes or {}))


def each(value: int | str | Fraction) -> Fix:
    """Every entry is this number."""
    exact = Fraction(value)

    def fixed(drawn: Any, _: Mapping[str, Any]) -> Any:
        return [fixed(one, _) for one in drawn] if isinstance(drawn, list) else exact

    return fixed


def same_as(other: str, *, needed: bool = False) -> Fix:
    """The same as another number of the instance, in every row; where that is not drawn, all rows alike.

    `needed`: where it is not drawn the setting cannot be seen.
    """

    def fixed(drawn: Any, numbers: Mapping[str, Any]) -> Any:
        if other not in numbers:
            return None if needed else alike(drawn, numbers)
        rows = isinstance(drawn, list) and bool(drawn) and isinstance(drawn[0], list)
        return [fixed(one, numbers) for one in drawn] if rows else numbers[other]

    return fixed


def alike(drawn: Any, _: Mapping[str, Any]) -> Any:
    """All rows, rounds or outcomes as the first; of a single row, all entries as they are."""
    rows = isinstance(drawn, list) and bool(drawn) and isinstance(drawn[0], list)
    return [drawn[0] for _ in drawn] if rows else drawn


def equal(drawn: Any, _: Mapping[str, Any]) -> Any:
    """Equal parts of one, in every row; of a single chance one half."""
    if not isinstance(drawn, list):
        return Fraction(1, 2)
    if drawn and isinstance(drawn[0], list):
        return [equal(one, _) for one in drawn]
    return [Fraction(1, len(drawn)) for _ in drawn]


def falling(drawn: Any, _: Mapping[str, Any]) -> Any:
    """1/2, 1/4, 1/8, …: what halves from entry to entry."""
    return [Fraction(1, 2 ** (k + 1)) for k in range(len(drawn))]
