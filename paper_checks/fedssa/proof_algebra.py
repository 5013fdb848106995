"""E.2, lines of the proof of Theorem A.5 that are algebra: substitution, collection, one denominator."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from validation import Claim, Identity, symbols
from validation.statement.forms.vectors import inner, square, vectors
from validation.world import Domain, Parameter, VectorInequality, identity, mutant, reading, step

__all__ = ["CLAIMS"]

tau, eta, L, noise, S, G, Q, N1, N2, N3, N6, A, B, C, W_D = symbols(
    "tau eta L noise S G Q N1 N2 N3 N6 A B C W_D", positive=True
)
apart, own = symbols("apart own", positive=True)


_LINE15 = -tau * eta * N1 + L * tau**2 * eta**2 / 2 * N2
_LINE25 = (
    -tau * eta / 2 * G - tau * eta / 2 * (1 - 2 * tau * eta * L) * Q + L * tau * eta**2 * noise * S + tau * eta / 2 * N3
)
_BOUND24 = {N1: G / 2 + Q / 2 - N3 / 2, N2: 2 * noise / tau * S + 2 * Q}

S01 = step(
    "SSA-S01",
    "(13) in (14) to (15), E.2",
    "The update put into the descent inequality",
    printed=r"""\langle\nabla F,-\tau\eta\sum_kw_k\mathbf d_k\rangle-\tfrac L2\|\tau\eta\sum_kw_k\mathbf d_k\|^2=-
        \tau\eta N_1+\tfrac{L\tau^2\eta^2}2N_2""",
    plainly="With the update −τηΣwₖdₖ the right side of (14) becomes (15).",
    assumes=["every expectation and norm a number of its own"],
    says=identity(-tau * eta * N1 - L / 2 * (tau * eta) ** 2 * N2, _LINE15),
    readings=[
        reading("as printed", "Both sides as polynomials."),
        reading(
            "+L/2 in (14)",
            "The descent inequality of smooth functions.",
            identity(-tau * eta * N1 + L / 2 * (tau * eta) ** 2 * N2, _LINE15),
            edits=["+L/2 in place of −L/2 in (14)"],
            token=True,
            forced_by="""(15), the next line, prints +Lτ²η²/2; so does the descent inequality of smooth functions that
                (14) cites""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "τ instead of τ²",
            identity(-tau * eta * N1 - L / 2 * (tau * eta) ** 2 * N2, -tau * eta * N1 + L * tau * eta**2 / 2 * N2),
            "the squared update has τ²η²",
        )
    ],
    rests_on=["SSA-E13", "SSA-E14"],
    repeats="SSA-E14",
    verdict="""A misprint in (14), −L/2 for +L/2; with + the substitution is exact. (15), the next line, prints the
        plus, and so does the descent inequality of smooth functions that (14) cites. As printed the two lines differ by
        Lτ²η²N₂. It has no consequences, as the proof carries on with (15); the slip is counted once, at SSA-E14.""",
)

S05 = step(
    "SSA-S05",
    "(15), (18) and (24) to (25)",
    "Collecting the one-round bound",
    printed=r"""-\tau\eta\big(\tfrac12G+\tfrac12Q-\tfrac12N_3\big)+\tfrac{L\tau^2\eta^2}2\big(\tfrac{2\sigma^2}\tau S+
        2Q\big)=-\tfrac{\tau\eta}2G-\tfrac{\tau\eta}2(1-2\tau\eta L)Q+L\tau\eta^2\sigma^2S+\tfrac{\tau\eta}2N_3""",
    plainly="The coefficients of ‖∇F‖², ‖Σwh‖², σ²Σw² and N₃ in (25).",
    assumes=["every expectation and norm a number of its own"],
    says=identity(_LINE15.subs(_BOUND24), _LINE25),
    readings=[reading("as printed", "Both sides as polynomials.")],
    mutants=[
        mutant(
            "1 − τηL",
            identity(_LINE15.subs(_BOUND24), _LINE25 - tau * eta / 2 * tau * eta * L * Q),
            "the factor of (20) doubles Lτ²η²Q/2",
        )
    ],
    rests_on=["SSA-S02", "SSA-S04"],
    verdict="All four coefficients are as printed.",
)

r = sp.Symbol("r", integer=True, nonnegative=True)
_SUMMED = sp.expand(
    L**2 / tau * sp.summation(2 * r * eta**2 * noise, (r, 0, tau - 1))
    + L**2 / tau * sp.summation(2 * r * eta**2 * N6, (r, 0, tau - 1))
)
S12 = step(
    "SSA-S12",
    "(41) in (35) to (43)",
    "Summing over the local steps",
    printed=r"""\frac{L^2}\tau\sum_{r=0}^{\tau-1}\big(2r\eta^2\sigma^2+2r\eta^2N_6\big)=(\tau-1)L^2\eta^2\sigma^2+
        (\tau-1)L^2\eta^2N_6""",
    plainly="With Σr = τ(τ−1)/2 the drift bound is (τ−1)L²η²(σ² + N₆).",
    assumes=["every expectation and norm a number of its own"],
    says=identity(_SUMMED, (tau - 1) * L**2 * eta**2 * noise + (tau - 1) * L**2 * eta**2 * N6),
    readings=[reading("as printed", "Both sides as polynomials.")],
    mutants=[
        mutant(
            "τ in place of τ − 1",
            identity(_SUMMED, tau * L**2 * eta**2 * (noise + N6)),
            "the sum starts at r = 0 and ends at τ − 1",
        )
    ],
    rests_on=["SSA-E35", "SSA-E41"],
    verdict="True: Σr over 0 <= r < τ is τ(τ−1)/2.",
)

S13 = step(
    "SSA-S13",
    "(45) in (43) to (46)",
    "The gradients' bound put in",
    printed=r"(\tau-1)L^2\eta^2\sum_s(2L^2D_s+2G_k)=2(\tau-1)\eta^2L^4\sum_sD_s+2(\tau-1)\eta^2L^2\sum_sG_k",
    plainly="The bound on local gradients turns N₆ into distances and the gradient at the start.",
    assumes=["every expectation and norm a number of its own"],
    says=identity(
        (tau - 1) * L**2 * eta**2 * (2 * L**2 * apart + 2 * tau * own),
        2 * (tau - 1) * eta**2 * L**4 * apart + 2 * (tau - 1) * eta**2 * L**2 * tau * own,
    ),
    readings=[reading("as printed", "Both sides as polynomials.")],
    mutants=[
        mutant(
            "L² in place of L⁴",
            identity(
                (tau - 1) * L**2 * eta**2 * (2 * L**2 * apart + 2 * tau * own),
                2 * (tau - 1) * eta**2 * L**2 * apart + 2 * (tau - 1) * eta**2 * L**2 * tau * own,
            ),
            "(45) brings another L²",
        )
    ],
    rests_on=["SSA-E43", "SSA-E45"],
    verdict="""The coefficients are right (`apart` is ΣDₛ, and Σ over s of Gₖ is τGₖ). (46) prints ‖θₖ^(t,0) − θ^(t,s)‖
        for the distance Dₛ = ‖θ^(t,0) − θₖ^(t,s)‖ of (45); θ^(t,s) is defined for s = 0 only.""",
)

_LINE52 = -tau * eta * (1 - W_D) / 2 * G + tau * eta * A * C / (1 - C) * G
S17 = step(
    "SSA-S17",
    "(52) to (53)",
    "The coefficient of the gradient",
    printed=r"-\frac{\tau\eta(1-W_D)}2G+\frac{\tau\eta AC}{1-C}G=-\frac{\tau\eta}2\Big(1-W_D-\frac{2AC}{1-C}\Big)G",
    plainly="Collecting ‖∇F‖² in (52) gives (53).",
    assumes=["every expectation and norm a number of its own"],
    says=identity(_LINE52, -tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C)) * G),
    readings=[reading("as printed", "Both sides as polynomials.")],
    mutants=[
        mutant(
            "AC in place of 2AC",
            identity(_LINE52, -tau * eta / 2 * (1 - W_D - A * C / (1 - C)) * G),
            "half of 2AC/(1−C) is missing",
        )
    ],
    rests_on=["SSA-S16"],
    verdict="True for C ≠ 1; the other terms are the same on both lines. The mistake is one line earlier (SSA-S16).",
)

_SAMPLE = tuple(Fraction(1, n) for n in (2, 3, 4))  # so that C < 1, as the proof supposes
_DERIVED = 1 - A * W_D - 2 * A * C / (1 - C)
g = vectors("g")
_LOST = sp.Symbol("A", real=True), sp.Symbol("C", real=True), sp.Symbol("W", real=True)


def _coefficients(*A: Any, drift: int = 2) -> VectorInequality:
    """2(1 − C)/(τη) times the terms in ‖∇F‖² of (31) and (51), against minus the denominator of (56); A in that range."""
    a_, c_, w_ = _LOST
    left = -(1 - c_) * (1 - a_ * w_) + 2 * a_ * c_
    right = -(1 - c_ - drift * a_ * c_ - w_ * (1 - c_))
    return VectorInequality(
        left * square(g), right * square(g), Domain((Parameter("A", *A), Parameter("C", 0, 1), Parameter("W", 0)))
    )


S24 = step(
    "SSA-S24",
    "(31) and (51), against (53) and (56)",
    "The denominator derived again",
    printed=r"-\frac{\tau\eta(1-AW_D)}2+\frac{\tau\eta AC}{1-C}\le-\frac{\tau\eta}{2(1-C)}\big[1-C-2AC-W_D(1-C)\big]",
    plainly="The coefficient of ‖∇F‖² that (31) and (51) give is at most the one with the printed denominator.",
    assumes=["the other terms the same on both sides", "A > 0, as A.4 says; C < 1"],
    says=_coefficients(0),
    readings=[
        reading("as printed", "All A > 0, W_D >= 0; both sides times 2(1 − C)/(τη)."),
        reading(
            "A <= 1",
            "The condition under which it is true.",
            _coefficients(0, 1),
            conditions=["A <= 1"],
            because="""no named setting: A.4 forces A >= 1 where ∇F is unbounded, and A > 1 where ⟨∇F, ∇Fₖ − ∇F⟩ is, too""",
        ),
        reading(
            "A·W_D(1 − C)",
            "The factor of (29) kept: equal.",
            Identity(_DERIVED, (1 - C - 2 * A * C - A * W_D * (1 - C)) / (1 - C), _SAMPLE),
            edits=["A·W_D(1 − C) in place of W_D(1 − C) in the denominator"],
            token=True,
            forced_by="(30), (31) and the first line of (52) print 1 − A·W_D",
            wrong_form_in=["SSA-TA5"],
            carries=False,
        ),
    ],
    mutants=[
        mutant("without 2AC", Identity(_DERIVED, 1 - A * W_D, _SAMPLE), "(51) adds τηAC/(1−C)"),
        mutant(
            "A <= 1, AC in place of 2AC", _coefficients(0, 1, drift=1), "at W_D = 0 the right side is smaller by AC"
        ),
    ],
    tight="A = 1 or W_D = 0",
    rests_on=["SSA-S10", "SSA-S15", "SSA-S17"],
    repeats="SSA-E52",
    verdict="""Refuted as printed: for A > 1, the usual case (SSA-A4), the printed denominator is too large and the
        bound too small; with A·W_D(1 − C) in place of W_D(1 − C) it is exact. From (31), printed with A·W_D, and (51)
        the coefficient is −τη/2·(1 − A·W_D − 2AC/(1−C)), so the denominator is 1 − C − 2AC − A·W_D(1−C). As the «<=» of
        (52) has it, the printed one need only be the smaller of the two, which it is for A <= 1 (equal for A = 1 or W_D
        = 0, so in Corollary A.8). The lost A is counted once, at SSA-TA5.""",
)

a, b = vectors("a b")
S02 = step(
    "SSA-S02",
    "(17) to (18)",
    "Inner product as squares",
    printed=r"2\langle a,b\rangle=\|a\|^2+\|b\|^2-\|a-b\|^2",
    plainly="Twice an inner product is the sum of the squares less the square of the difference.",
    assumes=["any vectors; a = ∇F, b = Σwₖhₖ in (18)"],
    says=VectorInequality(2 * inner(a, b), square(a) + square(b) - square(a - b)),
    readings=[
        reading("not more", "For all vectors.", part="not more"),
        reading(
            "not less",
            "For all vectors.",
            VectorInequality(square(a) + square(b) - square(a - b), 2 * inner(a, b)),
            part="not less",
        ),
    ],
    mutants=[
        mutant(
            "‖a + b‖² in place of ‖a − b‖²",
            VectorInequality(2 * inner(a, b), square(a) + square(b) - square(a + b)),
            "that is −2⟨a, b⟩",
        )
    ],
    verdict="An identity. In (18) the first vector is fixed given the past, so expectations go through.",
)

g1, g2, g3, h1, h2, h3 = vectors("g1 g2 g3 h1 h2 h3")
_PARAMETERS = tuple(Parameter(f"{c}{k}", -5, 5) for c in "pw" for k in (1, 2, 3))
p1, p2, p3, w1, w2, w3 = sp.symbols("p1 p2 p3 w1 w2 w3", real=True)
_WHOLE = p1 * g1 + p2 * g2 + p3 * g3 - w1 * h1 - w2 * h2 - w3 * h3
_MISFIT = (p1 - w1) * g1 + (p2 - w2) * g2 + (p3 - w3) * g3
_DRIFT = w1 * (g1 - h1) + w2 * (g2 - h2) + w3 * (g3 - h3)
_WRONG = p1 * (g1 - h1) + p2 * (g2 - h2) + p3 * (g3 - h3)
_ANY = Domain(_PARAMETERS)
misfit, drift, p_, w_, f_, h_ = symbols("misfit drift p w f h", positive=True)
S06 = step(
    "SSA-S06",
    "(26)",
    "Weight mismatch and local drift",
    printed=r"\nabla F-\sum_kw_k\mathbf h_k=\sum_k(p_k-w_k)\nabla F_k+\sum_kw_k(\nabla F_k-\mathbf h_k)",
    plainly="The error of a round's direction splits into that of the weights and that of the local steps.",
    assumes=["∇F = Σpₖ∇Fₖ; any real p and w; three clients, and one more"],
    says=VectorInequality(square(_WHOLE), square(_MISFIT + _DRIFT), _ANY),
    readings=[
        reading("squares, not more", "All p, w in [−5, 5].", part="squares, not more"),
        reading(
            "squares, not less",
            "All p, w in [−5, 5].",
            VectorInequality(square(_MISFIT + _DRIFT), square(_WHOLE), _ANY),
            part="squares, not less",
        ),
        reading(
            "one client more",
            "Mismatch and drift so far, whose sum is Σpₖ∇Fₖ − Σwₖhₖ; one coordinate, p and w of any size.",
            identity(misfit + drift + p_ * f_ - w_ * h_, misfit + (p_ - w_) * f_ + drift + w_ * (f_ - h_)),
            part="one client more",
        ),
    ],
    mutants=[
        mutant(
            "p in place of w on the drift",
            VectorInequality(square(_WHOLE), square(_MISFIT + _WRONG), _ANY),
            "with p₁ = 0, w₁ = 1 and all else 0 the local gradient h₁ is missing",
        )
    ],
    verdict="Adding and taking off Σwₖ∇Fₖ; no condition on p or w is needed.",
)

CLAIMS: tuple[Claim, ...] = (S01, S05, S12, S13, S17, S24, S02, S06)
