"""Statements in expectation that have no closed-form moments: what they are, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from validation.statement.bound import Bound
from validation.statement.forms.kinds import ExactCheck
from validation.statement.instances.draw import Instance, Space

__all__ = ["Expectation", "RandomRhs", "SampledCase"]

__judges__ = "expectations"


Float = NDArray[np.float64]


RandomRhs: TypeAlias = Literal["none", "expectation", "essential supremum", "pathwise"]


_READINGS = ("none", "expectation", "essential supremum", "pathwise")


@dataclass(frozen=True)
class SampledCase:
    """One family of instances whose left side is the mean of a bounded random quantity.

    `sample(instance, generator, n)` draws n independent replicas of one instance: arrays (n,) named `lhs` and, where
    the right side is random, those of the bound's constants that are, drawn together with it. All else the bound names
    comes from `constants(instance)`, which may also say `admissible`: False where a hypothesis is missed.
    `support(instance)` is (low, high) of `lhs` and `rhs_support(instance)` that of a random right side, both by
    construction: a replica outside raises `ValueError`, because no interval would mean anything.
    `exact`: both sides once more over Fractions, by full enumeration or exact moments, under the test's own reading (at
    its worst path where that is pathwise); it alone can refute. Under "expectation" its constants are their means, so
    the bound has to be affine in the random ones. Replicas do not see what happens more rarely than they are many, so
    instances are decided by it wherever a case has one. `mean(instances)`: the same in floats for many instances at
    once, as the `measure` of a `Case`; a quarter of the budget then searches it like any inequality. It needs `exact`.
    `cost`: how many replicas of the budget one counts for.
    Raises `ValueError` for a `mean` without `exact`.
    """

    name: str
    space: Space
    sample: Callable[[Instance, np.random.Generator, int], Mapping[str, Float]]
    support: Callable[[Instance], tuple[float, float]]
    constants: Callable[[Instance], Mapping[str, Any]]
    exact: ExactCheck | None = None
    rhs_support: Callable[[Instance], tuple[float, float]] | None = None
    cost: float = 1.0
    mean: Callable[[Instance], Mapping[str, Float]] | None = None

    def __post_init__(self) -> None:
        if self.mean is not None and self.exact is None:
            raise ValueError(f"SampledCase({self.name!r}): a mean in floats refutes nothing; give exact, too")


@dataclass(frozen=True)
class Expectation:
    """E[lhs] <= bound on every instance of every case.

    `random_rhs` names the reading of a right side that is random itself: "none", it is not; "expectation", E[lhs] <=
    E[bound], judged on the differences of pairs; "essential supremum", E[lhs] <= ess sup bound, which lies between the
    largest value seen and the top of its support; "pathwise", lhs <= bound on every path. A conditional expectation
    given the past is the reading "none" with the past among the instance's coordinates.
    `miscoverage` δ: all intervals of one test hold together with probability >= 1 − δ. `margin`: relative to Σ|terms|
    of the right side, how much a `holds` leaves open, and says so; with 0 a statement that is attained stays
    `inconclusive` unless its case has an exact check.
    Raises `ValueError` for values outside these, no case, or a case without the `rhs_support` that the reading needs.
    """

    bound: Bound
    cases: tuple[SampledCase, ...]
    random_rhs: RandomRhs = "none"
    miscoverage: float = 0.01
    margin: float = 0.0

    def __post_init__(self) -> None:
        if self.random_rhs not in _READINGS:
            raise ValueError(f"Expectation(random_rhs={self.random_rhs!r}): expected one of {', '.join(_READINGS)}")
        if not 0 < self.miscoverage < 1:
            raise ValueError(f"Expectation(miscoverage={self.miscoverage}): must be in (0, 1), for instance 0.01")
        if not 0 <= self.margin < 1:
            raise ValueError(f"Expectation(margin={self.margin}): must be in [0, 1), relative to the right side")
        names = [case.name for case in self.cases]
        if not names or len(set(names)) != len(names):
            raise ValueError(f"Expectation(cases=…): expected one or more cases of different names, got {names}")
        bare = [case.name for case in self.cases if case.rhs_support is None]
        if self.random_rhs in ("expectation", "essential supremum") and bare:
            raise ValueError(f"Expectation(random_rhs={self.random_rhs!r}): case {bare[0]!r} has no rhs_support")
