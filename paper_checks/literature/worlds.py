"""Worlds of values that clients send: families over sizes, and the free numbers of a formula."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from paper_checks.literature.notation import NOTATION
from validation import Case, Family, Notation, Size, Space
from validation.statement.says import Eq, Le
from validation.world import Coordinate, World, case, numbers

__all__ = ["Coordinates", "Plain", "Seen", "free", "of_sizes"]

Coordinates: TypeAlias = tuple[Coordinate, ...]
Seen: TypeAlias = Mapping[str, Any]
Plain: TypeAlias = tuple[Mapping[str, bool], Mapping[str, Any]]
"""What is observed of a batch; the hypotheses met by one instance of exact numbers, and what is observed of it."""


def of_sizes(
    name: str,
    drawn: Callable[..., Coordinates],
    seen: Callable[..., Seen],
    plain: Callable[..., Plain],
    *,
    cost: float = 1.0,
    told: bool = True,
    notation: Notation = NOTATION,
    **sizes: tuple[int, int, int],
) -> World:
    """A world of one family: of each size the least, the largest and the usual one.

    `drawn(**sizes)` are the coordinates; `seen(x, **sizes)` and `plain(x, **sizes)` observe a batch, and one instance.
    `told`: whether these two take the sizes.
    """

    def at(**chosen: float) -> Case:
        whole = {size: int(value) for size, value in chosen.items()}
        words = ", ".join([name, *(f"{size} = {value}" for size, value in whole.items())])
        sizes_told: dict[str, Any] = whole if told else {}
        return case(words, Space(drawn(**whole)), seen, plain, cost=cost, **sizes_told)

    return World(notation, (Family(name, tuple(Size(size, *given) for size, given in sizes.items()), at),))


def free(name: str, *coordinates: Coordinate, where: tuple[Le | Eq, ...] = (), notation: Notation = NOTATION) -> World:
    """The world of a few free numbers, which are letters of the notation, under hypotheses."""
    return numbers(notation, name, *coordinates, where=where)
