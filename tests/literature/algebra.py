"""Inequalities between a few free numbers that proofs of convergence use."""

from __future__ import annotations

import sympy as sp

import fedverdict as fv
from tests.literature.statement import fails, holds

NOTATION = fv.Notation(
    (
        *(fv.Quantity(name, name, "any number") for name in ("a", "b", "c", "d")),
        *(fv.Quantity(name, name, "a positive number", positive=True) for name in ("x", "y", "eta", "mu", "L", "T")),
        *(fv.Quantity(name, name, "a probability", positive=True) for name in ("p", "q")),
        fv.Quantity("k", "k", "a count", positive=True),
        fv.Quantity("r", "r", "a root", nonnegative=True),
    )
)
a, b, c, x, y, eta, mu, L, T, k, r = NOTATION.symbols("a b c x y eta mu L T k r")


def any_of(*names):
    return tuple(fv.Signed(name, 1e-2, 1e2) for name in names)


def positive(*names):
    return tuple(fv.LogScale(name, 1e-3, 1e3) for name in names)


COUNT = fv.Integer("k", 1, 60)


def said(formula, *drawn, where=()):
    return fv.numbers(NOTATION, "numbers", *drawn, where=where).test(formula)


A, AB, ABC, ABCD = (any_of(*"abcd"[:n]) for n in (1, 2, 3, 4))
XY = positive("x", "y")
contraction = sp.Max(sp.Abs(1 - eta * mu), sp.Abs(1 - eta * L))
STEPS = positive("eta", "mu", "L")

STATEMENTS = (
    holds(
        "square of a sum with 1 + 1/k",
        "Young; equal at a = k b",
        said(fv.le((a + b) ** 2, (1 + 1 / k) * a**2 + (1 + k) * b**2), *AB, COUNT),
    ),
    holds("roots are subadditive", "strictly, for x, y > 0", said(fv.lt(sp.sqrt(x + y), sp.sqrt(x) + sp.sqrt(y)), *XY)),
    fails(
        "sum of roots with 1.4",
        "1.4 is below √2",
        said(fv.le(sp.sqrt(x) + sp.sqrt(y), sp.Rational(7, 5) * sp.sqrt(x + y)), *XY),
        slow=True,
    ),
    holds("Bernoulli", "induction on k", said(fv.le(1 + k * a, (1 + a) ** k), fv.Uniform("a", -1, 3), COUNT)),
    fails(
        "growth of (1 + x)^k with 3/2",
        "at x = 1/k the left side tends to e > 5/2; false from k = 6 on",
        said(fv.le((1 + x) ** k, 1 + sp.Rational(3, 2) * k * x), *positive("x"), COUNT, where=(fv.le(k * x, 1),)),
    ),
    holds(
        "logarithm above",
        "the alternating series to an odd term",
        said(fv.le(sp.log(1 + x), x - x**2 / 2 + x**3 / 3), fv.LogScale("x", 1e-2, 1e2)),
    ),
    fails(
        "logarithm above, to an even term",
        "the next term, x³/3, is positive",
        said(fv.le(sp.log(1 + x), x - x**2 / 2), fv.LogScale("x", 1e-2, 1)),
    ),
    holds("maximum", "by cases", said(fv.eq(sp.Max(a, b), (a + b + sp.Abs(a - b)) / 2), *AB)),
    fails("minimum with a plus", "that is the maximum", said(fv.eq(sp.Min(a, b), (a + b + sp.Abs(a - b)) / 2), *AB)),
    holds(
        "contraction of a gradient step",
        "h -> |1 − ηh| is convex; equal throughout",
        said(fv.le(contraction, 1 - eta * mu), *STEPS, where=(fv.le(mu, L), fv.le(eta * (L + mu), 2))),
    ),
    fails(
        "contraction up to 2/L",
        "near η = 2/L the other end dominates",
        said(fv.le(contraction, 1 - eta * mu), *STEPS, where=(fv.le(mu, L), fv.le(eta * L, 2))),
    ),
    fails(
        "root of a quadratic inequality by a maximum",
        "x = y = 1 allows r = 1.618",
        said(fv.le(r, sp.Max(x, sp.sqrt(y))), fv.Uniform("r", 0, 40), *XY, where=(fv.le(r**2, x * r + y),)),
    ),
    holds(
        "tuned step size",
        "the minimum of x/(ηT) + ηy over η",
        said(
            fv.exists({eta: sp.sqrt(x / (y * T))}, fv.le(x / (eta * T) + eta * y, 2 * sp.sqrt(x * y / T))),
            *XY,
            *positive("T"),
        ),
    ),
    holds(
        "three numbers that sum to 0",
        "a³ + b³ + c³ − 3abc has the factor a + b + c",
        said(fv.eq(a**3 + b**3 + c**3, 3 * a * b * c), *ABC, where=(fv.eq(a + b + c, 0),)),
    ),
    fails(
        "squares of three numbers that sum to 0",
        "the factor is −2",
        said(fv.eq(a**2 + b**2 + c**2, -(a * b + b * c + c * a)), *ABC, where=(fv.eq(a + b + c, 0),)),
    ),
    fails(
        "powers below exp(−1), index slip",
        "(1 − 1/(k + 1))^k falls to exp(−1) from above",
        said(fv.lt((1 - 1 / (k + 1)) ** k, sp.exp(-1)), fv.Integer("k", 3, 60)),
    ),
)
