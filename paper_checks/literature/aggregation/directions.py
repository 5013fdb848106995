"""Directions for several clients: projected, plain and normalised gradients, directions near the mean, diversity.

Source: Yu et al. 2020 (projected gradients); Hu et al. 2022 (normalised gradients of FedMGDA+); Liu et al. 2021
(directions within a ball about the mean gradient, CAGrad); Yin et al. 2018b (gradient diversity).
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.aggregation.letters import LETTERS
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import free
from validation import LogScale, Signed, Uniform
from validation.world import all_of, at, eq, identity, le, mutant, reading

__all__ = ["CLAIMS"]

gg, hh, gh, a_1, cosine, radius, step = LETTERS.symbols("gg hh gh a_1 cosine radius step")
ahead, across, g_1, g_2, g_3 = LETTERS.symbols("ahead across g_1 g_2 g_3")

PROJECTED = stated(
    "LIT-129",
    "Projected gradients descend for both clients",
    r"\langle d,g\rangle=\|g\|^2-\frac{\langle g,h\rangle^2}{\|h\|^2},\quad d=g-\frac{\langle g,h\rangle}{\|h\|^2}h+h-\frac{\langle g,h\rangle}{\|g\|^2}g",
    "The sum of both projected gradients has the product ‖g‖²(1 − cos²) with g: it is nowhere negative.",
    identity((1 - gh / gg) * gg + (1 - gh / hh) * gh, gg - gh**2 / hh),
    None,
    mutant("not projected", identity(gg + gh, gg - gh**2 / hh), "a plain sum leads uphill for the shorter gradient"),
    because="h less its part along g is orthogonal to g",
)
GRADIENTS = free(
    "two gradients",
    *(LogScale("gg", 1e-2, 1e2, at=(1.0,)), LogScale("hh", 1e-2, 1e2, at=(1.0,)), Signed("gh", 1e-2, 1e2)),
    where=(le(gh**2, gg * hh),),
    notation=LETTERS,
)
AGREE = le(0, gh)
PLAIN = stated(
    "LIT-130",
    "The mean gradient lowers both losses",
    r"0\le\langle g+h,g\rangle,\quad0\le\langle g+h,h\rangle",
    "The sum of two gradients has products of at least 0 with both.",
    all_of(le(-gh, gg), le(-gh, hh)),
    GRADIENTS,
    mutant(
        "half the longer one",
        all_of(le(sp.Max(gg, hh) / 2 - gh, gg), le(sp.Max(gg, hh) / 2 - gh, hh)),
        "a long and a short gradient, orthogonal",
        where=[AGREE],
    ),
    because="‖g‖² + ⟨g, h⟩ >= 0 and ‖h‖² + ⟨g, h⟩ >= 0 where the gradients do not conflict",
    only=reading("no conflict", "The gradients have a product of at least 0.", where=[AGREE]),
)
FIRST, SECOND = a_1 + (1 - a_1) * cosine, 1 - a_1 + a_1 * cosine
EQUAL = eq(a_1, sp.Rational(1, 2))
NORMALISED = stated(
    "LIT-131",
    "A mean of normalised gradients lowers both losses",
    r"0\le\langle au+(1-a)v,u\rangle,\quad0\le\langle au+(1-a)v,v\rangle,\quad\|u\|=\|v\|=1",
    "Gradients divided by their norms, under weights, have products of at least 0 with their mean.",
    all_of(le(0, FIRST), le(0, SECOND)),
    free(
        "two normalised gradients and a weight",
        *(Uniform("a_1", 0.01, 0.99, at=(0.5,)), Uniform("cosine", -1.0, 1.0, at=(-1.0, 0.0, 1.0))),
        notation=LETTERS,
    ),
    mutant(
        "a quarter", all_of(le("1/4", FIRST), le("1/4", SECOND)), "opposite gradients have the mean 0", where=[EQUAL]
    ),
    because="both products are (1 + cos)/2 for equal weights",
    only=reading("equal weights", "Both gradients have one weight.", where=[EQUAL]),
)
# A direction d = g·(1 + ξ) + ‖g‖·υ·n, n orthogonal to the mean gradient g.
LENGTH2 = (1 + ahead) ** 2 + across**2
BALL = (
    *(Uniform("ahead", -1.0, 1.0, at=(0.0,)), Uniform("across", -1.0, 1.0, at=(0.0,))),
    Uniform("radius", 0.0, 1.0, at=(0.5,)),
)
WITHIN = le(ahead**2 + across**2, radius**2)
ANGLE = stated(
    "LIT-132",
    "Directions near the mean gradient point along it",
    r"(1-c^2)\|d\|^2\|g\|^2\le\langle d,g\rangle^2,\quad\|d-g\|\le c\|g\|",
    "Within c times its length of the mean gradient, the sine of the angle to it is at most c.",
    le((1 - radius**2) * LENGTH2, (1 + ahead) ** 2),
    free("a direction near the mean gradient", *BALL, where=(WITHIN,), notation=LETTERS),
    mutant("half of c²", le((1 - radius**2 / 2) * LENGTH2, (1 + ahead) ** 2), "a direction that touches the ball"),
    because="the line along d is at least the sine times ‖g‖ from the end of g",
    tight=at(radius="3/5", ahead="-9/25", across="12/25"),
)
DESCENT = stated(
    "LIT-133",
    "A step along a direction near the mean gradient",
    r"\frac{1-c^2}2\|g\|^2\le\langle d,g\rangle-\frac{\eta L}2\|d\|^2,\quad\|d-g\|\le c\|g\|",
    "Steps of up to 1/L within c times its length of the mean gradient keep the share 1 − c² of its descent.",
    le((1 - radius**2) / 2, 1 + ahead - step / 2 * LENGTH2),
    free(
        "a step near the mean gradient", *BALL, Uniform("step", 0.0, 1.0, at=(1.0,)), where=(WITHIN,), notation=LETTERS
    ),
    mutant("all of the descent", le("1/2", 1 + ahead - step / 2 * LENGTH2), "a direction that is not the mean"),
    mutant(
        "1 − c²/2",
        le((1 - radius**2 / 2) / 2, 1 + ahead - step / 2 * LENGTH2),
        "as far as allowed",
    ),
    because="‖d‖²/2 − ⟨d, g⟩ = (‖d − g‖² − ‖g‖²)/2",
    tight=at(radius="1/2", ahead="1/2", across=0, step=1),
)
DIVERSE = stated(
    "LIT-134",
    "Least gradient diversity",
    r"(g_1+g_2+g_3)^2\le3(g_1^2+g_2^2+g_3^2)",
    "The diversity of three clients' gradients, Σ‖g‖²/‖Σg‖², is at least 1/3; entry by entry, so for vectors, too.",
    le((g_1 + g_2 + g_3) ** 2, 3 * (g_1**2 + g_2**2 + g_3**2)),
    free("three gradients", *(Signed(name, 1e-2, 1e2) for name in ("g_1", "g_2", "g_3")), notation=LETTERS),
    mutant("2 for 3", le((g_1 + g_2 + g_3) ** 2, 2 * (g_1**2 + g_2**2 + g_3**2)), "equal gradients"),
    because="the difference is the sum of the squared differences of pairs",
    tight=at(g_1=1, g_2=1, g_3=1),
)

CLAIMS = (PROJECTED, PLAIN, NORMALISED, ANGLE, DESCENT, DIVERSE)
