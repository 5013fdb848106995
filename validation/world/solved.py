"""Equalities among hypotheses, solved for a drawn number: what an equality determines is computed, not drawn.

Random draws never meet an equality; corners do, a handful of them, again and again. Where an equality is linear in a
number that is drawn alone, that number becomes a formula of the others, in floats and in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import sympy as sp

from validation.statement.bound import Bound, left_alone, with_maxima
from validation.statement.claim import Case
from validation.statement.instances.draw import Coordinate, Integer, LogScale, Signed, Space, Uniform
from validation.statement.says import Le, le

__all__ = ["Solved", "equalities", "solved"]

_MOST = 4  # cases that come of one
_LONG = 40  # symbols and numbers of an equality: a longer one is left to the search
Defined = tuple[tuple[str, Bound], ...]


def equalities(hypotheses: Sequence[Le]) -> Iterator[Any]:
    """left − right of each pair of hypotheses that bound the same from both sides, in letters without assumptions."""
    for one, other in combinations([h for h in hypotheses if not h.strict], 2):
        letters = {s.name for side in (one.left, one.right) for s in side.free_symbols}
        if letters and letters == {s.name for side in (other.left, other.right) for s in side.free_symbols}:
            missed = left_alone(one.left - one.right)
            if sp.expand(missed + left_alone(other.left - other.right)) == 0:
                yield missed


@dataclass(frozen=True)
class Solved:
    """A case of drawn numbers, with the hypotheses and the definitions that belong to it."""

    case: Case
    hypotheses: tuple[Le, ...]
    defined: Defined


def solved(case: Case, hypotheses: tuple[Le, ...], defined: Defined) -> tuple[Solved, ...]:
    """The cases into which a case of drawn numbers falls where what equalities determine is defined.

    The range of a number that is no longer drawn becomes a hypothesis. An equality factor·number + rest = 0 determines
    nothing where factor and rest are both 0: such instances are a case of their own. An equality that is linear in no
    number of the case is left as it is, as is one whose solution may be irrational, or of which more than `_MOST` cases
    would come, or one whose own equalities cannot be solved in turn.
    """
    return _solved(case, hypotheses, defined) or (Solved(case, hypotheses, defined),)


def _solved(
    case: Case, hypotheses: tuple[Le, ...], defined: Defined, done: tuple[Any, ...] = (), must: tuple[Any, ...] = ()
) -> tuple[Solved, ...] | None:
    """The same, the equalities `done` left as they are; None where one that `must` be met is neither met nor solved."""
    for written in equalities(hypotheses):
        if written in done:
            continue
        missed = _in_drawn(written, defined)
        solution = _solution(missed, case.space)
        if solution is None or len(case.space.coordinates) == 1:
            continue
        drawn = next(c for c in case.space.coordinates if c.name == solution.name)
        rest = tuple(c for c in case.space.coordinates if c.name != solution.name)
        one = _solved(
            replace(case, space=Space(rest)),
            (*hypotheses, *_range(drawn)),
            ((solution.name, Bound(solution.formula)), *defined),
            (*done, written),
            must,
        )
        other: tuple[Solved, ...] | None = ()
        if not solution.sole:
            both = (solution.factor, solution.rest)
            at_0 = (h for side in both if side != 0 for h in (le(side, 0), le(-side, 0)))
            named = replace(case, name=f"{case.name}, {solution.factor} = 0")
            other = _solved(named, (*at_0, *hypotheses), defined, (*done, written), (*must, *both))
        if one is not None and other is not None and len(one) + len(other) <= _MOST:
            return (*one, *other)
    left = [_in_drawn(expression, defined) for expression in must]
    if any(expression.is_number and expression != 0 for expression in left):
        return ()  # no instance meets that
    return None if any(expression != 0 for expression in left) else (Solved(case, hypotheses, defined),)


def _in_drawn(missed: Any, defined: Defined) -> Any:
    """An expression in the numbers that are drawn."""
    for name, formula in reversed(defined):
        missed = missed.subs(sp.Symbol(name), left_alone(formula.expression))
    return sp.expand(missed)


@dataclass(frozen=True)
class _Solution:
    """factor·number + rest = 0, solved for the number; `sole`: factor and rest are never both 0."""

    name: str
    formula: Any
    factor: Any
    rest: Any
    sole: bool


def _solution(missed: Any, space: Space) -> _Solution | None:
    """The number of a space that makes an expression 0: one with a factor that is never 0, of the widest range."""
    drawn = {c.name: c for c in space.coordinates}
    letters = {s.name for s in missed.free_symbols}
    if not letters or letters - set(drawn) or len(list(sp.preorder_traversal(missed))) > _LONG:
        return None
    best: tuple[tuple[int, bool, bool, float], _Solution] | None = None
    for name in sorted(letters):
        if type(drawn[name]) not in (Uniform, LogScale, Signed) or drawn[name].n_cube != 1:
            continue
        try:
            factor, rest = sp.Poly(missed, sp.Symbol(name)).all_coeffs()
        except (sp.PolynomialError, ValueError):  # not a polynomial of it, or of another degree
            continue
        formula = with_maxima(sp.expand(-rest / factor))
        if not Bound(formula).is_rational:
            continue
        known = 2 if _never_0(factor, drawn) else int(_never_0(rest, drawn))
        rank = known, rest != 0, *_width(drawn[name])
        if best is None or rank > best[0]:
            best = rank, _Solution(name, formula, factor, rest, known > 0)
    return None if best is None else best[1]


def _never_0(expression: Any, drawn: dict[str, Coordinate]) -> bool:
    """Whether the ranges of what is drawn show that an expression is nowhere 0."""
    signs = {letter: _signed(drawn[letter.name]) for letter in expression.free_symbols}
    return sp.factor(expression.xreplace(signs)).is_zero is False


def _signed(drawn: Coordinate) -> Any:
    """A letter for a number, declared of the sign that its range has."""
    if isinstance(drawn, Uniform | Integer):
        if drawn.low >= 0:
            return sp.Dummy(drawn.name, positive=True) if drawn.low > 0 else sp.Dummy(drawn.name, nonnegative=True)
        if drawn.high <= 0:
            return sp.Dummy(drawn.name, negative=True) if drawn.high < 0 else sp.Dummy(drawn.name, nonpositive=True)
    return sp.Dummy(drawn.name, real=True)


def _width(drawn: Any) -> tuple[bool, float]:
    """How wide a range is, one of both signs first."""
    return isinstance(drawn, Signed) or drawn.low < 0 < drawn.high, float(drawn.high) - float(drawn.low)


def _range(drawn: Any) -> tuple[Le, Le]:
    """The range of a number as hypotheses, its ends as they are written."""
    letter = sp.Symbol(drawn.name)
    low, high = (sp.Rational(repr(float(end))) for end in (drawn.low, drawn.high))
    return (le(-high, letter), le(letter, high)) if isinstance(drawn, Signed) else (le(low, letter), le(letter, high))
