"""Identities: proved by sympy, or refuted at a rational point."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from validation.statement.bound import exact_value
from validation.statement.claim import Identity

__all__ = ["difference", "find_point", "is_identity"]


def difference(test: Identity) -> sp.Expr:
    """left − right, simplified."""
    return sp.simplify(sp.sympify(test.left) - sp.sympify(test.right))


def is_identity(test: Identity) -> bool:
    """Whether sympy establishes left − right = 0 symbolically (after expansion and simplification)."""
    gap = sp.together(sp.expand(sp.sympify(test.left) - sp.sympify(test.right)))
    return bool(gap == 0) or bool(sp.cancel(gap) == 0) or bool(sp.simplify(gap) == 0)  # simplify is slow to import


def find_point(test: Identity) -> tuple[dict[str, Fraction], Fraction, Fraction] | None:
    """A rational point (values from `test.sample`, in order) where both sides are defined and differ, or None."""
    names = sorted(s.name for s in sp.sympify(test.left).free_symbols | sp.sympify(test.right).free_symbols)
    for tried, values in enumerate(product(test.sample, repeat=len(names))):
        if tried >= 20_000:
            return None
        point = dict(zip(names, values, strict=True))
        try:
            left, right = exact_value(test.left, point), exact_value(test.right, point)
        except ZeroDivisionError:
            continue
        if left != right:
            return point, left, right
    return None
