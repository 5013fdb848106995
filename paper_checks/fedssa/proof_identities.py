"""Algebra of the proof E.2 that is an equality: substitutions, splittings and coefficients."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from validation import Canary, Claim, Identity, Kind, Reading, symbols
from validation.statement.domain import Domain, Parameter
from validation.statement.gram import VectorInequality
from validation.statement.vectors import inner, square, vectors

__all__ = ["CLAIMS"]

tau, eta, L, noise, S, G, Q, N1, N2, N3, N6, A, B, C, W_D = symbols("tau eta L noise S G Q N1 N2 N3 N6 A B C W_D")
T, drop, apart, own = symbols("T drop apart own")


def _step(
    key: str,
    source: str,
    title: str,
    statement: str,
    says: str,
    sides: tuple[Any, Any],
    mutant: tuple[str, Any, str],
    words: str,
    *,
    depends: tuple[str, ...],
    edits: tuple[Reading, ...] = (),
    assumes: tuple[str, ...] = ("every expectation and norm a number of its own",),
) -> Claim:
    left, right = sides
    name, wrong, why = mutant
    return Claim(
        id=key,
        kind=Kind.IDENTITY,
        source=source,
        title=title,
        statement=statement,
        says=says,
        assumes=assumes,
        readings=(Reading("as printed", "Both sides as polynomials.", Identity(left, right)), *edits),
        canaries=(Canary(name, Identity(left, wrong), why),),
        depends_on=depends,
        verdict_words=words,
    )


_LINE15 = -tau * eta * N1 + L * tau**2 * eta**2 / 2 * N2
_LINE25 = (
    -tau * eta / 2 * G - tau * eta / 2 * (1 - 2 * tau * eta * L) * Q + L * tau * eta**2 * noise * S + tau * eta / 2 * N3
)
_BOUND24 = {N1: G / 2 + Q / 2 - N3 / 2, N2: 2 * noise / tau * S + 2 * Q}

S01 = _step(
    "SSA-S01",
    "(13) in (14) to (15), E.2",
    "The update put into the descent inequality",
    r"\langle\nabla F,-\tau\eta\sum_kw_k\mathbf d_k\rangle-\tfrac L2\|\tau\eta\sum_kw_k\mathbf d_k\|^2"
    r"=-\tau\eta N_1+\tfrac{L\tau^2\eta^2}2N_2",
    "With the update −τηΣwₖdₖ the right side of (14) becomes (15).",
    (-tau * eta * N1 - L / 2 * (tau * eta) ** 2 * N2, _LINE15),
    ("τ instead of τ²", -tau * eta * N1 + L * tau * eta**2 / 2 * N2, "the squared update has τ²η²"),
    "A misprint in (14), −L/2 for +L/2; with + the substitution is exact. (15), the next line, prints the plus, "
    "and so does the descent inequality of smooth functions that (14) cites. As printed the two lines differ by "
    "Lτ²η²N₂. It has no consequences, as the proof carries on with (15); the slip is counted once, at SSA-E14.",
    depends=("SSA-E13", "SSA-E14"),
    edits=(
        Reading(
            "+L/2 in (14)",
            "The descent inequality of smooth functions.",
            Identity(-tau * eta * N1 + L / 2 * (tau * eta) ** 2 * N2, _LINE15),
            repair="edit",
        ),
    ),
)

S05 = _step(
    "SSA-S05",
    "(15), (18) and (24) to (25)",
    "Collecting the one-round bound",
    r"-\tau\eta\big(\tfrac12G+\tfrac12Q-\tfrac12N_3\big)+\tfrac{L\tau^2\eta^2}2\big(\tfrac{2\sigma^2}\tau S+2Q\big)="
    r"-\tfrac{\tau\eta}2G-\tfrac{\tau\eta}2(1-2\tau\eta L)Q+L\tau\eta^2\sigma^2S+\tfrac{\tau\eta}2N_3",
    "The coefficients of ‖∇F‖², ‖Σwh‖², σ²Σw² and N₃ in (25).",
    (_LINE15.subs(_BOUND24), _LINE25),
    ("1 − τηL", _LINE25 - tau * eta / 2 * tau * eta * L * Q, "the 2 of (20) doubles Lτ²η²Q/2"),
    "All four coefficients are as printed.",
    depends=("SSA-S02", "SSA-S04"),
)

r = sp.Symbol("r", integer=True, nonnegative=True)
_SUMMED = sp.expand(
    L**2 / tau * sp.summation(2 * r * eta**2 * noise, (r, 0, tau - 1))
    + L**2 / tau * sp.summation(2 * r * eta**2 * N6, (r, 0, tau - 1))
)
S12 = _step(
    "SSA-S12",
    "(41) in (35) to (43)",
    "Summing over the local steps",
    r"\frac{L^2}\tau\sum_{r=0}^{\tau-1}\big(2r\eta^2\sigma^2+2r\eta^2N_6\big)=(\tau-1)L^2\eta^2\sigma^2+(\tau-1)L^2\eta^2N_6",
    "With Σr = τ(τ−1)/2 the drift bound is (τ−1)L²η²(σ² + N₆).",
    (_SUMMED, (tau - 1) * L**2 * eta**2 * noise + (tau - 1) * L**2 * eta**2 * N6),
    ("τ in place of τ − 1", tau * L**2 * eta**2 * (noise + N6), "the sum starts at r = 0 and ends at τ − 1"),
    "True: Σr over 0 <= r < τ is τ(τ−1)/2.",
    depends=("SSA-E35", "SSA-E41"),
)

S13 = _step(
    "SSA-S13",
    "(45) in (43) to (46)",
    "The gradients' bound put in",
    r"(\tau-1)L^2\eta^2\sum_s(2L^2D_s+2G_k)=2(\tau-1)\eta^2L^4\sum_sD_s+2(\tau-1)\eta^2L^2\sum_sG_k",
    "The bound on local gradients turns N₆ into distances and the gradient at the start.",
    (
        (tau - 1) * L**2 * eta**2 * (2 * L**2 * apart + 2 * tau * own),
        2 * (tau - 1) * eta**2 * L**4 * apart + 2 * (tau - 1) * eta**2 * L**2 * tau * own,
    ),
    (
        "L² in place of L⁴",
        2 * (tau - 1) * eta**2 * L**2 * apart + 2 * (tau - 1) * eta**2 * L**2 * tau * own,
        "(45) brings another L²",
    ),
    "The coefficients are right (`apart` is ΣDₛ, and Σ over s of Gₖ is τGₖ). (46) prints ‖θₖ^(t,0) − θ^(t,s)‖ for the "
    "distance Dₛ = ‖θ^(t,0) − θₖ^(t,s)‖ of (45); θ^(t,s) is defined for s = 0 only.",
    depends=("SSA-E43", "SSA-E45"),
)

_LINE52 = -tau * eta * (1 - W_D) / 2 * G + tau * eta * A * C / (1 - C) * G
S17 = _step(
    "SSA-S17",
    "(52) to (53)",
    "The coefficient of the gradient",
    r"-\frac{\tau\eta(1-W_D)}2G+\frac{\tau\eta AC}{1-C}G=-\frac{\tau\eta}2\Big(1-W_D-\frac{2AC}{1-C}\Big)G",
    "Collecting ‖∇F‖² in (52) gives (53).",
    (_LINE52, -tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C)) * G),
    ("AC in place of 2AC", -tau * eta / 2 * (1 - W_D - A * C / (1 - C)) * G, "half of 2AC/(1−C) is missing"),
    "True for C ≠ 1; the other terms are the same on both lines. The mistake is one line earlier (SSA-S16).",
    depends=("SSA-S16",),
)

_D = 1 - C - 2 * A * C - W_D * (1 - C)
_TERMS = (
    2 * (1 - C) * drop / (tau * eta * T),
    (1 - C) * B * W_D,
    2 * (1 - C) * L * eta * noise * S,
    2 * (tau - 1) * noise * L**2 * eta**2,
    2 * B * C,
)
S19 = _step(
    "SSA-S19",
    "(55) to (56)",
    "One denominator",
    r"\sum_{i=1}^5\frac{T_i}{D}=\frac1D\sum_{i=1}^5T_i,\quad D=1-C-2AC-W_D(1-C)",
    "Five fractions over one denominator are one fraction.",
    (sum(t / _D for t in _TERMS), sum(_TERMS) / _D),
    ("T₅ left out", sum(_TERMS[:4]) / _D, "T₅ = 2BC is positive for τ > 1"),
    "True wherever D ≠ 0.",
    depends=("SSA-S18",),
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


S24 = Claim(
    id="SSA-S24",
    kind=Kind.INEQUALITY,
    source="(31) and (51), against (53) and (56)",
    title="The denominator derived again",
    statement=(
        r"-\frac{\tau\eta(1-AW_D)}2+\frac{\tau\eta AC}{1-C}\le-\frac{\tau\eta}{2(1-C)}\big[1-C-2AC-W_D(1-C)\big]"
    ),
    says="The coefficient of ‖∇F‖² that (31) and (51) give is at most the one with the printed denominator.",
    assumes=("the other terms the same on both sides", "A > 0, as A.4 says; C < 1"),
    readings=(
        Reading("as printed", "All A > 0, W_D >= 0; both sides times 2(1 − C)/(τη).", _coefficients(0)),
        Reading("A <= 1", "The condition under which it is true.", _coefficients(0, 1), repair="condition"),
        Reading(
            "A·W_D(1 − C)",
            "The factor of (29) kept: equal.",
            Identity(_DERIVED, (1 - C - 2 * A * C - A * W_D * (1 - C)) / (1 - C), _SAMPLE),
            repair="edit",
        ),
    ),
    canaries=(
        Canary("without 2AC", Identity(_DERIVED, 1 - A * W_D, _SAMPLE), "(51) adds τηAC/(1−C)"),
        Canary(
            "A <= 1, AC in place of 2AC", _coefficients(0, 1, drift=1), "at W_D = 0 the right side is smaller by AC"
        ),
    ),
    tight="A = 1 or W_D = 0",
    depends_on=("SSA-S10", "SSA-S15", "SSA-S17"),
    verdict_words=(
        "Refuted as printed: for A > 1, the usual case (SSA-A4), the printed denominator is too large and the bound "
        "too small; with A·W_D(1 − C) in place of W_D(1 − C) it is exact. From (31), printed with A·W_D, and (51) the "
        "coefficient is −τη/2·(1 − A·W_D − 2AC/(1−C)), so the denominator is 1 − C − 2AC − A·W_D(1−C). As the «<=» of "
        "(52) has it, the printed one need only be the smaller of the two, which it is for A <= 1 (equal for A = 1 or "
        "W_D = 0, so in Corollary A.8). The lost A is counted once, at SSA-TA5."
    ),
)

a, b = vectors("a b")
S02 = Claim(
    id="SSA-S02",
    kind=Kind.IDENTITY,
    source="(17) to (18)",
    title="Inner product as squares",
    statement=r"2\langle a,b\rangle=\|a\|^2+\|b\|^2-\|a-b\|^2",
    says="Twice an inner product is the sum of the squares less the square of the difference.",
    assumes=("any vectors; a = ∇F, b = Σwₖhₖ in (18)",),
    readings=(
        Reading(
            "not more", "For all vectors.", VectorInequality(2 * inner(a, b), square(a) + square(b) - square(a - b))
        ),
        Reading(
            "not less", "For all vectors.", VectorInequality(square(a) + square(b) - square(a - b), 2 * inner(a, b))
        ),
    ),
    canaries=(
        Canary(
            "‖a + b‖² in place of ‖a − b‖²",
            VectorInequality(2 * inner(a, b), square(a) + square(b) - square(a + b)),
            "that is −2⟨a, b⟩",
        ),
    ),
    verdict_words="An identity. In (18) the first vector is fixed given the past, so expectations go through.",
)

g1, g2, g3, h1, h2, h3 = vectors("g1 g2 g3 h1 h2 h3")
_PARAMETERS = tuple(Parameter(f"{c}{k}", -5, 5) for c in "pw" for k in (1, 2, 3))
p1, p2, p3, w1, w2, w3 = sp.symbols("p1 p2 p3 w1 w2 w3", real=True)
_WHOLE = p1 * g1 + p2 * g2 + p3 * g3 - w1 * h1 - w2 * h2 - w3 * h3
_MISFIT = (p1 - w1) * g1 + (p2 - w2) * g2 + (p3 - w3) * g3
_DRIFT = w1 * (g1 - h1) + w2 * (g2 - h2) + w3 * (g3 - h3)
_WRONG = p1 * (g1 - h1) + p2 * (g2 - h2) + p3 * (g3 - h3)
_ANY = Domain(_PARAMETERS)
misfit, drift, p_, w_, f_, h_ = symbols("misfit drift p w f h")
S06 = Claim(
    id="SSA-S06",
    kind=Kind.IDENTITY,
    source="(26)",
    title="Weight mismatch and local drift",
    statement=r"\nabla F-\sum_kw_k\mathbf h_k=\sum_k(p_k-w_k)\nabla F_k+\sum_kw_k(\nabla F_k-\mathbf h_k)",
    says="The error of a round's direction splits into that of the weights and that of the local steps.",
    assumes=("∇F = Σpₖ∇Fₖ; any real p and w; three clients, and one more",),
    readings=(
        Reading(
            "squares, not more",
            "All p, w in [−5, 5].",
            VectorInequality(square(_WHOLE), square(_MISFIT + _DRIFT), _ANY),
        ),
        Reading(
            "squares, not less",
            "All p, w in [−5, 5].",
            VectorInequality(square(_MISFIT + _DRIFT), square(_WHOLE), _ANY),
        ),
        Reading(
            "one client more",
            "Mismatch and drift so far, whose sum is Σpₖ∇Fₖ − Σwₖhₖ; one coordinate, p and w of any size.",
            Identity(misfit + drift + p_ * f_ - w_ * h_, misfit + (p_ - w_) * f_ + drift + w_ * (f_ - h_)),
        ),
    ),
    canaries=(
        Canary(
            "p in place of w on the drift",
            VectorInequality(square(_WHOLE), square(_MISFIT + _WRONG), _ANY),
            "with p₁ = 0, w₁ = 1 and all else 0 the local gradient h₁ is missing",
        ),
    ),
    verdict_words="Adding and taking off Σwₖ∇Fₖ; no condition on p or w is needed.",
)

CLAIMS: tuple[Claim, ...] = (S01, S02, S05, S06, S12, S13, S17, S19, S24)
