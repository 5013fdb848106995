"""After a refutation: which customary extras restore the statement, and which mechanisms break it without them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validation.statement.claim import Case, Family, Inequality, Switch
from validation.statement.instances.draw import Block, Coordinate, Space, stack

__all__ = ["Restoration", "restorations", "switched"]

Float = NDArray[np.float64]

_LARGEST = 3  # sets of more extras than this explain nothing


@dataclass(frozen=True)
class _Projected:
    """A space whose every instance has been given some extras."""

    space: Space
    on: tuple[Switch, ...]

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return self.space.coordinates

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self.space.blocks

    @property
    def n_cube(self) -> int:
        return self.space.n_cube

    def decode(self, cube: Float) -> dict[str, Float]:
        found: Mapping[str, Float] = self.space.decode(cube)
        for switch in self.on:
            found = switch.project(found)
        return dict(found)

    def random(self, rng: np.random.Generator, n: int) -> Float:
        return self.space.random(rng, n)

    def corners(self, rng: np.random.Generator, n: int) -> Float:
        return self.space.corners(rng, n)

    def rationalise(self, instance: Mapping[str, Float], limit: int) -> dict[str, Any]:
        return self.space.rationalise(instance, limit)

    def keeps(self, instance: Mapping[str, Any]) -> bool:
        """Whether an instance in exact numbers has the extras still: giving them to it changes nothing."""
        one = stack([instance])
        found: Mapping[str, Float] = one
        for switch in self.on:
            found = switch.project(found)
        return self.space.keeps(instance) and all(np.array_equal(found[name], one[name]) for name in one)


def switched(test: Inequality, on: Sequence[Switch]) -> Inequality:
    """The statement on instances that have the given extras; the others stay as drawn."""

    def given(case: Case) -> Case:
        space = _Projected(case.space, tuple(on))
        return replace(case, space=space)  # type: ignore[arg-type]

    def family(item: Family) -> Family:
        return replace(item, at=lambda **sizes: given(item.at(**sizes)))

    cases = tuple(family(c) if isinstance(c, Family) else given(c) for c in test.cases)
    kept = tuple(s for s in test.switches if s not in on)
    return replace(test, cases=cases, switches=kept)


@dataclass(frozen=True)
class Restoration:
    """A smallest set of extras under which no violation was found, and what breaks the statement without each.

    `mechanisms`: for every extra of the set, the outcome with all the others on: a witness of its own.
    """

    switches: tuple[Switch, ...]
    outcome: Any
    mechanisms: tuple[tuple[Switch, Any], ...]


def restorations(test: Inequality, tested: Callable[[Inequality, str, str], Any]) -> tuple[Restoration, ...]:
    """Every smallest set of switches that restores the statement, up to three at once; empty when none does.

    `tested(test, name, key)` tests one statement and returns an outcome with `.verdict.true`; `key` has the places of
    the switches instead of their names.
    """
    known: dict[frozenset[str], Any] = {}
    for size in range(1, min(_LARGEST, len(test.switches)) + 1):
        found = []
        for places in combinations(range(len(test.switches)), size):
            on = tuple(test.switches[i] for i in places)
            key = "+".join(str(i + 1) for i in places)
            outcome = tested(switched(test, on), " + ".join(s.name for s in on), key)
            known[frozenset(s.name for s in on)] = outcome
            if outcome.verdict.true:
                others = [(s, known.get(frozenset(o.name for o in on if o is not s))) for s in on]
                found.append(Restoration(on, outcome, tuple((s, o) for s, o in others if o is not None)))
        if found:
            return tuple(found)
    return ()
