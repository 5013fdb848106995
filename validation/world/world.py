"""Worlds: how instances look, and what is observed on them; a statement over one is tested by today's kinds.

A world of *numbers* draws a few free numbers, which are its quantities. Any other world brings its own cases, written
once fast and once plainly in exact arithmetic: each observes quantities by name, and no case knows a statement's sides.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from types import CodeType, FunctionType
from typing import Any, cast

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from validation.statement.bound import Bound
from validation.statement.claim import Case, ExactCheck, Family, Identity, Inequality, Mechanism, Switch
from validation.statement.forms.formula_check import FormulaCheck
from validation.statement.instances.draw import Coordinate, Instance, Space
from validation.statement.instances.symmetry import Symmetry, units
from validation.statement.letters import Letter, letters_of
from validation.statement.notation import Notation
from validation.statement.says import Eq, Le
from validation.world.solved import Solved, solved

__all__ = ["World", "case", "check_statement", "numbers"]

_COUNTED = "client|round|step|model|sample|vector|gradient|parameter|activation|outcome"
_ONE_OF_SEVERAL = re.compile(rf"(?:^|(?<=, )|(?<=\())1 ([a-z]+ )?({_COUNTED})s\b")

Float = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """Cases that observe quantities, and hypotheses over these; `free`: every quantity is a drawn number.

    `switches`: extra hypotheses that the search tries by itself where a statement falls. `defined`: letters that are
    formulas of what is observed, and of those before them. `grid`: where the right side is compared with what is known
    anyway, if not at the instances themselves.
    Raises `ValueError` for a world without cases.
    """

    notation: Notation
    cases: tuple[Case | Family, ...]
    hypotheses: tuple[Le, ...] = ()
    free: bool = False
    switches: tuple[Switch, ...] = ()
    defined: tuple[tuple[str, Bound], ...] = ()
    grid: Space | None = None

    def __post_init__(self) -> None:
        if not self.cases:
            raise ValueError("World(cases=()): expected at least one case")

    def where(self, *conditions: Le | Eq) -> World:
        """The same world under further hypotheses. Raises `TypeError` for what is none, such as a tuple of them.

        Of a world of numbers, one that an equality determines is computed from the others, where `solved` can.
        """
        for one in conditions:
            if not isinstance(one, Le | Eq):
                raise TypeError(f"World.where: {one!r} is a {type(one).__name__}; expected conditions such as le(…)")
        return replace(self, hypotheses=(*self.hypotheses, *_conditions(conditions)))

    def defining(self, formulas: Mapping[Any, Any]) -> World:
        """The same world, in which further letters are defined, in order. Raises `ValueError` for an unknown letter."""
        unknown = [str(letter) for letter in formulas if str(letter) not in self.notation.by_name]
        if unknown:
            raise ValueError(f"World.defining: {', '.join(unknown)} is no quantity of the notation")
        return replace(self, defined=(*self.defined, *((str(k), Bound(v)) for k, v in formulas.items())))

    def test(self, says: Le | Eq) -> Inequality | Identity:
        """The statement as today's search and judge take it.

        Equal sides differ by at most 0 on what is drawn or observed; an `identity` is one of all letters.
        The left side is a formula like the right one; dimensions are checked where all letters have units. Raises
        `TypeError` for what is no statement, such as sympy's a <= b, `ValueError` for hypotheses with derivatives of a
        formula of which a letter is not drawn by itself.
        """
        check_statement(says)
        self._check_derived()
        if isinstance(says, Eq) and says.identity:
            return Identity(says.left, says.right, says.sample)
        if isinstance(says, Eq):
            says = Le(sp.Abs(says.left - says.right), sp.Integer(0))
        units = self.notation.units(sp.Tuple(says.left, says.right))
        beside = self._letters(says)
        left, right = Bound(says.left, degrees=units), Bound(says.right, again=says.again, degrees=units, beside=beside)
        if says.strict:
            sides = _Sides(left, right, True, units is not None and _homogeneous(says, self.notation))
            missed = self._cases(sides)
            return Inequality(
                Bound(sp.Integer(0), degrees=units or {}, beside=beside),
                missed,
                self.switches,
                degrees=(0, 0),
                choice=says.choice,
            )
        degrees = (right if says.left == 0 else left).scaling() if units is not None else set()
        cases = self._cases(_Sides(left, right, False, units is not None))
        known = says.trivial if says.trivial is None or isinstance(says.trivial, str) else Bound(says.trivial)
        one = next(iter(degrees)) if len(degrees) == 1 else None
        return Inequality(right, cases, self.switches, degrees=one, trivial=known, grid=self.grid, choice=says.choice)

    def _check_derived(self) -> None:
        """Raise where a letter that derivatives take as a constant may be a formula of another."""
        letters = frozenset().union(*(h.derived for h in self.hypotheses))
        defined = sorted(letters & {name for name, _ in self.defined})
        if letters and not self.free:
            raise ValueError(
                f"minimises: the letters {', '.join(sorted(letters))} are observed in this world, and how they hang"
                " on each other is not known; expected a world of numbers"
            )
        if defined:
            raise ValueError(
                f"minimises: {defined[0]} is defined by a formula in this world; expected that formula in its place"
            )

    def _letters(self, says: Le) -> tuple[Letter, ...]:
        """The letters whose sign is declared: in both sides, the trivial bound, hypotheses and definitions.

        Of the notation all others too: min(s, 0) of a positive s is 0, and has no s any more.
        """
        known = () if says.trivial is None or isinstance(says.trivial, str) else (says.trivial,)
        met = (side for hypothesis in self.hypotheses for side in (hypothesis.left, hypothesis.right))
        formulas = (says.left, says.right, *known, *met, *(formula.expression for _, formula in self.defined))
        written = {letter.name for formula in formulas for letter in sp.sympify(formula).free_symbols}
        return letters_of(*formulas, *(q.symbol for q in self.notation.quantities if q.name not in written))

    def _cases(self, sides: _Sides) -> tuple[Case | Family, ...]:
        """Every case with both sides; one of drawn numbers falls into several where `solved` says so."""
        out: list[Case | Family] = []
        for item in self.cases:
            if isinstance(item, Family):
                out.append(replace(item, at=_At(item.at, self, sides)))
            elif self.free and not self.switches:  # a switch may change what would no longer be drawn
                out += [self._sided(part, sides) for part in solved(item, self.hypotheses, self.defined)]
            else:
                out.append(self._case(item, sides))
        return tuple(out)

    def _case(self, case: Case, sides: _Sides) -> Case:
        return self._sided(Solved(case, self.hypotheses, self.defined), sides)

    def _sided(self, part: Solved, sides: _Sides) -> Case:
        case, hypotheses, defined = part.case, part.hypotheses, part.defined
        if case.exact is None:
            raise ValueError(f"World: case {case.name!r} has no exact side; a statement over it could refute nothing")
        plain, below = None if self.free else case.exact, sides.right if sides.strict else None
        letters = {q.name: q.says for q in self.notation.quantities}
        exact = FormulaCheck.of(plain, hypotheses, sides.left, below, defined, letters)
        measure = _Measure(case.measure, defined, hypotheses, sides)
        scaled = self.free and sides.scaled and hypotheses == self.hypotheses
        same = (*case.symmetries, *self._units(case)) if scaled else case.symmetries
        return replace(case, measure=measure, exact=exact, symmetries=same)

    def _units(self, case: Case) -> tuple[Symmetry, ...]:
        """A change of units, where every drawn number has some and the hypotheses keep them."""
        drawn = {c.name: self.notation.by_name[c.name].units for c in case.space.coordinates}
        known = {n: d for n, d in drawn.items() if d is not None}
        if len(known) < len(drawn) or all(d == (0, 0) for d in known.values()):
            return ()
        kept = all(_homogeneous(h, self.notation) for h in self.hypotheses)
        return (units(known),) if kept else ()


def check_statement(says: object) -> None:
    """Raises `TypeError` for what is neither le(…), lt(…) nor eq(…)."""
    if not isinstance(says, Le | Eq):
        kind = type(says).__name__
        raise TypeError(f"test({says!r}): a {kind} is no statement; write le(left, right), lt(left, right) or eq(…)")


def _conditions(given: Sequence[Le | Eq]) -> tuple[Le, ...]:
    """Hypotheses as inequalities: an equality is two."""
    return tuple(h for one in given for h in (one.both if isinstance(one, Eq) else (one,)))


def _homogeneous(said: Le, notation: Notation) -> bool:
    degrees = notation.units(sp.Tuple(said.left, said.right))
    if degrees is None:
        return False
    sides = [Bound(side, degrees=degrees).scaling() for side in (said.left, said.right) if side != 0]
    return len(set().union(*sides)) <= 1


@dataclass(frozen=True, eq=False)
class _Sides:
    """Both sides of a statement; `scaled`: a change of units changes both in a way that is known."""

    left: Bound
    right: Bound
    strict: bool
    scaled: bool


@dataclass(frozen=True, eq=False)
class _At:
    """A family's case at chosen sizes, with both sides."""

    at: Callable[..., Case]
    world: World
    sides: _Sides

    def __call__(self, **sizes: float) -> Case:
        return self.world._case(self.at(**sizes), self.sides)


@dataclass(frozen=True, eq=False)
class _Measure:
    """What a case observes, with the left side, and admitted where the hypotheses hold."""

    observe: Callable[[Instance], Mapping[str, Float]]
    defined: tuple[tuple[str, Bound], ...]
    hypotheses: tuple[Le, ...]
    sides: _Sides

    def __call__(self, instances: Instance) -> Mapping[str, Float]:
        seen = dict(self.observe(instances))
        given = cast("Mapping[str, Float]", seen.pop("sizes", {}))
        shape = (len(next(iter(instances.values()))),)
        scaled = bool(given)
        sizes = {name: given[name] for name in self._written if name in given}
        for name, formula in self.defined:
            value, size = formula(seen)
            seen[name] = _of_all(np.asarray(value), shape)  # a formula without letters has one value
            sizes[name] = np.maximum(size, formula.scale({**seen, **sizes})) if scaled else size
            scaled = True
        value, size = self.sides.left(seen)
        if scaled:  # rounding of a side is that of its terms at the scales of what is observed
            scales = {**seen, **sizes}
            size = np.maximum(size, np.maximum(self.sides.left.scale(scales), self.sides.right.scale(scales)))
        magnitude = np.maximum(np.asarray(seen.get("magnitude", 0.0)), size)
        sides: dict[str, Float] = {}
        if self.sides.strict:
            right = self.sides.right.value(seen)
            near = _toward(value, right, magnitude)
            sides = {"_toward": near, "_left_side": value, "_right_side": right, "_scale": magnitude}
            sides = {name: _of_all(np.asarray(given), shape) for name, given in sides.items()}
            value = np.where(value < right, 0.0, 1.0)
            magnitude = np.zeros_like(magnitude)
        out = {**seen, **sides, "lhs": _of_all(value, shape), "magnitude": _of_all(magnitude, shape)}
        if self.hypotheses:
            met = np.asarray(seen.get("admissible", True))
            for hypothesis in self.hypotheses:
                met = met & hypothesis.met(seen)
            out["admissible"] = _of_all(met, shape)
        return out

    @cached_property
    def _written(self) -> tuple[str, ...]:
        """The letters that the sides and the definitions are written with: no other scale is needed."""
        formulas = (self.sides.left, self.sides.right, *(formula for _, formula in self.defined))
        return tuple(sorted({name for formula in formulas for name in formula.names}))


def _toward(left: Float, right: Float, magnitude: Float) -> Float:
    """How near a strict inequality comes to equal sides, 0 where it does; against 0, relative to 1."""
    with np.errstate(all="ignore"):
        gap = left - right
        against_zero = (np.asarray(left) == 0) | (np.asarray(right) == 0)
        return np.where(against_zero, gap / (1 + np.abs(gap)), gap / (np.abs(left) + np.abs(right) + magnitude))


def _of_all(value: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """One entry for each instance: what has them already is returned as it is."""
    return value if value.shape == shape else np.broadcast_to(value, shape)


def case(
    name: str,
    space: Space,
    observe: Callable[..., Mapping[str, Any]],
    plain: Callable[..., tuple[Mapping[str, bool], Mapping[str, Any]]],
    *,
    uses: tuple[Callable[..., Any], ...] | None = None,
    cost: float = 1.0,
    symmetries: tuple[Symmetry, ...] = (),
    mechanisms: tuple[Mechanism, ...] = (),
    **chosen: Any,
) -> Case:
    """A case of a world: what is observed of a batch of instances, and plainly of one instance of exact numbers.

    `name`: «1 clients», as sizes put in give it, becomes «1 client».

    `chosen`: arguments that both take, such as sizes and what the world leaves to choose. `observe` may give `sizes`:
    the scale of rounding of quantities that are differences of larger numbers. `mechanisms`: what is on. `uses`: what
    `plain` calls and scripts have to bring, where it is not what `called_by` finds.
    """
    exact = ExactCheck(partial(plain, **chosen) if chosen else plain, called_by(plain) if uses is None else uses)
    measure = partial(observe, **chosen) if chosen else observe
    name = _ONE_OF_SEVERAL.sub(r"1 \1\2", name)
    return Case(name, space, measure, exact, cost=cost, symmetries=symmetries, mechanisms=mechanisms)


def called_by(function: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """The functions of projects, not of libraries, that a function's code names, and theirs; callees before callers."""
    met: set[Any] = set()
    found: list[Callable[..., Any]] = []

    def follow(one: FunctionType) -> None:
        met.add(one)
        codes = [one.__code__]
        for code in codes:
            codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        for name in dict.fromkeys(name for code in codes for name in code.co_names):
            called = one.__globals__.get(name)
            if isinstance(called, FunctionType) and called not in met and not _of_a_library(called):
                follow(called)
                found.append(called)

    if isinstance(function, FunctionType):
        follow(function)
    return tuple(found)


def _of_a_library(function: FunctionType) -> bool:
    room = function.__module__.partition(".")[0]
    if room in ("theory", "validation", "deep", "paper_checks"):
        return False
    return room in sys.stdlib_module_names or "site-packages" in function.__code__.co_filename


def _as_drawn(instances: Instance) -> Mapping[str, Float]:
    return dict(instances)


def _as_it_is(instance: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    return {}, dict(instance)


def numbers(notation: Notation, name: str, *coordinates: Coordinate, where: tuple[Le | Eq, ...] = ()) -> World:
    """The world of a few free numbers: every coordinate is a quantity of the notation, `where` are the hypotheses.

    A number that an equality of these determines is computed from the others, where `World.where` says so.

    Where all have units, and some are not pure numbers, a change of units is a symmetry of what is said there.

    Raises `ValueError` for a coordinate that is no quantity, or is no single number, `TypeError` for a condition alone.
    """
    if isinstance(where, Le | Eq):
        raise TypeError(f"numbers({name!r}): where is {where.words}; expected a tuple of conditions, (le(…),)")
    for c in coordinates:
        if c.name not in notation.by_name:
            raise ValueError(f"numbers({name!r}): coordinate {c.name!r} is no quantity of the notation")
        if c.n_cube != 1:
            raise ValueError(f"numbers({name!r}): coordinate {c.name!r} is no single number")
    case = Case(name, Space(coordinates), _as_drawn, ExactCheck(_as_it_is))
    return World(notation, (case,), _conditions(where), free=True)
