"""What a claim is studied for beside its verdict: where its proof loses, its assumptions, constants and phases."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from validation.statement.bound import Bound, symbols
from validation.statement.forms.kinds import Case, ExactCheck, Family, Inequality, Switch
from validation.statement.instances.draw import Instance, Space, stack

__all__ = [
    "AblationStudy",
    "Axis",
    "Chain",
    "ConstantStudy",
    "Hypothesis",
    "PhaseMap",
    "PhaseStudy",
    "Step",
    "Study",
    "WaterfallStudy",
]

Float = NDArray[np.float64]


_NEXT = symbols("next_value")


@dataclass(frozen=True)
class Step:
    """One quantity of the chain: `value` on many instances, `exact` on one in Fractions; `because`: how it came."""

    name: str
    value: Callable[[Instance], Float]
    exact: Callable[[Mapping[str, Any]], Fraction] | None = None
    because: str = ""


@dataclass(frozen=True)
class Chain:
    """s₀ <= s₁ <= … <= sₖ on the instances of a space; `admissible(instances)` says which of them count."""

    name: str
    space: Space
    steps: tuple[Step, ...]
    admissible: Callable[[Instance], NDArray[np.bool_]] | None = None

    def __post_init__(self) -> None:
        names = [s.name for s in self.steps]
        if len(names) < 2 or len(set(names)) != len(names):
            raise ValueError(f"Chain({self.name!r}): expected two or more steps of different names, got {names}")

    def between(self, first: int, last: int) -> Inequality:
        """The statement sᵢ <= sⱼ, with its exact check where both steps have one."""
        left, right = self.steps[first], self.steps[last]

        def measure(x: Instance) -> Mapping[str, Any]:
            sides = {"lhs": left.value(x), "next_value": right.value(x)}
            return sides if self.admissible is None else {**sides, "admissible": self.admissible(x)}

        def exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
            assert left.exact is not None  # the check exists only then
            assert right.exact is not None
            met = self.admissible is None or bool(self.admissible(stack([x]))[0])
            return {"admissible": met}, {"lhs": Fraction(left.exact(x)), "next_value": Fraction(right.exact(x))}

        known = left.exact is not None and right.exact is not None
        check = ExactCheck(exact, standalone=False) if known else None
        return Inequality(Bound(1 * _NEXT), (Case(self.name, self.space, measure, check),))


@dataclass(frozen=True)
class Hypothesis:
    """One assumption and how to drop it: by drawing without its `switch`, or from wider `cases`.

    `switch.project` gives an instance the assumption, so that all switches together are the statement as printed and
    leaving one out drops it. `forgets`: names of hypotheses of the exact check that then no longer have to be met.
    """

    name: str
    says: str
    switch: Switch | None = None
    cases: tuple[Case | Family, ...] | None = None
    forgets: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.switch is None) == (self.cases is None):
            raise ValueError(f"Hypothesis({self.name!r}): give a switch or wider cases, one of the two")


@dataclass(frozen=True)
class Axis:
    """One size of the grid and the values it takes, growing; `log_grid` gives about `per_decade` whole numbers each."""

    name: str
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.values or list(self.values) != sorted(set(self.values)):
            raise ValueError(f"Axis({self.name!r}): expected growing values, got {self.values}")

    @staticmethod
    def log_grid(name: str, low: int, high: int, per_decade: int = 1) -> Axis:
        """Whole numbers from `low` to `high`, evenly in logarithms, both ends included."""
        if not 0 < low < high:
            raise ValueError(f"Axis.log_grid({name!r}): expected 0 < low < high, got {low}, {high}")
        count = max(2, round(per_decade * math.log10(high / low)) + 1)
        return Axis(name, tuple(sorted({float(round(v)) for v in np.geomspace(low, high, count)})))


@dataclass(frozen=True)
class PhaseMap:
    """A bound over a grid: `at(**sizes)` builds the case of one cell, its instances drawn with those sizes fixed.

    `trivial`: what one knows without the statement, over the same measured constants (G²/(2μ), say); None if nothing.
    `rounds` names the axis along which «the first that says something» is asked.
    """

    bound: Bound
    at: Callable[..., Case]
    axes: tuple[Axis, ...]
    trivial: Bound | None = None
    rounds: str = "T"

    def __post_init__(self) -> None:
        names = [a.name for a in self.axes]
        if len(set(names)) != len(names) or self.rounds not in names:
            raise ValueError(f"PhaseMap(rounds={self.rounds!r}): expected one of the axes, all different: {names}")


@dataclass(frozen=True)
class WaterfallStudy:
    """The factor lost at each step of a proof, on the worst instance of its final bound."""

    title: str
    chain: Chain


@dataclass(frozen=True)
class AblationStudy:
    """Which assumptions a statement that holds uses; `test` is the statement before any switch of `hypotheses`."""

    title: str
    test: Inequality
    hypotheses: Sequence[Hypothesis]


@dataclass(frozen=True)
class ConstantStudy:
    """How far the constants of a bound that holds can be lowered; `terms` name its summands."""

    title: str
    test: Inequality
    terms: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class PhaseStudy:
    """Where a bound is violated, says nothing, or is useful; pictures of `down` against `across`."""

    title: str
    phases: PhaseMap
    across: str
    down: str


Study: TypeAlias = WaterfallStudy | AblationStudy | ConstantStudy | PhaseStudy
