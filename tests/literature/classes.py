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


def contraction(bound):
    """One step of 2/(L + μ) with L = 3, μ = 1."""

    def says():
        p = Problem()
        F = p.function(families.smooth_convex(L=3, mu=1), "F")
        best, start = F.minimiser(), p.point("start")
        after = start - F.gradient(start) / 2
        return fv.decide_class(p.statement((after - best) ** 2, bound, given=[(start - best) ** 2 <= 1])).word

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


def three(factor):
    """The squared norm of a sum of three vectors."""

    def says():
        a, b, c = vectors("a b c")
        return decide_vectors(VectorInequality(square(a + b + c), factor * (square(a) + square(b) + square(c)))).word

    return says


def order(at, **more):
    return Order("upper", (OrderFamily("as T grows", at, {"T": n}, **more),))


def constant_steps(T):
    """The second moment of SGD with constant step 1/2 on w²/2, σ = 1, from its stationary value 1/3."""
    return Fraction(1, 3) + Fraction(1, 4) ** int(T), 1 / T


def decreasing_steps(T):
    """The variance of the mean of T samples, which steps 1/t compute."""
    return 1 / T, 1 / T


def drift(T):
    """The squared drift of T local steps on a linear loss against T."""
    return T**2, T


def squares(T):
    return sum(Fraction(1, t * t) for t in range(1, int(T) + 1)), Fraction(1)


def last_iterate(T):
    """F(w_T) − F* of gradient descent on h/2·w² with h = 1/T, L = 1, against 1/T."""
    return (1 - 1 / T) ** (2 * int(T)) / (2 * T), 1 / T


def last_iterate_faster(T):
    return last_iterate(T)[0], 1 / T**2


STATEMENTS = (
    holds("two steps of gradient descent", "Drori and Teboulle 2014: 1/(4T + 2)", descent("1/10")),
    fails("two steps of gradient descent with 1/11", "1/10 is attained", descent("1/11")),
    holds("one optimal step", "(κ − 1)/(κ + 1) squared", contraction("1/4")),
    fails("one optimal step with 2/9", "1/4 is attained", contraction("2/9")),
    holds("unequal steps to a common minimiser", "every step is nonexpansive", cohort(True)),
    fails("unequal steps to the minimiser of the sum", "at the optimum the longer client pulls", cohort(False)),
    holds("firm projection in any dimension", "two obtuse angles", projection(True)),
    fails("firm projection from one condition", "y may be anywhere in the set", projection(False)),
    holds("square of a sum of three", "Cauchy–Schwarz", three(3)),
    fails("square of a sum of three with 2", "three equal vectors", three(2)),
    holds("decreasing steps are O(1/T)", "variance of a mean", order(decreasing_steps)),
    fails("constant steps are O(1/T)", "a floor", order(constant_steps, form=n / 3, because="drop the second term")),
    holds("sum of 1/t² is bounded", "π²/6", order(squares)),
    fails("squared drift is O(T)", "T steps of one length", order(drift, form=n, because="the quotient itself")),
    holds("last iterate is O(1/T)", "the maximum of h(1 − h)^(2T)", order(last_iterate)),
    fails(
        "last iterate is O(1/T²)",
        "curvature 1/T",
        order(last_iterate_faster, form=n / 32, because="(1 − 1/T)^(2T) >= 1/16 for T >= 2"),
    ),
)
