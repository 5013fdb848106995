"""Identities: proved by sympy, or refuted at a rational point."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from validation.statement.bound import exact_value
from validation.statement.claim import Identity

__all__ = ["difference", "find_point", "is_identity"]

_FIRST = 100  # points, of which one tells most false identities apart


def difference(test: Identity) -> sp.Expr:
    """left − right, simplified."""
    return sp.simplify(sp.sympify(test.left) - sp.sympify(test.right))


def is_identity(test: Identity) -> bool:
    """Whether sympy establishes left − right = 0 symbolically (after expansion and simplification)."""
    gap = sp.together(sp.expand(sp.sympify(test.left) - sp.sympify(test.right)))
    if bool(gap == 0) or bool(sp.cancel(gap) == 0):
        return True
    # Simplifying is slow, and slow to import: what differs at a point is not asked.
    return find_point(test, most=_FIRST) is None and bool(sp.simplify(gap) == 0)


def find_point(test: Identity, most: int = 20_000) -> tuple[dict[str, Fraction], Fraction, Fraction] | None:
    """A rational point where both sides are defined and differ, or None; values from `test.sample`, `most` points."""
    names = sorted(s.name for s in sp.sympify(test.left).free_symbols | sp.sympify(test.right).free_symbols)
    for tried, values in enumerate(product(test.sample, repeat=len(names))):
        if tried >= most:
            return None
        point = dict(zip(names, values, strict=True))
        try:
            left, right = exact_value(test.left, point), exact_value(test.right, point)
        except ZeroDivisionError:
            continue
        if left != right:
            return point, left, right
    return None
