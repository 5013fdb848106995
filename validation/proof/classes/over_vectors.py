"""An inequality between vectors under hypotheses on them, at given parameters: the same decision as over a class.

    a, b, x = vectors("a b x")
    decide_vectors(VectorInequality(square(x - b), square(a - b)), given=nearest(x, to=a, members=[b]))

says that the nearest point of a convex set is nearer to each of its members: hypotheses are relations of sympy between
inner products (`<=`, `>=`, `Eq`), and what is an arg min inside a side is said by its optimality conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp

from theory.classes import Condition, Form, Number, Problem, Real, Statement, number, sqrt
from theory.classes import Vector as Free
from validation.proof.classes.decide import ClassDecision, decide_class
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.vectors import Vector, inner

__all__ = ["decide_vectors", "minimiser_along", "nearest", "vector_statement"]


def decide_vectors(
    test: VectorInequality, at: Mapping[str, Number] | None = None, given: Sequence[Any] = ()
) -> ClassDecision:
    """Is left <= right for all vectors that meet the hypotheses, in every dimension, at these parameters? Exact.

    `at`: a number for each parameter of the sides and hypotheses. Raises `ValueError` on a parameter without one, on a
    side or hypothesis that is not linear in the inner products, and on a number that has more than square roots.
    """
    return decide_class(vector_statement(test, at, given))


def vector_statement(
    test: VectorInequality, at: Mapping[str, Number] | None = None, given: Sequence[Any] = ()
) -> Statement:
    """The inequality as a statement whose free vectors carry its names."""
    relations = [r for r in map(sp.sympify, given) if r is not sp.true]
    odd = [r for r in relations if not isinstance(r, sp.Eq | sp.Le | sp.Ge)]
    if odd:
        raise ValueError(f"vector_statement(given=[{odd[0]}]): expected relations <=, >= or Eq of inner products")
    sides = [sp.sympify(test.lhs), sp.sympify(test.rhs), *(s for r in relations for s in (r.lhs, r.rhs))]
    problem = Problem()
    free = {name: problem.point(name) for name in _names(sides)}
    numbers = {name: number(x) for name, x in (at or {}).items()}
    conditions = [_condition(r, free, numbers) for r in relations]
    difference = _form(sp.sympify(test.lhs) - test.rhs, free, numbers)
    return problem.statement(Form(difference.quad), -difference.constant, given=conditions)


def nearest(x: Vector, *, to: Vector, members: Iterable[Vector]) -> list[Any]:
    """x = arg min ‖z − to‖² over a closed convex set that holds `members`: ⟨to − x, m − x⟩ <= 0 for each.

    Nothing else follows: x is nearest to `to` in the convex hull of x and the members exactly where these hold.
    """
    return [sp.Le(inner(to - x, m - x), 0) for m in members]


def minimiser_along(x: Vector, *, to: Vector, directions: Iterable[Vector]) -> list[Any]:
    """x = arg min ‖z − to‖² over x + the span of `directions`: ⟨to − x, d⟩ = 0 for each."""
    return [sp.Eq(inner(to - x, d), 0) for d in directions]


def _names(sides: Iterable[Any]) -> list[str]:
    found = {s.name for side in sides for s in side.free_symbols if s.name[0] == "<"}
    return sorted({part for name in found for part in name[1:-1].split(",")})


def _condition(relation: Any, free: Mapping[str, Free], numbers: Mapping[str, Real]) -> Condition:
    difference = relation.lhs - relation.rhs
    form = _form(-difference if isinstance(relation, sp.Ge) else difference, free, numbers)
    return Condition(form, isinstance(relation, sp.Eq), str(relation))


def _form(side: Any, free: Mapping[str, Free], numbers: Mapping[str, Real]) -> Form:
    side = sp.expand(side)
    products = sorted((s for s in side.free_symbols if s.name[0] == "<"), key=str)
    if not products:
        return Form(constant=_real(side, numbers))
    poly = sp.Poly(side, *products)
    total = Form()
    for powers, coefficient in poly.terms():
        if sum(powers) > 1:
            raise ValueError(f"vector_statement: {side} is not linear in the inner products")
        factor = _real(coefficient, numbers)
        if sum(powers) == 0:
            total = total + Form(constant=factor)
            continue
        u, v = products[powers.index(1)].name[1:-1].split(",")
        total = total + factor * (free[u] * free[v])
    return total


def _real(e: Any, numbers: Mapping[str, Real]) -> Real:
    """The exact number of an expression in the parameters."""
    if e.is_Symbol:
        if e.name not in numbers:
            raise ValueError(f"vector_statement(at={sorted(numbers)}): no number for the parameter {e.name}")
        return numbers[e.name]
    if e.is_Rational:
        return number(f"{e.p}/{e.q}")
    parts = [_real(a, numbers) for a in e.args if not (e.is_Pow and a is e.exp)]
    if e.is_Add:
        return sum(parts[1:], parts[0])
    if e.is_Mul:
        product = parts[0]
        for x in parts[1:]:
            product = product * x
        return product
    if e.is_Pow and e.exp.is_Rational and e.exp.q in (1, 2):
        base = parts[0] if e.exp.q == 1 else sqrt(parts[0])
        power = base ** abs(int(e.exp.p))
        return power if e.exp.p > 0 else 1 / power
    raise ValueError(f"vector_statement: {e} is no number with square roots")
