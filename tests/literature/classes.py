"""Statements for every function of a class, for vectors of any dimension, and of orders of growth."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

import fedverdict as fv
from tests.literature.statement import fails, holds
from validation.proof.classes import decide_vectors, nearest
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.orders import Order, OrderFamily
from validation.statement.forms.vectors import inner, square, vectors

Problem, families = fv.classes.Problem, fv.classes.families
n = sp.Symbol("n", positive=True)


def descent(bound):
    """Two steps of 1/L on a smooth convex function: F(w) − F* in units of L‖w⁰ − w*‖²."""

    def says():
        p = Problem()
        F = p.function(families.smooth_convex(L=1), "F")
        best, start = F.minimiser(), p.point("start")
        w = start
        for _ in range(2):
            w = w - F.gradient(w)
        return fv.decide_class(p.statement(F(w) - F(best), bound, given=[(start - best) ** 2 <= 1])).word

    return says


def cohort(common):
    """One round of two clients, one of them twice as long: closer to a common minimiser, or to that of the sum."""

    def says():
        p = Problem()
        clients = [p.function(families.smooth_convex(L=1, mu="1/2"), f"F{k}") for k in (1, 2)]
        best, start = p.point("w*") if common else (clients[0] + clients[1]).minimiser(), p.point("w")
        after = p.origin()
        for F, steps in zip(clients, (1, 2), strict=True):
            if common:
                F.add(best, p.origin())
            w = start
            for _ in range(steps):
                w = w - F.gradient(w) / 2
            after = after + w / 2
        return fv.decide_class(p.statement((after - best) ** 2, 1, given=[(start - best) ** 2 <= 1])).word

    return says


def projection(both):
    """The distance of projections of a and b onto a convex set, where one of the two conditions may be forgotten."""

    def says():
        a, b, x, y = vectors("a b x y")
        given = [*nearest(x, to=a, members=[y]), *nearest(y, to=b, members=[x])]
        firm = VectorInequality(square(x - y), inner(x - y, a - b))
        return decide_vectors(firm, given=given if both else given[:1]).word

    return says


def order(at, **more):
    return Order("upper", (OrderFamily("as T grows", at, {"T": n}, **more),))


def constant_steps(T):
    """The second moment of SGD with constant step 1/2 on w²/2, σ = 1, from its stationary value 1/3."""
    return Fraction(1, 3) + Fraction(1, 4) ** int(T), 1 / T


def last_iterate(T):
    """F(w_T) − F* of gradient descent on h/2·w² with h = 1/T, L = 1, against 1/T."""
    return (1 - 1 / T) ** (2 * int(T)) / (2 * T), 1 / T


def last_iterate_faster(T):
    return last_iterate(T)[0], 1 / T**2


STATEMENTS = (
    holds("two steps of gradient descent", "Drori and Teboulle 2014: 1/(4T + 2)", descent("1/10")),
    fails("two steps of gradient descent with 1/11", "1/10 is attained", descent("1/11")),
    holds("unequal steps to a common minimiser", "every step is nonexpansive", cohort(True)),
    fails("unequal steps to the minimiser of the sum", "at the optimum the longer client pulls", cohort(False)),
    holds("firm projection in any dimension", "two obtuse angles", projection(True)),
    fails("constant steps are O(1/T)", "a floor", order(constant_steps, form=n / 3, because="drop the second term")),
    holds("last iterate is O(1/T)", "the maximum of h(1 − h)^(2T)", order(last_iterate)),
    fails(
        "last iterate is O(1/T²)",
        "curvature 1/T",
        order(last_iterate_faster, form=n / 32, because="(1 − 1/T)^(2T) >= 1/16 for T >= 2"),
    ),
)
