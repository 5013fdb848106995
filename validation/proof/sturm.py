"""Symmetric matrices of rational functions of one parameter: positive semidefinite on an interval or not, decided.

A matrix is positive semidefinite iff no principal minor is negative. A minor's sign is that of numerator times
denominator, a polynomial, whose real roots Sturm sequences isolate: one rational point between any two neighbours says
everything, however narrow the window in which it is negative.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import sympy as sp

from validation.statement.instances.domain import Domain, Point

__all__ = ["decidable", "negative_point"]

_MOST_ROWS = 6  # at most 63 principal minors


def decidable(matrix: Any, domain: Domain) -> bool:
    """Whether `negative_point` applies: one parameter on an interval or half-line, nothing else, a small matrix."""
    alone = len(domain.parameters) == 1 and not domain.simplices and not domain.where
    return alone and matrix.rows <= _MOST_ROWS


def negative_point(matrix: Any, domain: Domain) -> Point | None:
    """A rational parameter at which a principal minor is negative; None: semidefinite wherever it is defined.

    Raises `ValueError` where it does not apply, see `decidable`.
    """
    if not decidable(matrix, domain):
        raise ValueError(f"negative_point(domain={domain}): expected one parameter and at most {_MOST_ROWS} vectors")
    (parameter,) = domain.parameters
    x, low = sp.Symbol(parameter.name), sp.Rational(parameter.low)
    high = None if parameter.high is None else sp.Rational(parameter.high)
    for size in range(1, matrix.rows + 1):
        for rows in combinations(range(matrix.rows), size):
            above, below = sp.fraction(sp.cancel(sp.together(matrix.extract(list(rows), list(rows)).det())))
            point = _where_negative(sp.Poly(above * below, x), low, high)
            if point is not None:
                return {parameter.name: Fraction(int(point.p), int(point.q))}
    return None


def _where_negative(p: Any, low: Any, high: Any | None) -> Any | None:
    """A rational point of [low, high] where a polynomial is negative, None without one; `high` None: no end."""
    if p.degree() <= 0:
        return low if p.LC() < 0 else None
    roots, eps = _isolated(p, None), sp.Rational(1, 2)
    while any(a[1] >= b[0] for a, b in pairwise(roots)):  # neighbours that touch: narrower intervals
        roots, eps = _isolated(p, eps), eps / 16
    edges = [*(r[0] for r in roots[:1]), *((a[1] + b[0]) / 2 for a, b in pairwise(roots)), *(r[1] for r in roots[-1:])]
    inner = [edges[0] - 1, *edges[1:-1], edges[-1] + 1] if edges else []
    top = max([low, *inner]) + 1 if high is None else high
    # Where a gap between two roots reaches beyond an end of the interval, that end itself lies in the gap.
    return next((c for c in [low, top, *inner] if low <= c <= top and p.eval(c) < 0), None)


def _isolated(p: Any, eps: Any | None) -> list[tuple[Any, Any]]:
    return [(a, b) for (a, b), _ in p.intervals(eps=eps)]
