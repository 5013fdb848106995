"""Properties of drawn federations, in one call: coordinates, what is missed in floats, and the exact second opinion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

from validation import Case, Choice, ExactCheck, Family, Instance, Property, Size, Space
from validation.statement.draw import Coordinate
from validation.statement.symmetry import Symmetry

__all__ = ["CLIENTS", "drawn"]

Exact = Callable[[Mapping[str, Any]], tuple[Mapping[str, bool], Mapping[str, Fraction]]]

CLIENTS = Size("N", 1, 100, 3)


def drawn(
    name: str,
    coordinates: Callable[..., Sequence[Coordinate]],
    measure: Callable[[Instance], Mapping[str, Any]],
    exact: Exact,
    *,
    sizes: tuple[Size, ...] = (CLIENTS,),
    uses: tuple[Callable[..., Any], ...] = (),
    flags: Mapping[str, float] | None = None,
    same: tuple[Symmetry, ...] = (),
    degrees: tuple[int, int] | None = (0, 0),
    per: float = 40.0,
) -> Property:
    """`measure`'s `lhs` <= 0 on every instance of `coordinates(**sizes)`; `flags` are coordinates of one value.

    `per`: the product of the sizes that costs one evaluation; no case costs more than 4.
    """

    def at(**chosen: float) -> Case:
        whole = {k: int(v) for k, v in chosen.items()}
        fixed = tuple(Choice(k, (float(v),)) for k, v in (flags or {}).items())
        space = Space((*coordinates(**whole), *fixed))
        words = ", ".join(f"{k} = {v}" for k, v in whole.items())
        cost = min(4.0, max(1.0, prod(whole.values()) / per))
        return Case(f"{name}, {words}", space, measure, ExactCheck(exact, uses), cost=cost, symmetries=same)

    return Property((Family(name, sizes, at),), degrees=degrees)
