"""E.2.6 and E.2.7, (50) to (56): all terms of a round together, and their average over the rounds."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.proof_drift import DEGREES, SQUARES, step_coordinates, steps, steps_exact
from paper_checks.fedssa.rounds import of_round
from paper_checks.fedssa.theorem import line_runs, theorem_runs
from validation import (
    Bound,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Identity,
    Inequality,
    Instance,
    LogScale,
    Mechanism,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    symbols,
    units,
)
from validation.statement.domain import Domain, Parameter
from validation.statement.gram import VectorInequality
from validation.statement.says import identity, le, lt
from validation.statement.vectors import inner, square, vectors
from validation.world.mechanisms import always
from validation.world.stated import stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]

_NOISE, _STEPS = Mechanism("noise", (), always), Mechanism("several local steps", (), always)
_UNITS = units({"L": (1, -2), "noise": (1, -1), "extra": (2, -2)})


def kinked(x: Instance, *, tau: int) -> Mapping[str, Any]:
    """E F(θ^(t+1,0)) − F(θ^(t,0)) over how many clients were sent upwards, w equal; lengths in units of ηs."""
    p, L, s = x["share"], x["L"], x["noise"]
    n_clients = p.shape[1]
    eta = x["step"] / (2 * tau * L)
    c, m, start = (x[name] * eta * s for name in ("well", "turn", "start"))

    def slope(at: Any) -> Any:
        return np.where(at >= -m, np.abs(at) - c, at + 2 * m - c)

    def height(at: Any) -> Any:
        near = at * np.abs(at) / 2 - c * at
        return np.where(at >= -m, near, (at**2 + 2 * m**2) / 2 + (2 * m - c) * at)

    ends = []
    for sign in (1, -1):
        at = start - eta * sign * s
        at = at - eta * L * slope(start)
        for _ in range(tau - 1):
            at = at - eta * L * slope(at)
        ends.append(at)
    moved = 0.0 * start
    for up in range(n_clients + 1):
        chance = comb(n_clients, up) / 2**n_clients
        moved = moved + chance * height((up * ends[0] + (n_clients - up) * ends[1]) / n_clients)
    w = 1 / n_clients
    p = w + x["mix"][:, None] * (p - w)
    size = np.abs(start) + c + m + eta * s
    return {
        "fall": L * (moved - height(start)),
        "tau": np.full(len(L), float(tau)),
        "eta": eta,
        "G": (L * slope(start)) ** 2,
        "W_D": 2 * n_clients * ((p - w) ** 2).sum(axis=1),
        "L": L,
        "sigma2": s**2,
        "S": np.full(len(L), w),
        "A": np.ones(len(L)),
        "B": x["extra"],
        "C": 2 * tau * (tau - 1) * (eta * L) ** 2,
        "sizes": {"fall": L * size**2},
    }


def kinked_exact(x: Mapping[str, Any], *, tau: int) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same round over Fractions: F is integrated piece by piece, the clients' mean is binomial."""
    p, L, s, K = x["share"], x["L"], x["noise"], len(x["share"])
    eta = x["step"] / (2 * tau * L)
    c, m, start = x["well"] * eta * s, x["turn"] * eta * s, x["start"] * eta * s

    def gradient(at: Any) -> Any:
        if at < -m:
            return L * (m - c + (at + m))
        return L * ((at if at > 0 else -at) - c)

    def loss(at: Any) -> Any:  # from 0, trapezia between the kinks
        if at >= -m:
            return at * (gradient(Fraction(0)) + gradient(at)) / 2
        return loss(-m) + (at + m) * (gradient(-m) + gradient(at)) / 2

    ends = []
    for sign in (1, -1):
        model = start
        for r in range(tau):
            model -= eta * (gradient(model) + (sign * s if r == 0 else 0))
        ends.append(model)
    after = sum((comb(K, k) * loss((k * ends[0] + (K - k) * ends[1]) / K) for k in range(K + 1)), Fraction(0))
    p = [Fraction(1, K) + x["mix"] * (a - Fraction(1, K)) for a in p]
    met = {
        "F_k L-smooth, F bounded below: slopes -1, 1 and 1 times L between the kinks at 0 and -m": L > 0 and m >= 0,
        "A.3: variance sigma^2 in the first step, 0 in the others": s > 0,
        "A.4 everywhere with A = 1, since every F_k is F": x["extra"] > 0,
        "eta L <= 1/(2 tau)": 0 < 2 * tau * eta * L <= 1,
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
    }
    return met, {
        "fall": after / 2**K - loss(start),
        "tau": Fraction(tau),
        "eta": eta,
        "G": gradient(start) ** 2,
        "W_D": 2 * K * sum((a - Fraction(1, K)) ** 2 for a in p),
        "L": L,
        "sigma2": s * s,
        "S": Fraction(1, K),
        "A": Fraction(1),
        "B": x["extra"],
        "C": 2 * tau * (tau - 1) * eta**2 * L**2,
    }


def kinked_rounds() -> Family:
    """Up to 300 clients and 20 steps, w = 1/K, p anywhere or at w; noise large against the wells of F, and small."""

    def at(K: float, tau: float) -> Case:
        drawn = Space(
            (
                Simplex("share", int(K)),
                Choice("mix", (0.0, 0.0, 0.1, 1.0)),
                LogScale("step", 1e-2, 1.0, at=(0.5,)),
                LogScale("L", 1e-1, 1e1, at=(1.0,)),
                LogScale("noise", 1e-1, 1e1, at=(1.0,)),
                Uniform("start", -3.0, 3.0, at=(0.0,)),
                LogScale("well", 1e-2, 1e1, at=(0.5,)),
                Uniform("turn", 0.0, 5.0, at=(1.5,)),
                LogScale("extra", 1e-8, 1.0, at=(1e-8,)),
            )
        )
        name = f"{int(K)} equal clients with kinks, τ = {int(tau)}"
        on = (_NOISE, _STEPS) if tau > 1 else (_NOISE,)
        cost = max(1.0, (K + tau) / 50)
        return case(name, drawn, kinked, kinked_exact, cost=cost, symmetries=(_UNITS,), mechanisms=on, tau=int(tau))

    return Family("equal clients with kinks", (Size("K", 1, 300, 100), Size("tau", 1, 20, 2)), at)


tau, eta, L, noise, S, G, Q, N1, N2, N3, N6, A, B, C, W_D = symbols("tau eta L noise S G Q N1 N2 N3 N6 A B C W_D")
T, drop, apart, own = symbols("T drop apart own")


_LINE15 = -tau * eta * N1 + L * tau**2 * eta**2 / 2 * N2
_LINE25 = (
    -tau * eta / 2 * G - tau * eta / 2 * (1 - 2 * tau * eta * L) * Q + L * tau * eta**2 * noise * S + tau * eta / 2 * N3
)
_BOUND24 = {N1: G / 2 + Q / 2 - N3 / 2, N2: 2 * noise / tau * S + 2 * Q}

S01 = stated(
    r"""SSA-S01 (step; (13) in (14) to (15), E.2): The update put into the descent inequality
    Print: \langle\nabla F,-\tau\eta\sum_kw_k\mathbf d_k\rangle-\tfrac L2\|\tau\eta\sum_kw_k\mathbf d_k\|^2=-\tau\eta
      N_1+\tfrac{L\tau^2\eta^2}2N_2
    Plainly: With the update −τηΣwₖdₖ the right side of (14) becomes (15).
    Assumes: every expectation and norm a number of its own
    Reading: as printed | Both sides as polynomials.
    Reading: +L/2 in (14) | The descent inequality of smooth functions. | edit: +L/2 in place of −L/2 in (14) | token
      | forced by: (15), the next line, prints +Lτ²η²/2; so does the descent inequality of smooth functions that (14)
      cites | carries: yes
    Mutant: τ instead of τ² | the squared update has τ²η²
    Rests on: SSA-E13, SSA-E14
    Repeats: SSA-E14
    Verdict: A misprint in (14), −L/2 for +L/2; with + the substitution is exact. (15), the next line, prints the
      plus, and so does the descent inequality of smooth functions that (14) cites. As printed the two lines differ by
      Lτ²η²N₂. It has no consequences, as the proof carries on with (15); the slip is counted once, at SSA-E14.""",
    identity(-tau * eta * N1 - L / 2 * (tau * eta) ** 2 * N2, _LINE15),
    readings={
        "+L/2 in (14)": identity(-tau * eta * N1 + L / 2 * (tau * eta) ** 2 * N2, _LINE15),
    },
    mutants={
        "τ instead of τ²": identity(
            -tau * eta * N1 - L / 2 * (tau * eta) ** 2 * N2, -tau * eta * N1 + L * tau * eta**2 / 2 * N2
        ),
    },
)

S05 = stated(
    r"""SSA-S05 (step; (15), (18) and (24) to (25)): Collecting the one-round bound
    Print: -\tau\eta\big(\tfrac12G+\tfrac12Q-\tfrac12N_3\big)+\tfrac{L\tau^2\eta^2}2\big(\tfrac{2\sigma^2}\tau S+2Q
      \big)=-\tfrac{\tau\eta}2G-\tfrac{\tau\eta}2(1-2\tau\eta L)Q+L\tau\eta^2\sigma^2S+\tfrac{\tau\eta}2N_3
    Plainly: The coefficients of ‖∇F‖², ‖Σwh‖², σ²Σw² and N₃ in (25).
    Assumes: every expectation and norm a number of its own
    Reading: as printed | Both sides as polynomials.
    Mutant: 1 − τηL | the 2 of (20) doubles Lτ²η²Q/2
    Rests on: SSA-S02, SSA-S04
    Verdict: All four coefficients are as printed.""",
    identity(_LINE15.subs(_BOUND24), _LINE25),
    mutants={
        "1 − τηL": identity(_LINE15.subs(_BOUND24), _LINE25 - tau * eta / 2 * tau * eta * L * Q),
    },
)

r = sp.Symbol("r", integer=True, nonnegative=True)
_SUMMED = sp.expand(
    L**2 / tau * sp.summation(2 * r * eta**2 * noise, (r, 0, tau - 1))
    + L**2 / tau * sp.summation(2 * r * eta**2 * N6, (r, 0, tau - 1))
)
S12 = stated(
    r"""SSA-S12 (step; (41) in (35) to (43)): Summing over the local steps
    Print: \frac{L^2}\tau\sum_{r=0}^{\tau-1}\big(2r\eta^2\sigma^2+2r\eta^2N_6\big)=(\tau-1)L^2\eta^2\sigma^2+(
      \tau-1)L^2\eta^2N_6
    Plainly: With Σr = τ(τ−1)/2 the drift bound is (τ−1)L²η²(σ² + N₆).
    Assumes: every expectation and norm a number of its own
    Reading: as printed | Both sides as polynomials.
    Mutant: τ in place of τ − 1 | the sum starts at r = 0 and ends at τ − 1
    Rests on: SSA-E35, SSA-E41
    Verdict: True: Σr over 0 <= r < τ is τ(τ−1)/2.""",
    identity(_SUMMED, (tau - 1) * L**2 * eta**2 * noise + (tau - 1) * L**2 * eta**2 * N6),
    mutants={
        "τ in place of τ − 1": identity(_SUMMED, tau * L**2 * eta**2 * (noise + N6)),
    },
)

S13 = stated(
    r"""SSA-S13 (step; (45) in (43) to (46)): The gradients' bound put in
    Print: (\tau-1)L^2\eta^2\sum_s(2L^2D_s+2G_k)=2(\tau-1)\eta^2L^4\sum_sD_s+2(\tau-1)\eta^2L^2\sum_sG_k
    Plainly: The bound on local gradients turns N₆ into distances and the gradient at the start.
    Assumes: every expectation and norm a number of its own
    Reading: as printed | Both sides as polynomials.
    Mutant: L² in place of L⁴ | (45) brings another L²
    Rests on: SSA-E43, SSA-E45
    Verdict: The coefficients are right (`apart` is ΣDₛ, and Σ over s of Gₖ is τGₖ). (46) prints ‖θₖ^(t,0) − θ^(t,s)‖
      for the distance Dₛ = ‖θ^(t,0) − θₖ^(t,s)‖ of (45); θ^(t,s) is defined for s = 0 only.""",
    identity(
        (tau - 1) * L**2 * eta**2 * (2 * L**2 * apart + 2 * tau * own),
        2 * (tau - 1) * eta**2 * L**4 * apart + 2 * (tau - 1) * eta**2 * L**2 * tau * own,
    ),
    mutants={
        "L² in place of L⁴": identity(
            (tau - 1) * L**2 * eta**2 * (2 * L**2 * apart + 2 * tau * own),
            2 * (tau - 1) * eta**2 * L**2 * apart + 2 * (tau - 1) * eta**2 * L**2 * tau * own,
        ),
    },
)

_LINE52 = -tau * eta * (1 - W_D) / 2 * G + tau * eta * A * C / (1 - C) * G
S17 = stated(
    r"""SSA-S17 (step; (52) to (53)): The coefficient of the gradient
    Print: -\frac{\tau\eta(1-W_D)}2G+\frac{\tau\eta AC}{1-C}G=-\frac{\tau\eta}2\Big(1-W_D-\frac{2AC}{1-C}\Big)G
    Plainly: Collecting ‖∇F‖² in (52) gives (53).
    Assumes: every expectation and norm a number of its own
    Reading: as printed | Both sides as polynomials.
    Mutant: AC in place of 2AC | half of 2AC/(1−C) is missing
    Rests on: SSA-S16
    Verdict: True for C ≠ 1; the other terms are the same on both lines. The mistake is one line earlier (SSA-S16).""",
    identity(_LINE52, -tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C)) * G),
    mutants={
        "AC in place of 2AC": identity(_LINE52, -tau * eta / 2 * (1 - W_D - A * C / (1 - C)) * G),
    },
)

_D = 1 - C - 2 * A * C - W_D * (1 - C)
_TERMS = (
    2 * (1 - C) * drop / (tau * eta * T),
    (1 - C) * B * W_D,
    2 * (1 - C) * L * eta * noise * S,
    2 * (tau - 1) * noise * L**2 * eta**2,
    2 * B * C,
)
S19 = stated(
    r"""SSA-S19 (step; (55) to (56)): One denominator
    Print: \sum_{i=1}^5\frac{T_i}{D}=\frac1D\sum_{i=1}^5T_i,\quad D=1-C-2AC-W_D(1-C)
    Plainly: Five fractions over one denominator are one fraction.
    Assumes: every expectation and norm a number of its own
    Reading: as printed | Both sides as polynomials.
    Mutant: T₅ left out | T₅ = 2BC is positive for τ > 1
    Rests on: SSA-S18
    Verdict: True wherever D ≠ 0.""",
    identity(sum(t / _D for t in _TERMS), sum(_TERMS) / _D),
    mutants={
        "T₅ left out": identity(sum(t / _D for t in _TERMS), sum(_TERMS[:4]) / _D),
    },
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


S24 = stated(
    r"""SSA-S24 (step; (31) and (51), against (53) and (56)): The denominator derived again
    Print: -\frac{\tau\eta(1-AW_D)}2+\frac{\tau\eta AC}{1-C}\le-\frac{\tau\eta}{2(1-C)}\big[1-C-2AC-W_D(1-C)\big]
    Plainly: The coefficient of ‖∇F‖² that (31) and (51) give is at most the one with the printed denominator.
    Assumes: the other terms the same on both sides | A > 0, as A.4 says; C < 1
    Reading: as printed | All A > 0, W_D >= 0; both sides times 2(1 − C)/(τη).
    Reading: A <= 1 | The condition under which it is true. | condition: A <= 1 | because: no named setting: A.4
      forces A >= 1 where ∇F is unbounded, and A > 1 for clients that really differ
    Reading: A·W_D(1 − C) | The factor of (29) kept: equal. | edit: A·W_D(1 − C) in place of W_D(1 − C) in the
      denominator | token | forced by: (30), (31) and the first line of (52) print 1 − A·W_D | wrong form in: SSA-TA5
      | carries: no
    Mutant: without 2AC | (51) adds τηAC/(1−C)
    Mutant: A <= 1, AC in place of 2AC | at W_D = 0 the right side is smaller by AC
    Tight: A = 1 or W_D = 0
    Rests on: SSA-S10, SSA-S15, SSA-S17
    Repeats: SSA-E52
    Verdict: Refuted as printed: for A > 1, the usual case (SSA-A4), the printed denominator is too large and the
      bound too small; with A·W_D(1 − C) in place of W_D(1 − C) it is exact. From (31), printed with A·W_D, and (51)
      the coefficient is −τη/2·(1 − A·W_D − 2AC/(1−C)), so the denominator is 1 − C − 2AC − A·W_D(1−C). As the «<=» of
      (52) has it, the printed one need only be the smaller of the two, which it is for A <= 1 (equal for A = 1 or W_D
      = 0, so in Corollary A.8). The lost A is counted once, at SSA-TA5.""",
    _coefficients(0),
    readings={
        "A <= 1": _coefficients(0, 1),
        "A·W_D(1 − C)": Identity(_DERIVED, (1 - C - 2 * A * C - A * W_D * (1 - C)) / (1 - C), _SAMPLE),
    },
    mutants={
        "without 2AC": Identity(_DERIVED, 1 - A * W_D, _SAMPLE),
        "A <= 1, AC in place of 2AC": _coefficients(0, 1, drift=1),
    },
)

a, b = vectors("a b")
S02 = stated(
    r"""SSA-S02 (step; (17) to (18)): Inner product as squares
    Print: 2\langle a,b\rangle=\|a\|^2+\|b\|^2-\|a-b\|^2
    Plainly: Twice an inner product is the sum of the squares less the square of the difference.
    Assumes: any vectors; a = ∇F, b = Σwₖhₖ in (18)
    Reading: not more | For all vectors. | part: not more
    Reading: not less | For all vectors. | part: not less
    Mutant: ‖a + b‖² in place of ‖a − b‖² | that is −2⟨a, b⟩
    Verdict: An identity. In (18) the first vector is fixed given the past, so expectations go through.""",
    VectorInequality(2 * inner(a, b), square(a) + square(b) - square(a - b)),
    readings={
        "not less": VectorInequality(square(a) + square(b) - square(a - b), 2 * inner(a, b)),
    },
    mutants={
        "‖a + b‖² in place of ‖a − b‖²": VectorInequality(2 * inner(a, b), square(a) + square(b) - square(a + b)),
    },
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
S06 = stated(
    r"""SSA-S06 (step; (26)): Weight mismatch and local drift
    Print: \nabla F-\sum_kw_k\mathbf h_k=\sum_k(p_k-w_k)\nabla F_k+\sum_kw_k(\nabla F_k-\mathbf h_k)
    Plainly: The error of a round's direction splits into that of the weights and that of the local steps.
    Assumes: ∇F = Σpₖ∇Fₖ; any real p and w; three clients, and one more
    Reading: squares, not more | All p, w in [−5, 5]. | part: squares, not more
    Reading: squares, not less | All p, w in [−5, 5]. | part: squares, not less
    Reading: one client more | Mismatch and drift so far, whose sum is Σpₖ∇Fₖ − Σwₖhₖ; one coordinate, p and w of any
      size. | part: one client more
    Mutant: p in place of w on the drift | with p₁ = 0, w₁ = 1 and all else 0 the local gradient h₁ is missing
    Verdict: Adding and taking off Σwₖ∇Fₖ; no condition on p or w is needed.""",
    VectorInequality(square(_WHOLE), square(_MISFIT + _DRIFT), _ANY),
    readings={
        "squares, not less": VectorInequality(square(_MISFIT + _DRIFT), square(_WHOLE), _ANY),
        "one client more": identity(
            misfit + drift + p_ * f_ - w_ * h_, misfit + (p_ - w_) * f_ + drift + w_ * (f_ - h_)
        ),
    },
    mutants={
        "p in place of w on the drift": VectorInequality(square(_WHOLE), square(_MISFIT + _WRONG), _ANY),
    },
)


fall = NOTATION.symbols("fall")

tau, eta, L, sigma2, C, A, B, G, W_D, S = symbols("tau eta L sigma2 C A B G W_D S")
NG, W1, N4, T, drop, noise, square_weights, D = symbols("NG W1 N4 T drop noise square_weights D")
_OWN_NOISE = (tau - 1) * eta**2 * sigma2 * L**2 / (1 - C)
_FIFTY = W1 * _OWN_NOISE + C / (1 - C) * NG


def fifty_again(W1: float, tau: float, eta: float, sigma2: float, L: float, C: float, NG: float) -> float:
    """The right side of (50) once more, without τη."""
    return (C * NG + (tau - 1) * W1 * sigma2 * (L * eta) ** 2) / (1 - C)


def fifty_one_again(tau: float, eta: float, sigma2: float, L: float, C: float, A: float, G: float, B: float) -> float:
    """The right side of (51) once more, without τη."""
    return (C * (A * G + B) + (tau - 1) * sigma2 * (L * eta) ** 2) / (1 - C)


E50 = stated(
    r"""SSA-E50 (step; Eq. (50), E.2.6): Weighted drift through each client's own bound
    Print: \tau\eta\sum_kw_k\mathbb E[\|\nabla F_k-\mathbf h_k\|^2]\le\tau\eta\sum_kw_k\Big[\frac{(\tau-1)\eta^2
      \sigma^2L^2}{1-C}+\frac C{1-C}\mathbb E[\|\nabla F_k\|^2]\Big]
    Plainly: The bound (49) of each client is weighted and summed.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said | C < 1
    Reading: weights of sum one, any sign | No sign is stated; the common factor τη left out. | cut weights = any
      sign, sum one | because: w_k >= 0 is printed nowhere
    Reading: weights on the simplex | The same. | condition: w_k >= 0 | met by: FedAvg, w_k := n_k = N_k/ΣN_i
      (Appendix A)
    Mutant: noise dropped | clients at their own minimisers drift by noise alone
    Mutant: gradients dropped | without noise the clients still drift
    Rests on: SSA-E31, SSA-E49
    Repeats: SSA-E31
    Verdict: Inequalities may be weighted by non-negative numbers only. With a negative weight on a client that hardly
      drifts, while its bound is large, the step fails; no sign of w_k is stated. With w_k >= 0, as everyone would
      assume, it holds.""",
    of_round(le(N4, _FIFTY, again=fifty_again), lt(C, 1), weights="sum one", reach=1.4, large=False),
    readings={
        "weights on the simplex": of_round(le(N4, _FIFTY, again=fifty_again), lt(C, 1), reach=1.4),
    },
    mutants={
        "noise dropped": of_round(le(N4, C / (1 - C) * NG), lt(C, 1), reach=1.4),
        "gradients dropped": of_round(le(N4, W1 * _OWN_NOISE), lt(C, 1), reach=1.4),
    },
)

_FIFTY_ONE = _OWN_NOISE + A * C / (1 - C) * G + B * C / (1 - C)
E51 = stated(
    r"""SSA-E51 (step; Eq. (51), E.2.6): Bounded dissimilarity in the drift
    Print: \le\frac{\tau(\tau-1)\sigma^2L^2\eta^3}{1-C}+\frac{\tau\eta AC}{1-C}\mathbb E[\|\nabla F\|^2]+\frac{
      \tau\eta BC}{1-C}
    Plainly: With Assumption 4 the weighted drift is bounded by noise, the gradient of F and B.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said | C < 1 | ‖∇F_k‖² <= A‖∇F‖² + B at θ^(t,0) for every k, A, B > 0
    Reading: non-negative weights of any sum | The left side of (50), τη left out; the sum of the weights is not
      stated. | cut weights = any sum | because: Σw_k = 1 is printed nowhere
    Reading: weights on the simplex | The same. | condition: Σw_k = 1 | met by: FedAvg, w_k := n_k = N_k/ΣN_i
      (Appendix A)
    Mutant: B dropped | at a stationary point of F without noise the clients still drift apart
    Mutant: A‖∇F‖² dropped | one client: A‖∇F‖² may cover the whole gradient, with B as small as wished
    Rests on: SSA-A4, SSA-E50
    Repeats: SSA-E13
    Verdict: Here Σw_k <= 1 is used: the noise and B stand on the right with weight one. The sum is stated nowhere,
      though (13) needs it to be one. On the simplex it holds, with Assumption 4 for every client that has a weight.""",
    of_round(le(N4, _FIFTY_ONE, again=fifty_one_again), lt(C, 1), weights="positive", reach=1.4, large=False),
    readings={
        "weights on the simplex": of_round(le(N4, _FIFTY_ONE, again=fifty_one_again), lt(C, 1), reach=1.4),
    },
    mutants={
        "B dropped": of_round(le(N4, _FIFTY_ONE.subs(B, 0)), lt(C, 1), reach=1.4),
        "A‖∇F‖² dropped": of_round(le(N4, _FIFTY_ONE.subs(A, 0)), lt(C, 1), reach=1.4),
    },
)

_REST = L * tau * eta**2 * sigma2 * S + tau * eta * B * W_D / 2 + tau * (tau - 1) * sigma2 * L**2 * eta**3 / (1 - C)
_REST = _REST + tau * eta * A * C / (1 - C) * G + tau * eta * B * C / (1 - C)
_SECOND = -tau * eta * (1 - W_D) / 2 * G + _REST
_REPAIRED = -tau * eta * (1 - A * W_D) / 2 * G + _REST


def second_again(
    tau: float, eta: float, W_D: float, G: float, L: float, sigma2: float, S: float, B: float, C: float, A: float
) -> float:
    """The right side of (52) once more."""
    drift = ((tau - 1) * sigma2 * (L * eta) ** 2 + C * (A * G + B)) / (1 - C)
    return tau * eta * (drift + L * eta * sigma2 * S + (B * W_D - (1 - W_D) * G) / 2)


def repaired_again(
    tau: float, eta: float, W_D: float, G: float, L: float, sigma2: float, S: float, B: float, C: float, A: float
) -> float:
    """The same with A·W_D before the squared gradient."""
    drift = ((tau - 1) * sigma2 * (L * eta) ** 2 + C * (A * G + B)) / (1 - C)
    return tau * eta * (drift + L * eta * sigma2 * S + (W_D * (A * G + B) - G) / 2)


_KINKED = (kinked_rounds(),)


E52 = stated(
    r"""SSA-E52 (step; Eq. (52), E.2.6): Descent of one round, all terms bounded
    Print: \mathbb E[F(\theta^{(t+1,0)})]-F(\theta^{(t,0)})\le-\frac{\tau\eta(1-W_D)}2\|\nabla F\|^2+L\tau\eta^2
      \sigma^2\sum_kw_k^2+\frac{\tau\eta BW_D}2+\frac{\tau(\tau-1)\sigma^2L^2\eta^3}{1-C}+\frac{\tau\eta AC}{1-C}
      \mathbb E[\|\nabla F\|^2]+\frac{\tau\eta BC}{1-C}
    Plainly: The first line has 1 − A·W_D, the second 1 − W_D: a round lowers F by what the second line says.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said | ‖∇F_k‖² <= A‖∇F‖² + B for every k, A, B > 0 | C < 1, which ηL <= 1/(2τ) gives
    Reading: as printed, 1 − W_D | Quadratic clients on the line, A.4 everywhere.
    Reading: weights learned from the local models | Ours: W_D and Σw_k² at their largest over the noise; A <= 1, so
      that nothing else is in the way. | cut weights = see the round's samples | sees: after the step | ours: the
      largest W_D and Σw_k² over the noise; both are printed outside every expectation, where weights that see the
      noise are excluded (the gap to Algorithm 1 is counted at SSA-E17)
    Reading: A <= 1, weights fixed before the round | Then 1 − W_D is the smaller factor. | condition: A <= 1 |
      because: no named setting: A.4 forces A >= 1 where ∇F is unbounded, and A > 1 for clients that really differ
    Reading: with 1 − A·W_D | As in the first line; weights fixed before the round. | edit: 1 − A·W_D in place of 1 −
      W_D on the second line of (52) | token | forced by: the first line of (52), and (30) and (31), print 1 − A·W_D |
      wrong form in: SSA-TA5 | carries: no
    Mutant: BW_D dropped from the repaired line | at a stationary point of F, with τ = 1 and no noise, other weights
      than p still move the model
    Mutant: noise dropped from the repaired line | one client at its minimiser is moved by noise, which raises F
    Mutant: the drift's noise, of T₄, dropped from the repaired line | many equal clients, F' = L(|θ| − ηs/2) at θ =
      0, s the noise: their mean stays where F' is −Lηs/2
    Rests on: SSA-E31, SSA-E51
    Repeats: SSA-TA5
    Verdict: Refuted as printed: between its two lines the A before W_D is lost; with 1 − A·W_D on the second line,
      too, it holds for weights fixed before the round. (30), (31) and the first line of (52) print 1 − A·W_D. The
      second line is an upper bound only for A <= 1, and whenever the gradient of F is not bounded Assumption 4 forces
      A >= 1 (some ∇F_k grows at least as fast as the mean ∇F); two convex quadratic clients with w ≠ p break it. The
      theorem carries the loss on and counts it (SSA-TA5). At W_D = 0 nothing is lost. Weights that see the noise, a
      reading of ours, break it as well (SSA-E17). The term that becomes T₄ is needed: noise moves the mean path of
      clients whose gradient has kinks (not of quadratic ones).""",
    of_round(le(fall, _SECOND, again=second_again), everywhere=True),
    readings={
        "weights learned from the local models": of_round(
            le(fall, _SECOND, again=second_again), le(A, 1), sees=1, large=False
        ),
        "A <= 1, weights fixed before the round": of_round(
            le(fall, _SECOND, again=second_again), le(A, 1), more=_KINKED
        ),
        "with 1 − A·W_D": of_round(le(fall, _REPAIRED, again=repaired_again), more=_KINKED),
    },
    mutants={
        "BW_D dropped from the repaired line": of_round(le(fall, _REPAIRED - tau * eta * B * W_D / 2), more=_KINKED),
        "noise dropped from the repaired line": of_round(le(fall, _REPAIRED.subs(sigma2, 0)), more=_KINKED),
        "the drift's noise, of T₄, dropped from the repaired line": World(NOTATION, _KINKED).test(
            le(fall, _REPAIRED - tau * (tau - 1) * sigma2 * L**2 * eta**3 / (1 - C))
        ),
    },
)

rest = symbols("rest")
_APART = -tau * eta * (1 - W_D) / 2 * G + rest + tau * eta * A * C / (1 - C) * G
_COLLECTED = -tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C)) * G + rest
E53 = stated(
    r"""SSA-E53 (step; Eq. (53), E.2.6): Terms in ‖∇F‖² collected
    Print: =-\frac{\tau\eta}2\Big(1-W_D-\frac{2AC}{1-C}\Big)\|\nabla F\|^2+L\tau\eta^2\sigma^2\sum_kw_k^2+\frac{
      \tau\eta BW_D}2+\frac{\tau(\tau-1)\sigma^2L^2\eta^3}{1-C}+\frac{\tau\eta BC}{1-C}
    Plainly: The two terms in ‖∇F‖² of (52) are put together.
    Assumes: any constants, C ≠ 1
    Reading: as printed | Equal to the second line of (52); the terms without ‖∇F‖² are the same on both sides.
    Mutant: AC/(1 − C) in place of 2AC/(1 − C) | the bracket is halved by the factor −τη/2 before it
    Rests on: SSA-E52
    Verdict: An identity, ‖∇F(θ^(t,0))‖² being its own expectation given θ^(t,0). It carries the lost factor of (52)
      along.""",
    identity(_APART, _COLLECTED),
    mutants={
        "AC/(1 − C) in place of 2AC/(1 − C)": identity(_APART, -tau * eta / 2 * (1 - W_D - A * C / (1 - C)) * G + rest),
    },
)


tau, eta, L, noise, C, A, B, W_D, grad2 = symbols("tau eta L noise C A B W_D grad2")


def _mean(x: Instance) -> Mapping[str, Any]:
    """τηΣwₖNₖ with Nₖ up to (49) and Gₖ up to A‖∇F‖² + B; `one`: w of any sign that sums to 1."""
    c, w = steps(x), x["weights"]
    if "one" in x:
        w = np.concatenate([w[:, :-1], 1 - w[:, :-1].sum(axis=1, keepdims=True)], axis=1)
    near, cap = 1 - c["C"], x["A"] * x["grad2"] + x["B"]
    gradients = x["gradients"] * cap[:, None]
    a = (c["tau"] - 1) * (c["eta"] * c["L"]) ** 2 * x["noise"]
    drifts = x["drifts"] * (a[:, None] + c["C"][:, None] * gradients) / near[:, None]
    scale = c["tau"] * c["eta"]
    size = scale * np.abs(w).sum(axis=1) * (a + c["C"] * cap) / near
    rest = {k: x[k] for k in ("A", "B", "grad2", "noise")}
    return {**c, **rest, "lhs": scale * (w * drifts).sum(axis=1), "magnitude": size}


def mean_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Weighted drifts N_k within (49), gradients G_k within A |grad F|^2 + B, both any such numbers."""
    met, c = steps_exact(x)
    w = list(x["weights"])
    if "one" in x:
        w = [*w[:-1], 1 - sum(w[:-1])]
    cap, near = x["A"] * x["grad2"] + x["B"], 1 - c["C"]
    a = (c["tau"] - 1) * c["L"] ** 2 * c["eta"] ** 2 * x["noise"]
    G = [f * cap for f in x["gradients"]]
    N = [f * (a / near + c["C"] / near * v) for f, v in zip(x["drifts"], G, strict=True)]
    met = {
        **met,
        "0 <= G_k <= A |grad F|^2 + B": all(0 <= v <= cap for v in G),
        "0 <= N_k <= (49)": all(0 <= v <= a / near + c["C"] / near * u for v, u in zip(N, G, strict=True)),
        "weights sum to one": sum(w) == 1,
        "w_k >= 0 where that is asked": "one" in x or min(w) >= 0,
    }
    lhs = c["tau"] * c["eta"] * sum(a * b for a, b in zip(w, N, strict=True))
    return met, {**c, **{k: x[k] for k in ("A", "B", "grad2", "noise")}, "lhs": lhs}


def _means(*flags: str) -> Family:
    def at(K: float) -> Case:
        n = int(K)
        weights = Signed("weights", 1e-2, 1e1, (n,)) if "one" in flags else Simplex("weights", n)
        drawn = Space(
            (
                *step_coordinates(*flags),
                weights,
                Uniform("gradients", 0.0, 1.0, (n,)),
                Uniform("drifts", 0.0, 1.0, (n,)),
                LogScale("A", 1e-2, 1e2, at=(1.0,)),
                LogScale("B", 1e-4, 1e4, at=(1.0,)),
                LogScale("grad2", 1e-4, 1e4, at=(1.0,)),
            )
        )
        every = dict.fromkeys(("weights", "gradients", "drifts"), 0)
        scaled = units({k: v for k, v in SQUARES.items() if k != "gradients"})
        same = (scaled, *(() if "one" in flags else (permuted_clients(every),)))
        check = ExactCheck(mean_exact, (steps_exact,))
        return Case(f"{n} clients", drawn, _mean, check, max(1.0, n / 100), False, same)

    return Family("drifts of all clients", (Size("K", 1, 300, 3),), at)


def averaged_again(tau: Any, eta: Any, L: Any, noise: Any, C: Any, A: Any, B: Any, grad2: Any) -> Any:
    """(51) over 1 − C."""
    return tau * eta * ((tau - 1) * (eta * L) ** 2 * noise + C * (A * grad2 + B)) / (1 - C)


_LINE51 = (
    tau * (tau - 1) * noise * L**2 * eta**3 / (1 - C)
    + tau * eta * A * C / (1 - C) * grad2
    + tau * eta * B * C / (1 - C)
)


def _s15(*flags: str) -> Inequality:
    return Inequality(Bound(_LINE51, averaged_again, DEGREES), (_means(*flags),), degrees=(1, 0))


S15 = stated(
    r"""SSA-S15 (step; (49) in (31) to (50), (51)): Weighted mean of the drifts
    Print: \tau\eta\sum_kw_kN_k\le\tau\eta\sum_kw_k\Big[\tfrac{(\tau-1)\eta^2\sigma^2L^2}{1-C}+\tfrac C{1-C}G_k\Big]
      \le\tfrac{\tau(\tau-1)\sigma^2L^2\eta^3}{1-C}+\tfrac{\tau\eta AC}{1-C}\|\nabla F\|^2+\tfrac{\tau\eta BC}{1-C}
    Plainly: Weighting the drifts and using A.4 for every client leaves the weights out of the bound.
    Assumes: A.4 for every client | ηL <= 1/(2τ) | the sum and the signs of w are not stated
    Reading: weights that sum to one, of any sign | What (13) needs, and no more. | cut weights = any sign, sum one
    Reading: weights on the simplex | What Jensen's inequality in (31) supposes; never stated of w. | condition: w_k
      >= 0, Σw_k = 1 | met by: FedAvg, w_k := n_k = N_k/ΣN_i (Appendix A)
    Mutant: B left out | every client at A‖∇F‖² + B attains the printed bound
    Tight: all drifts and gradients at their bounds
    Rests on: SSA-S10, SSA-S14, SSA-A4
    Repeats: SSA-E50
    Verdict: On the simplex it is true; what is used is wₖ >= 0 and Σwₖ <= 1. With weights of either sign it fails
      already in (50): the bounds of clients with negative weights do not help, and those with weights above 1 count
      more than once.""",
    _s15("one"),
    readings={
        "weights on the simplex": _s15(),
    },
    mutants={
        "B left out": Inequality(
            Bound(_LINE51 - tau * eta * B * C / (1 - C), degrees=DEGREES), (_means(),), degrees=(1, 0)
        ),
    },
)


def _summed(x: Instance) -> Mapping[str, Any]:
    """Mean of T squared gradients under (53) with equality up to a slack each round, and F_inf below all F(θᵗ)."""
    c, near = steps(x), None
    near = 1 - c["C"]
    D = near - 2 * x["A"] * c["C"] - x["W_D"] * near
    scale = c["tau"] * c["eta"]
    rest = c["L"] * scale * c["eta"] * x["noise"] * x["square_weights"] + scale * x["B"] * x["W_D"] / 2
    rest = rest + scale * ((c["tau"] - 1) * (c["eta"] * c["L"]) ** 2 * x["noise"] + x["B"] * c["C"]) / near
    G = x["gradients"]
    change = -(scale * D / (2 * near))[:, None] * G + rest[:, None] - x["slack"] * rest[:, None]
    fall = np.concatenate([np.zeros((len(G), 1)), -np.cumsum(change, axis=1)], axis=1).max(axis=1)
    size = G.mean(axis=1) + (np.abs(change).sum(axis=1) + rest * G.shape[1]) / (scale * np.abs(D) * G.shape[1])
    kept = {k: x[k] for k in ("A", "B", "W_D", "noise", "square_weights")}
    met = np.abs(D) > 1e-9 if "any_sign" in x else D > 1e-9
    return {
        **c,
        **kept,
        "lhs": G.mean(axis=1),
        "drop": fall + x["room"] * rest,
        "T": np.full(len(G), float(G.shape[1])),
        "admissible": met,
        "magnitude": size,
    }


def summed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Any values F_t and gradients G_t that obey (53) round by round, F_inf <= F_t for all t."""
    met, c = steps_exact(x)
    tau, eta, L, C = c["tau"], c["eta"], c["L"], c["C"]
    A, B, W_D, s2, G = x["A"], x["B"], x["W_D"], x["noise"], x["gradients"]
    rest = L * tau * eta**2 * s2 * x["square_weights"] + tau * eta * B * W_D / 2
    rest += tau * (tau - 1) * s2 * L**2 * eta**3 / (1 - C) + tau * eta * B * C / (1 - C)
    factor = 1 - W_D - 2 * A * C / (1 - C)
    F = [Fraction(0)]
    for g, slack in zip(G, x["slack"], strict=True):
        F.append(F[-1] - tau * eta / 2 * factor * g + rest - slack * rest)
    low = min(F) - x["room"] * rest
    met = {
        **met,
        "(53) in every round": all(F[t + 1] - F[t] <= -tau * eta / 2 * factor * G[t] + rest for t in range(len(G))),
        "F >= F_inf": all(v >= low for v in F),
        "squares": min(G) >= 0,
        "divisor positive where that is asked": "any_sign" in x or factor > 0,
    }
    kept = {k: x[k] for k in ("A", "B", "W_D", "noise", "square_weights")}
    return met, {**c, **kept, "lhs": sum(G) / len(G), "drop": F[0] - low, "T": Fraction(len(G))}


def _sums(*flags: str) -> Family:
    def at(rounds: float) -> Case:
        n = int(rounds)
        drawn = Space(
            (
                *step_coordinates(*flags),
                LogScale("gradients", 1e-4, 1e4, (n,), at=(1.0,)),
                LogScale("A", 1e-2, 1e1, at=(1.0,)),
                LogScale("B", 1e-4, 1e4, at=(1.0,)),
                LogScale("W_D", 1e-4, 5.0, at=(0.5,)),
                LogScale("square_weights", 1e-3, 1.0),
                Uniform("slack", 0.0, 1.0, (n,), at=(0.0, 1.0)),
                LogScale("room", 1e-6, 1.0),
            )
        )
        check = ExactCheck(summed_exact, (steps_exact,))
        return Case(f"{n} rounds", drawn, _summed, check, max(1.0, n / 50), False, (units(SQUARES),))

    return Family("rounds that obey (53)", (Size("rounds", 1, 300, 3),), at)


_T1 = 2 * (1 - C) * drop / (tau * eta * T * _D)
_LINE55 = (
    _T1
    + (1 - C) * B * W_D / _D
    + 2 * (1 - C) * L * eta * noise * square_weights / _D
    + 2 * (tau - 1) * noise * L**2 * eta**2 / _D
    + 2 * B * C / _D
)


def divided_again(
    tau: Any, eta: Any, L: Any, noise: Any, C: Any, A: Any, B: Any, W_D: Any, T: Any, drop: Any, square_weights: Any
) -> Any:
    """(53) summed, over T and over the divisor τη/2·(1 − W_D − 2AC/(1 − C))."""
    rest = L * tau * eta**2 * noise * square_weights + tau * eta * B * W_D / 2
    rest = rest + (tau * (tau - 1) * noise * L**2 * eta**3 + tau * eta * B * C) / (1 - C)
    return (drop / T + rest) / (tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C)))


def _s18(*flags: str) -> Inequality:
    return Inequality(Bound(_LINE55, divided_again, DEGREES), (_sums(*flags),), degrees=(2, -2))


S18 = stated(
    r"""SSA-S18 (step; (53) to (55)): Telescoping and division
    Print: \mathbb E F(\theta^{(t+1,0)})-\mathbb E F(\theta^{(t,0)})\le-\tfrac{\tau\eta}2\big(1-W_D-\tfrac{2AC}{1-C}
      \big)G_t+\dots\ \forall t\ \Rightarrow\ \tfrac1T\sum_tG_t\le(55)
    Plainly: Summing (53) over the rounds and dividing by the coefficient of the gradient gives (55).
    Assumes: F >= F_inf | the sign of 1 − W_D − 2AC/(1−C) is not stated
    Reading: a divisor of any sign | Nothing is said of its sign. | cut denominator = any sign
    Reading: a positive divisor | 1 − C − 2AC − W_D(1−C) > 0. | condition: 1 − C − 2AC − W_D(1 − C) > 0 | met by:
      Corollary A.8, W_D = 0 and η = 1/√(τT), for T > 2(1 + 2A)(τ − 1)L² (τ = 2, L = A = 1, T = 8: the divisor's D is
      1/4)
    Mutant: starting term left out | one round with a large gradient and a large fall
    Tight: equality in every round, ending at F_inf
    Rests on: SSA-S17, SSA-A2
    Repeats: SSA-E55
    Verdict: With a positive divisor the step is exact. Where it is negative the division turns the inequality round,
      and the right side is negative while the left is a mean of squares. Nothing in the theorem keeps it positive:
      not ηL <= 1/(2τ) (SSA-S20), and not the weights, since W_D reaches 2K·2 on the simplex and 2(K − 1) for one
      target client and equal weights.""",
    _s18("any_sign"),
    readings={
        "a positive divisor": _s18(),
    },
    mutants={
        "starting term left out": Inequality(Bound(_LINE55 - _T1, degrees=DEGREES), (_sums(),), degrees=(2, -2)),
    },
)


_REST_AVERAGE = L * tau * eta**2 * noise * square_weights + tau * eta * B * W_D / 2
_REST_AVERAGE = _REST_AVERAGE + tau * (tau - 1) * noise * L**2 * eta**3 / (1 - C) + tau * eta * B * C / (1 - C)


def _rounds(x: Instance) -> Mapping[str, Any]:
    squares = x["squares"]
    return {
        "lhs": squares.min(axis=1),
        "mean": squares.mean(axis=1),
        "last": squares[:, -1],
        "T": 0 * squares[:, 0] + squares.shape[1],
    }


def rounds_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The smallest, the mean and the last of T expected squared gradients."""
    v = x["squares"]
    found = {"lhs": min(v), "mean": sum(v) / len(v), "last": v[-1], "T": Fraction(len(v))}
    return {"squares": min(v) >= 0}, found


def _rounds_case(T: float) -> Case:
    space = Space((LogScale("squares", 1e-4, 1e4, (int(T),)),))
    return Case(f"{int(T)} rounds", space, _rounds, ExactCheck(rounds_exact), cost=max(1.0, T / 200))


_ROUNDS = (Family("rounds", (Size("T", 1, 10_000, 5),), _rounds_case),)
mean, last = symbols("mean last")


def mean_again(mean: float) -> float:
    """The mean, once more."""
    return 1 * mean


E54 = stated(
    r"""SSA-E54 (step; Eq. (54), E.2.6): Smallest and mean squared gradient
    Print: \min_t\mathbb E\|\nabla F(\theta^{(t,0)})\|^2\le\frac1T\sum_t\mathbb E\|\nabla F(\theta^{(t,0)})\|^2
    Plainly: The smallest of T numbers is at most their mean.
    Assumes: T >= 1
    Reading: as printed | Any T expected squared gradients.
    Mutant: the last in place of the mean times 1/T | for T = 2 equal values the last is halved
    Tight: all equal
    Verdict: Nothing but a minimum and a mean.""",
    Inequality(Bound(1 * mean, again=mean_again, degrees={"mean": (2, -2)}), _ROUNDS, degrees=(2, -2)),
    mutants={
        "the last in place of the mean times 1/T": Inequality(Bound(last / T), _ROUNDS),
    },
)

_BRACKET = 1 - C - 2 * A * C - W_D * (1 - C)
_FIVE = (
    2 * (1 - C) * drop / (tau * eta * T * D)
    + (1 - C) * B * W_D / D
    + 2 * (1 - C) * L * eta * noise * square_weights / D
    + 2 * (tau - 1) * noise * L**2 * eta**2 / D
    + 2 * B * C / D
)


def five_again(
    drop: float,
    tau: float,
    eta: float,
    T: float,
    B: float,
    W_D: float,
    L: float,
    noise: float,
    square_weights: float,
    C: float,
    A: float,
) -> float:
    """The right side of (55) once more: (53) divided by the factor of the squared gradient."""
    factor = tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C))
    rest = L * tau * eta**2 * noise * square_weights + tau * eta * B * W_D / 2
    rest = rest + tau * eta * ((tau - 1) * noise * (L * eta) ** 2 + B * C) / (1 - C)
    return (drop / T + rest) / factor


def kept_again(
    drop: float,
    tau: float,
    eta: float,
    T: float,
    B: float,
    W_D: float,
    L: float,
    noise: float,
    square_weights: float,
    C: float,
    A: float,
) -> float:
    """The repaired right side once more."""
    rest = drop / T / (tau * eta / 2) + 2 * L * eta * noise * square_weights + B * W_D
    rest = rest + 2 * ((tau - 1) * noise * (L * eta) ** 2 + B * C) / (1 - C)
    return rest / (1 - A * W_D - 2 * A * C / (1 - C))


def _printed(again: bool, *cases: Case | Family) -> Inequality:
    """The printed right side on these runs."""
    return Inequality(Bound(_FIVE.subs(D, _BRACKET), again=five_again if again else None), cases)


_KEPT = _FIVE.subs(D, 1 - C - 2 * A * C - A * W_D * (1 - C))
E55 = stated(
    r"""SSA-E55 (step; Eq. (55), E.2.6): Bound on the mean squared gradient
    Print: \le\frac{2(1-C)(F(\theta^{(0,0)})-F_{inf})}{\tau\eta T[D]}+\frac{(1-C)BW_D}{[D]}+\frac{2(1-C)L\eta\sigma^2
      \sum w_k^2}{[D]}+\frac{2(\tau-1)\sigma^2L^2\eta^2}{[D]}+\frac{2BC}{[D]},\quad D=1-C-2AC-W_D(1-C)
    Plainly: (53) summed over the rounds and divided by the factor of the squared gradient bounds the mean squared
      gradient.
    Assumes: as in Theorem A.5 | noises independent between the clients, as said below (24) | w on the simplex
    Reading: D of any sign | The smallest squared gradient, which is below the mean, on the left; dividing by D needs
      D > 0. | cut denominator = negative | because: ηL <= 1/(2τ) and C < 1, all that is printed, leave the sign of D
      open
    Reading: D positive | Only instances with D > 0. | because: the A lost in (52)
    Reading: weights learned from the local models | Ours: W_D and Σw² at their largest over the noise; A <= 1, D > 0.
      | cut weights = see the round's samples | sees: after the step | ours: the largest W_D and Σw_k² over the noise;
      both are printed outside every expectation, where weights that see the noise are excluded (the gap to Algorithm
      1 is counted at SSA-E17)
    Reading: A <= 1, D positive, w fixed | Clients with different gradients and A = 1; the mean squared gradient. |
      condition: A <= 1 | condition: D > 0 | because: no named setting: A.4 forces A >= 1 where ∇F is unbounded, and A
      > 1 for clients that really differ
    Reading: A·W_D in place of W_D | The factor lost in (52) restored, D > 0, w fixed; the mean squared gradient. |
      condition: D > 0 | edit: A·W_D in place of W_D in D | token | forced by: (30), (31) and the first line of (52)
      print 1 − A·W_D | wrong form in: SSA-TA5 | carries: no
    Mutant: first term dropped from the repaired bound | with T = 1, no noise, w = p and τ = 1 the rest is 0 while the
      start has a gradient
    Mutant: one noise for all clients, A <= 1 | the noises of ten like clients then add up before they are squared: σ²
      in place of σ²/10
    Rests on: SSA-E53, SSA-E54
    Repeats: SSA-TA5
    Verdict: Refuted as printed: as a bound on the gradients it inherits the factor A lost in (52); with A·W_D in
      place of W_D in D it holds for any A where D > 0. (30), (31) and the first line of (52) print 1 − A·W_D. From
      (53) as printed it does follow by telescoping where D > 0, which is never said (SSA-S18). With A <= 1 and D > 0
      it holds as printed, but A.4 forces A >= 1 wherever ∇F is unbounded, and A > 1 for clients that really differ.
      At W_D = 0 nothing is lost. Weights that see the round's noise, a reading of ours, break it as well (SSA-E17).
      The loss is counted once, at SSA-TA5.""",
    _printed(True, *line_runs(any_denominator=True)),
    readings={
        "D positive": _printed(False, *line_runs(any_denominator=False)),
        "weights learned from the local models": _printed(
            False, *theorem_runs(small=True, learned=True, average=False)
        ),
        "A <= 1, D positive, w fixed": _printed(False, *theorem_runs(small=True)),
        "A·W_D in place of W_D": Inequality(Bound(_KEPT, again=kept_again), theorem_runs()),
    },
    mutants={
        "first term dropped from the repaired bound": Inequality(Bound(_KEPT.subs(drop, 0)), theorem_runs()),
        "one noise for all clients, A <= 1": _printed(False, *theorem_runs(small=True, shared=True)),
    },
)

_BRACED = (
    2 * (1 - C) * drop / (tau * eta * T)
    + (1 - C) * B * W_D
    + 2 * (1 - C) * L * eta * noise * square_weights
    + 2 * (tau - 1) * noise * L**2 * eta**2
    + 2 * B * C
)
E56 = stated(
    r"""SSA-E56 (step; Eq. (56), E.2.6): The form of Theorem A.5
    Print: =\frac1{1-C-2AC-W_D(1-C)}(T_1+T_2+T_3+T_4+T_5)
    Plainly: The five fractions of (55) have one denominator.
    Assumes: any constants
    Reading: as printed | Equal to (55), D a symbol. | part: as printed
    Reading: the terms of Theorem A.5 | Against (53) divided by τη(1 − W_D − 2AC/(1 − C))/2 and multiplied out. |
      part: the terms of Theorem A.5
    Mutant: T₅ = BC | the fifth fraction has 2BC
    Rests on: SSA-E53, SSA-E55, SSA-TA5
    Verdict: An identity. The terms are those of the theorem, and those that (53) gives.""",
    identity(_FIVE, _BRACED / D),
    readings={
        "the terms of Theorem A.5": identity(
            _BRACED, _BRACKET * (drop / T + _REST_AVERAGE) / (tau * eta / 2 * (1 - W_D - 2 * A * C / (1 - C)))
        ),
    },
    mutants={
        "T₅ = BC": identity(_FIVE, (_BRACED - B * C) / D),
    },
)

CLAIMS: tuple[Claim, ...] = (
    S01,
    S02,
    S05,
    S06,
    S12,
    S13,
    S17,
    S19,
    S24,
    E50,
    E51,
    E52,
    E53,
    S15,
    S18,
    E54,
    E55,
    E56,
)
