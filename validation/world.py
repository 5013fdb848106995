"""Worlds: how instances look, and what is observed on them; a statement over one is tested by today's kinds.

A world of *numbers* draws a few free numbers, which are its quantities. Any other world brings its own cases, written
once fast and once plainly in exact arithmetic: each observes quantities by name, and no case knows a statement's sides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validation.bound import Bound
from validation.claim import Case, ExactCheck, Family, Identity, Inequality
from validation.draw import Coordinate, Instance, Space
from validation.formula_check import FormulaCheck
from validation.notation import Notation
from validation.says import Eq, Le, Says

__all__ = ["World", "numbers"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """Cases that observe quantities, and hypotheses over these; `free`: every quantity is a drawn number.

    Raises `ValueError` for a world without cases.
    """

    notation: Notation
    cases: tuple[Case | Family, ...]
    hypotheses: tuple[Le, ...] = ()
    free: bool = False

    def __post_init__(self) -> None:
        if not self.cases:
            raise ValueError("World(cases=()): expected at least one case")

    def where(self, *conditions: Le) -> World:
        """The same world under further hypotheses."""
        return replace(self, hypotheses=(*self.hypotheses, *conditions))

    def test(self, says: Says) -> Inequality | Identity:
        """The statement as today's search and judge take it: an identity for all letters, or an inequality over cases.

        The left side is a formula like the right one; dimensions are checked where all letters have units.
        """
        if isinstance(says, Eq):
            return Identity(says.left, says.right)
        units = self.notation.units(says.left + says.right)
        left, right = Bound(says.left, degrees=units), Bound(says.right, degrees=units)
        degrees = left.scaling() if units else set()
        cases = tuple(self._sided(item, left) for item in self.cases)
        return Inequality(right, cases, degrees=next(iter(degrees)) if len(degrees) == 1 else None)

    def _sided(self, item: Case | Family, left: Bound) -> Case | Family:
        if isinstance(item, Family):
            return replace(item, at=_At(item.at, self, left))
        return self._case(item, left)

    def _case(self, case: Case, left: Bound) -> Case:
        if case.exact is None:
            raise ValueError(f"World: case {case.name!r} has no exact side; a statement over it could refute nothing")
        exact = FormulaCheck.of(None if self.free else case.exact, self.hypotheses, left)
        return replace(case, measure=_Measure(case.measure, self.hypotheses, left), exact=exact)


@dataclass(frozen=True, eq=False)
class _At:
    """A family's case at chosen sizes, with a left side."""

    at: Callable[..., Case]
    world: World
    left: Bound

    def __call__(self, **sizes: float) -> Case:
        return self.world._case(self.at(**sizes), self.left)


@dataclass(frozen=True, eq=False)
class _Measure:
    """What a case observes, with the left side, and admitted where the hypotheses hold."""

    observe: Callable[[Instance], Mapping[str, Float]]
    hypotheses: tuple[Le, ...]
    left: Bound

    def __call__(self, instances: Instance) -> Mapping[str, Float]:
        seen = self.observe(instances)
        value, size = self.left(seen)
        magnitude = np.maximum(np.asarray(seen.get("magnitude", 0.0)), size)
        out = {**seen, "lhs": np.broadcast_to(value, magnitude.shape), "magnitude": magnitude}
        if self.hypotheses:
            met = np.asarray(seen.get("admissible", True))
            for hypothesis in self.hypotheses:
                met = met & hypothesis.met(seen)
            out["admissible"] = np.broadcast_to(met, magnitude.shape)
        return out


def _as_drawn(instances: Instance) -> Mapping[str, Float]:
    return dict(instances)


def _as_it_is(instance: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    return {}, dict(instance)


def numbers(notation: Notation, name: str, *coordinates: Coordinate, where: tuple[Le, ...] = ()) -> World:
    """The world of a few free numbers: every coordinate is a quantity of the notation, `where` are the hypotheses.

    Raises `ValueError` for a coordinate that is no quantity, or is no single number.
    """
    for c in coordinates:
        if c.name not in notation.by_name:
            raise ValueError(f"numbers({name!r}): coordinate {c.name!r} is no quantity of the notation")
        if c.n_cube != 1:
            raise ValueError(f"numbers({name!r}): coordinate {c.name!r} is no single number")
    case = Case(name, Space(coordinates), _as_drawn, ExactCheck(_as_it_is))
    return World(notation, (case,), where, free=True)
