"""Equalities among hypotheses, solved for a drawn number: what an equality determines is computed, not drawn.

Random draws never meet an equality; corners do, a handful of them, again and again. Where an equality is linear in a
number that is drawn alone, that number becomes a formula of the others, in floats and in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import sympy as sp

from validation.statement.bound import Bound, left_alone, with_maxima
from validation.statement.claim import Case
from validation.statement.instances.draw import Coordinate, LogScale, Signed, Space, Uniform
from validation.statement.says import Le, le

__all__ = ["equalities", "solved"]

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


def solved(case: Case, hypotheses: tuple[Le, ...], defined: Defined) -> tuple[Case, tuple[Le, ...], Defined]:
    """A case of drawn numbers in which what equalities determine is defined, with hypotheses and definitions for it.

    The range of a number that is no longer drawn becomes a hypothesis. An equality that is linear in no number of the
    case, or only with a factor that may be 0, is left as it is, as is one whose solution may be irrational.
    """
    found: list[tuple[str, Any]] = []
    for missed in equalities(hypotheses):
        for name, formula in reversed(defined):
            missed = missed.subs(sp.Symbol(name), left_alone(formula.expression))
        for name, expression in found:
            missed = missed.subs(sp.Symbol(name), expression)
        pair = _solution(sp.expand(missed), case.space)
        if pair is None or len(case.space.coordinates) == 1:
            continue
        name, expression = pair
        drawn = next(c for c in case.space.coordinates if c.name == name)
        rest = tuple(c for c in case.space.coordinates if c.name != name)
        case = replace(case, space=Space(rest))
        found = [*((n, e.subs(sp.Symbol(name), expression)) for n, e in found), pair]
        hypotheses = (*hypotheses, *_range(drawn))
    return case, hypotheses, (*((name, Bound(expression)) for name, expression in found), *defined)


def _solution(missed: Any, space: Space) -> tuple[str, Any] | None:
    """The number of a space that makes an expression 0, and its formula: the one with the widest range."""
    drawn = {c.name: c for c in space.coordinates}
    letters = {s.name for s in missed.free_symbols}
    if not letters or letters - set(drawn) or len(list(sp.preorder_traversal(missed))) > _LONG:
        return None
    best: tuple[tuple[bool, float], str, Any] | None = None
    for name in sorted(letters):
        if type(drawn[name]) not in (Uniform, LogScale, Signed) or drawn[name].n_cube != 1:
            continue
        try:
            factor, rest = sp.Poly(missed, sp.Symbol(name)).all_coeffs()
        except (sp.PolynomialError, ValueError):  # not a polynomial of it, or of another degree
            continue
        formula = with_maxima(sp.expand(-rest / factor))
        if _never_0(factor, drawn) and Bound(formula).is_rational:
            width = _width(drawn[name])
            if best is None or width > best[0]:
                best = width, name, formula
    return None if best is None else best[1:]


def _never_0(factor: Any, drawn: dict[str, Coordinate]) -> bool:
    """Whether a factor is a number that is not 0, or a product of such and of numbers that are drawn above 0."""
    for part in sp.Mul.make_args(factor):
        base = part.base if part.is_Pow else part
        if base.is_Symbol:
            own: Any = drawn[base.name]
            if not isinstance(own, Uniform) or own.low <= 0:
                return False
        elif not (base.is_Rational and base != 0):
            return False
    return True


def _width(drawn: Any) -> tuple[bool, float]:
    """How wide a range is, one of both signs first."""
    return isinstance(drawn, Signed) or drawn.low < 0 < drawn.high, float(drawn.high) - float(drawn.low)


def _range(drawn: Any) -> tuple[Le, Le]:
    """The range of a number as hypotheses, its ends as they are written."""
    letter = sp.Symbol(drawn.name)
    low, high = (sp.Rational(repr(float(end))) for end in (drawn.low, drawn.high))
    return (le(-high, letter), le(letter, high)) if isinstance(drawn, Signed) else (le(low, letter), le(letter, high))
