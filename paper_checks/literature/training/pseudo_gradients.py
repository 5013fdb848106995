"""Pseudo-gradients and sums of vectors: bias and variance of local work, Young's inequality over a round.

Source: Charles and Konečný 2021 (pseudo-gradients on quadratics); Khaled, Mishchenko and Richtárik 2020 and Karimireddy
et al. 2020 (Young's inequality over the local steps of a round); Reddi et al. 2021 (bias and variance).
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from paper_checks.literature.methods import NOISY
from paper_checks.literature.notation import NOTATION
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import free
from validation import Integer, Uniform
from validation.world import Domain, Parameter, VectorInequality, at, identity, le, mutant, square, vectors

__all__ = ["CLAIMS"]

E, eta, variance, noise_p, step, n = NOTATION.symbols("E eta variance noise_p step n_steps")
g_1, g_2, g, p = NOTATION.symbols("g_1 g_2 g p")
s = sp.Symbol("s", positive=True)
a, b = vectors("a b")

LOST = n * step - (1 - (1 - step) ** n)
SHRUNK = stated(
    "LIT-82",
    "What local steps take from a pseudo-gradient",
    r"n\,\eta h-\left(1-(1-\eta h)^n\right)\le\frac{n(n-1)}2(\eta h)^2",
    "On a quadratic n local steps of length up to 1/h do what n steps at the model sent out do, less at most n(n − 1)/2·(ηh)².",
    le(LOST, n * (n - 1) / 2 * step**2),
    free("step and number of steps", Uniform("step", 0.0, 1.0, at=(0.5, 1.0)), Integer("n_steps", 1, 100)),
    mutant("a third", le(LOST, n * (n - 1) / 3 * step**2), "two steps"),
    mutant("n for n(n − 1)", le(LOST, n / 2 * step**2), "many short steps"),
    because="1 − (1 − y)^n is the sum of y(1 − y)^i, i < n, and (1 − y)^i >= 1 − iy",
    tight="one step or two",
)
ROUND = NOISY.but(R=(1, 1), far=1)
ROUND_NOISE = stated(
    "LIT-83",
    "Variance of one round",
    r"\mathrm{Var}\,w_1\le E\eta^2\sum_kp_k^2\sigma_k^2",
    "The noise of E local steps of length up to 1/L adds up over them and is averaged over clients.",
    le(variance, E * eta**2 * noise_p),
    ROUND,
    mutant("of one step", le(variance, eta**2 * noise_p), "two short steps"),
    mutant("common noise", None, "then nothing is averaged", world=ROUND.but(noise="common")),
    because="client k has variance η²σ_k²Σ(1 − ηh)^{2i} on every axis, i < E, each at most 1",
    tight="one local step",
)
FACTOR = Domain((Parameter("s", 0),))
YOUNG = stated(
    "LIT-84",
    "Young's inequality with a factor",
    r"\|a+b\|^2\le(1+s)\|a\|^2+\left(1+\tfrac1s\right)\|b\|^2",
    "The square of a sum is at most 1 + s times one square plus 1 + 1/s times the other, for every s > 0.",
    VectorInequality(square(a + b), (1 + s) * square(a) + (1 + 1 / s) * square(b), FACTOR),
    None,
    mutant(
        "1/s alone",
        VectorInequality(square(a + b), (1 + s) * square(a) + square(b) / s, FACTOR),
        "b = sa with a large s",
    ),
    mutant(
        "s alone",
        VectorInequality(square(a + b), s * square(a) + (1 + 1 / s) * square(b), FACTOR),
        "no b, and s below 1",
    ),
    because="the right side exceeds the left one by ‖sa − b‖²/s",
    tight="b = sa",
)
PART, AFTER = Domain((Parameter("s", 0, 1),)), square(a + b)
BELOW = stated(
    "LIT-85",
    "Young's inequality from below",
    r"(1-s)\|a\|^2-\left(\tfrac1s-1\right)\|b\|^2\le\|a+b\|^2,\quad0<s<1",
    "A vector that is moved by b keeps the share 1 − s of its square, but for (1/s − 1) of the square of b.",
    VectorInequality((1 - s) * square(a) - (1 / s - 1) * square(b), AFTER, PART),
    None,
    mutant(
        "half of it taken off",
        VectorInequality((1 - s) * square(a) - (1 / s - 1) / 2 * square(b), AFTER, PART),
        at(s="1/2", a=2, b=-1),
    ),
    mutant(
        "all of a",
        VectorInequality(square(a) - (1 / s - 1) * square(b), AFTER, PART),
        at(s="1/2", a=2, b=-1),
    ),
    because="the right side exceeds the left one by ‖sa + b‖²/s",
    tight="b = −sa",
)
MEAN = p * g_1 + (1 - p) * g_2
ERROR = p * (g_1 - g) ** 2 + (1 - p) * (g_2 - g) ** 2
SPREAD = p * (1 - p) * (g_1 - g_2) ** 2
BIAS = stated(
    "LIT-86",
    "Bias and variance of a pseudo-gradient",
    r"\mathbb E\|G-g\|^2=\|\mathbb EG-g\|^2+\mathbb E\|G-\mathbb EG\|^2",
    "Of a pseudo-gradient with two outcomes the mean squared error against any g is squared bias plus variance.",
    identity(ERROR, (MEAN - g) ** 2 + SPREAD),
    None,
    mutant(
        "variance of equal chances",
        identity(ERROR, (MEAN - g) ** 2 + (g_1 - g_2) ** 2 / 4),
        "unlike chances",
        at(g=0, g_1=1, g_2=0, p="1/4"),
    ),
    mutant("no bias", identity(ERROR, SPREAD), "g is not the mean", at(g=0, g_1=1, g_2=1, p="1/2")),
    because="G − EG has mean 0, and variance p(1 − p) times the squared distance of both outcomes",
)
UNROLLED = stated(
    "LIT-87",
    "A factor 1 + 1/n in each of n steps",
    r"\left(1+\tfrac1n\right)^n\le3",
    "Young's inequality with s = 1/n costs at most a factor 3 over the n local steps of a round.",
    le((1 + 1 / n) ** n, 3),
    free("steps of a round", Integer("n_steps", 1, 300)),
    mutant("5/2", le((1 + 1 / n) ** n, Fraction(5, 2)), at(n_steps=6)),
    mutant("2/n", le((1 + 2 / n) ** n, 3), "two steps"),
    because="the terms of the binomial sum are at most 1/i!, and those sum to less than 1 + 1 + 1/2 + 1/4 + … = 3",
)

CLAIMS = (SHRUNK, ROUND_NOISE, YOUNG, BELOW, BIAS, UNROLLED)
