"""Identities: proved by sympy, or refuted at a rational point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, count, islice, product
from typing import Any

import sympy as sp

from validation.statement.bound import exact_value
from validation.statement.claim import Identity

__all__ = ["difference", "find_point", "is_identity"]

_FIRST = 100  # points, of which one tells most false identities apart
_BEYOND = 2_000  # points with other numbers, where an irrational difference vanishes on all of the sample
_OTHERS = tuple(Fraction(n, d) for n, d in ((4, 1), (9, 4), (1, 4), (7, 1), (16, 1), (3, 2), (11, 1), (1, 9), (64, 1)))


def difference(test: Identity) -> sp.Expr:
    """left − right, simplified."""
    return sp.simplify(sp.sympify(test.left) - sp.sympify(test.right))


def is_identity(test: Identity) -> bool:
    """Whether sympy establishes left − right = 0 symbolically (after expansion and simplification)."""
    gap = sp.together(sp.expand(sp.sympify(test.left) - sp.sympify(test.right)))
    if bool(gap == 0) or bool(sp.cancel(gap) == 0):
        return True
    if _rational(gap):
        return False
    # Simplifying is slow, and slow to import: what differs at a point is not asked.
    return find_point(test, most=_FIRST) is None and bool(sp.simplify(gap) == 0)


def find_point(test: Identity, most: int = 20_000) -> tuple[dict[str, Fraction], Fraction, Fraction] | None:
    """A rational point where both sides are defined and differ, or None; values from `test.sample`, `most` points.

    Where rational sides differ at none of the first, a point is found by algebra, whatever its numbers are. Others are
    tried at further numbers, too, and letters of either sign at the negatives, where `most` is more than a first look.
    """
    letters = sp.sympify(test.left).free_symbols | sp.sympify(test.right).free_symbols
    signed = {s.name: s.is_nonnegative is None for s in letters}
    names = sorted(signed)
    plain = dict.fromkeys(names, test.sample)
    found = _differing(test, islice(_grid(plain), min(most, _FIRST)))
    if found is not None or most <= _FIRST:
        return found
    if _rational(sp.sympify(test.left)) and _rational(sp.sympify(test.right)):
        point = _by_algebra(test, names)
        return None if point is None else _differing(test, [point])
    both = {name: [*test.sample, *(-v for v in test.sample if signed[name])] for name in names}
    more = islice(_grid(both), most) if any(signed.values()) else ()
    others = islice(_grid(dict.fromkeys(names, _OTHERS)), _BEYOND)
    return _differing(test, chain(islice(_grid(plain), _FIRST, most), more, others))


def _grid(values: Mapping[str, Sequence[Fraction]]) -> Iterator[dict[str, Fraction]]:
    return (dict(zip(values, point, strict=True)) for point in product(*values.values()))


def _differing(
    test: Identity, points: Iterable[dict[str, Fraction]]
) -> tuple[dict[str, Fraction], Fraction, Fraction] | None:
    """The first of the points where both sides are defined and differ, with both."""
    for point in points:
        try:
            left, right = exact_value(test.left, point), exact_value(test.right, point)
        except ZeroDivisionError:
            continue
        if left != right:
            return point, left, right
    return None


def _rational(expression: Any) -> bool:
    """Whether an expression is a quotient of polynomials with rational coefficients."""
    numbers = expression.atoms(sp.Number, sp.NumberSymbol)
    return bool(expression.is_rational_function()) and all(number.is_Rational for number in numbers)


def _by_algebra(test: Identity, names: Sequence[str]) -> dict[str, Fraction] | None:
    """A point of positive numbers where two rational sides have values and differ; None where they never do.

    One letter after the other gets the first number at which neither the difference nor a denominator becomes 0 for all
    values of the others: a polynomial has fewer roots than the numbers tried.
    """
    left, right = (sp.fraction(sp.together(sp.sympify(side))) for side in (test.left, test.right))
    rest = [sp.expand(left[0] * right[1] - right[0] * left[1]), sp.expand(left[1]), sp.expand(right[1])]
    if any(part == 0 for part in rest):
        return None
    letters = {s.name: s for part in rest for s in part.free_symbols}
    point: dict[str, Fraction] = {}
    for name in names:
        for value in chain(test.sample, _OTHERS, map(Fraction, count(13))):
            left_over = [
                sp.expand(part.subs(letters[name], sp.Rational(value))) if name in letters else part for part in rest
            ]
            if value > 0 and all(part != 0 for part in left_over):
                point[name], rest = value, left_over
                break
    return point
