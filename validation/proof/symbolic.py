"""Identities: proved by sympy, or refuted at a rational point."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, product

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
    """A rational point where both sides are defined and differ, or None.

    Values are those of `test.sample`, then also their negatives for letters of either sign, `most` points of each.
    """
    letters = sp.sympify(test.left).free_symbols | sp.sympify(test.right).free_symbols
    signed = {s.name: s.is_nonnegative is None for s in letters}
    for negative in (False, True) if any(signed.values()) else (False,):
        values = [[*test.sample, *(-v for v in test.sample if negative and signed[name])] for name in sorted(signed)]
        for chosen in islice(product(*values), most):
            point = dict(zip(sorted(signed), chosen, strict=True))
            try:
                left, right = exact_value(test.left, point), exact_value(test.right, point)
            except ZeroDivisionError:
                continue
            if left != right:
                return point, left, right
    return None
