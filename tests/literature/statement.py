"""A statement of the literature, whether it is true, and the word that fedverdict finds for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

import fedverdict as fv

ZERO = sp.Integer(0)
Sides = Callable[[Any], Mapping[str, Any]]


@dataclass(frozen=True)
class Statement:
    """What is said (a bound, or a function that decides it without a search), and whether it is true.

    `source`: where it is from or why it is true or false, in one line. `slow`: left to the nightly tests.
    `fault`: why fedverdict does not yet find the right word, in plain words; such a statement is an expected failure.
    """

    name: str
    source: str
    true: bool
    says: Any
    slow: bool = False
    fault: str = ""

    @property
    def expected(self) -> str:
        """The word that a statement of this kind must get."""
        return "holds" if self.true else "refuted"


def holds(name: str, source: str, says: Any, **more: Any) -> Statement:
    """A true statement."""
    return Statement(name, source, True, says, **more)


def fails(name: str, source: str, says: Any, **more: Any) -> Statement:
    """A false statement."""
    return Statement(name, source, False, says, **more)


def bound(right: Any, drawn: tuple[Any, ...], sides: Sides) -> Any:
    """left <= right on instances of one shape; `sides` gives the left side as `lhs` and the letters of the right."""
    return fv.Inequality(fv.Bound(right), (fv.Case("drawn instances", fv.Space(drawn), sides, fv.recomputed(sides)),))


def sized(right: Any, sizes: tuple[Any, ...], at: Callable[..., tuple[tuple[Any, ...], Sides]]) -> Any:
    """left <= right for every choice of sizes: `at(**sizes)` gives what is drawn, and the sides."""

    def case(**chosen: int) -> Any:
        drawn, sides = at(**chosen)
        name = ", ".join(f"{size} = {n}" for size, n in chosen.items())
        return fv.Case(name, fv.Space(drawn), sides, fv.recomputed(sides))

    return fv.Inequality(fv.Bound(right), (fv.Family("sizes", sizes, case),))


def equal(left: Any, right: Any) -> dict[str, Any]:
    """The sides of left == right: the size of their difference is at most `ZERO`."""
    return {"lhs": abs(left - right)}


def word(statement: Statement, *, budget: int, seed: int) -> str:
    """The verdict that fedverdict finds: `proved` counts as `holds`."""
    if callable(statement.says):
        found = str(statement.says())
    else:
        try:
            found = str(fv.assert_holds(statement.says, budget=budget, seed=seed).verdict)
        except AssertionError as failed:
            found = re.findall(r" is ([a-z-]+)", str(failed))[0]
    return "holds" if found == "proved" else found
