"""What can be tested: an inequality over drawn instances, an identity, a relation between printed cells, a number.

Also what an inequality is made of: exact checks, cases, families of cases over their sizes, switches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.exact.number import Exact
from validation.statement.bound import Bound
from validation.statement.instances.draw import Instance, Space
from validation.statement.instances.symmetry import Symmetry

__all__ = [
    "Case",
    "Cell",
    "Comparison",
    "ExactCheck",
    "Family",
    "Identity",
    "Inequality",
    "Mechanism",
    "Number",
    "Property",
    "Relation",
    "Size",
    "Switch",
]

Float = NDArray[np.float64]
Hypotheses = Mapping[str, bool]


@dataclass(frozen=True)
class ExactCheck:
    """The exact second opinion on one instance: a plain function over Fractions and the functions it calls.

    `function(instance) -> (hypotheses, constants)`: each hypothesis a bool, the constants all those of the bound and
    `lhs`, as Fractions (`Exact` where irrational). Its source, with that of `uses`, becomes the counterexample's
    script, so it may use nothing but builtins, `Fraction` and `uses`. `standalone`: whether one can be written at all.
    `measured`: it is the measure itself on exact numbers, so that the two cannot differ by a slip in one of them.
    """

    function: Callable[[Mapping[str, Any]], tuple[Hypotheses, Mapping[str, Fraction | Exact]]]
    uses: tuple[Callable[..., Any], ...] = ()
    standalone: bool = True
    measured: bool = False


@dataclass(frozen=True)
class Mechanism:
    """Something of a setting that may be on or off: noise, absent clients, several local steps, learned weights.

    `on(instances)`: for each of n instances whether it is on, (n,) bool. It is asked of cases that draw every
    coordinate of `needs`; of mechanisms with the same name the first that a case can answer counts.
    """

    name: str
    needs: tuple[str, ...]
    on: Callable[[Instance], NDArray[np.bool_]]


@dataclass(frozen=True)
class Case:
    """One family of instances of exactly the stated hypotheses.

    `measure(instances)` returns arrays of one value an instance: `lhs`, every constant the bound names, and
    optionally
    - `admissible`: False where the draw misses a hypothesis and does not count;
    - `resolved`: False where floating point does not resolve a side, though the hypotheses are met: a denominator below
      1e-9 of its terms, say. Such draws, like those with a side that overflows or is NaN, are decided exactly on a
      sample; a numerical guard in `admissible` would hide them;
    - `magnitude`: the size of the quantities both sides were computed from; differences far below it are rounding;
    - `common`: for one-step recursions the part both sides share, such as the squared distance before the step;
    - `trivial`: what bounds the left side without the statement; where the right side is never below it, nothing was
      tested;
    - `member`: of an identity the value of either member; where it is one and the same throughout, nothing was tested.

    Without `exact` a violation seen here stays `inconclusive`: floats alone refute nothing.
    `cost`: how many evaluations of the budget one instance counts for (long runs, many clients).
    `differentiable`: `measure` uses only operations that torch tensors share, so gradients may climb it.
    `symmetries`: changes that must leave both sides as they are, up to units; checked on drawn instances.
    `mechanisms`: those that its coordinates can switch on; the engine fills them in from the claim.
    `place`: where it stands in the statement that is searched, such as «#2» or «#2 N=7, T=40»; the search fills it in.
    """

    name: str
    space: Space
    measure: Callable[[Instance], Mapping[str, Float]]
    exact: ExactCheck | None = None
    cost: float = 1.0
    differentiable: bool = False
    symmetries: tuple[Symmetry, ...] = ()
    mechanisms: tuple[Mechanism, ...] = ()
    place: str = ""

    @property
    def key(self) -> str:
        """What random numbers of this case hang on: its place, of a case outside a statement its name."""
        return self.place or self.name


@dataclass(frozen=True)
class Size:
    """A count that shapes an instance: clients, dimensions, local steps, rounds.

    `usual` is the value it keeps while another size is large. `ladder`: the size leaves the coordinates as they are (a
    horizon), so the best instances of short runs are tried on ever longer ones. `limit`: also tried at infinity, which
    the family must then accept as `math.inf`.
    """

    name: str
    low: int
    high: int
    usual: int
    ladder: bool = False
    limit: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.usual <= self.high:
            raise ValueError(
                f"Size({self.name!r}): expected 0 <= low <= usual <= high, got {self.low}, {self.usual}, {self.high}"
            )

    def values(self) -> tuple[float, ...]:
        """The values a search visits: low, the one after it, usual, high, and about three a decade between.

        The first two are even and odd.
        """
        steps = {round(m * 10**e) for e in range(10) for m in (1, 2, 5)} | {self.low + 1}
        inside = {s for s in steps if self.low < s < self.high}
        return (*sorted({self.low, self.usual, self.high} | inside), *((math.inf,) if self.limit else ()))


@dataclass(frozen=True)
class Family:
    """One case for every choice of sizes: `at(**sizes)` builds it. Searches make mostly one size large at a time."""

    name: str
    sizes: tuple[Size, ...]
    at: Callable[..., Case]

    def __post_init__(self) -> None:
        names = [s.name for s in self.sizes]
        if not names or len(set(names)) != len(names):
            raise ValueError(f"Family({self.name!r}): expected one or more sizes of different names, got {names}")

    def usual(self) -> dict[str, float]:
        """Every size at its usual value."""
        return {s.name: s.usual for s in self.sizes}

    def choices(self) -> tuple[dict[str, float], ...]:
        """Every size at each of its values, the others usual; then all large or all small together."""
        out = [self.usual()]
        for size in self.sizes:
            out += [{**self.usual(), size.name: v} for v in size.values()]
        out += [{s.name: s.low for s in self.sizes}]
        return tuple({tuple(c.items()): c for c in out}.values())


@dataclass(frozen=True)
class Switch:
    """A customary extra that the print does not ask for: `project(instance)` gives the nearest instance that has it.

    After a refutation the engine looks for the smallest sets of switches that restore the statement. `project` takes
    and returns instances of many, as drawn, and leaves those that meet the extra as they are.
    """

    name: str
    says: str
    project: Callable[[Instance], Instance]


@dataclass(frozen=True)
class Inequality:
    """lhs <= bound on every instance of every case or family; `switches` name the extras the print does not ask for.

    `degrees`: the (loss, length) scaling degrees of the left side under F → aF and x → bx.
    `trivial`: what bounds the left side without the statement, a formula in constants that the cases measure, or the
    reason why there is none. Draws on which the right side is no better exercise nothing; where all are such, `grid`
    decides: the constants of both formulas, the horizon first, drawn without any run. Nowhere better there: `vacuous`.
    `choice`: what was chosen where the statement is that some choice serves; that it fails does not refute it.
    `signs`: the exact side gives the sign of the left side alone.
    Raises `ValueError` for a grid without a trivial bound, or one that lacks a constant.
    """

    bound: Bound
    cases: tuple[Case | Family, ...]
    switches: tuple[Switch, ...] = ()
    degrees: tuple[int, int] | None = None
    trivial: Bound | str | None = None
    grid: Space | None = None
    choice: str = ""
    signs: bool = False

    def __post_init__(self) -> None:
        if self.grid is None:
            return
        if not isinstance(self.trivial, Bound):
            raise ValueError("Inequality(grid=…): expected trivial=Bound(…), which the right side is held against")
        missing = {*self.bound.names, *self.trivial.names} - {c.name for c in self.grid.coordinates}
        if missing:
            raise ValueError(f"Inequality(grid=…): no coordinate for {', '.join(sorted(missing))}")

    @property
    def known(self) -> Bound | None:
        """The trivial bound, where there is one."""
        return self.trivial if isinstance(self.trivial, Bound) else None


@dataclass(frozen=True)
class Identity:
    """left == right for all values of the symbols in `positive`, all real and > 0; `sample` gives the rational grid."""

    left: Any
    right: Any
    sample: tuple[Fraction, ...] = (Fraction(1), Fraction(2), Fraction(1, 3), Fraction(5))


@dataclass(frozen=True)
class Cell:
    """One printed number: the exact decimal text and where it stands."""

    value: str
    where: str


@dataclass(frozen=True)
class Ranked:
    """One of several expressions over printed cells that are put in order; names in it are keys of `cells`."""

    label: str
    source: str
    cells: Mapping[str, Cell]


@dataclass(frozen=True)
class Ranking:
    """Which of several expressions a comparison is about: `rows[chosen]`, at `place` from below, 1 the smallest."""

    place: int
    chosen: int
    rows: tuple[Ranked, ...]


@dataclass(frozen=True)
class Comparison:
    """left (<, <=, ==) right over printed cells, exactly; names in the expressions are keys of `cells`.

    `rankings`: why it is about these cells, where their order singles them out; inner ones stand before outer ones.
    """

    says: str
    left: Any
    relation: Literal["<", "<=", "=="]
    right: Any
    cells: Mapping[str, Cell]
    rankings: tuple[Ranking, ...] = ()


@dataclass(frozen=True)
class Relation:
    """A relation on published tables: true when every comparison is; `needs_run` when the paper prints no number."""

    comparisons: Callable[[], tuple[Comparison, ...]]
    needs_run: str | None = None


@dataclass(frozen=True)
class Property:
    """Something every instance has: each case measures as `lhs` by how much it is missed, 0 or less where it is had.

    How much guides the search; the exact check decides by the same sign. `degrees` as in `Inequality`.
    """

    cases: tuple[Case | Family, ...]
    switches: tuple[Switch, ...] = ()
    degrees: tuple[int, int] | None = None

    @property
    def inequality(self) -> Inequality:
        """The same as an inequality: what is missed is at most 0."""
        return Inequality(Bound(sp.Integer(0), degrees={}), self.cases, self.switches, self.degrees, signs=True)


@dataclass(frozen=True)
class Number:
    """A printed number against one that can be computed: |computed − printed| <= tolerance.

    `computed()` is a plain function over Fractions, with the functions it calls in `uses`; its source becomes the
    script.
    `tolerance` is what the print leaves open, with the reason in `because` (half a unit of the last digit, say).
    """

    printed: Cell
    computed: Callable[[], Fraction]
    tolerance: Fraction
    because: str
    uses: tuple[Callable[..., Any], ...] = ()

    def __post_init__(self) -> None:
        if self.tolerance < 0:
            raise ValueError(f"Number(tolerance={self.tolerance}): must be >= 0")
