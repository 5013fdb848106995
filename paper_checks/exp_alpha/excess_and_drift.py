"""A.10, (19) to (21): C in terms of the excess at the mean model and the drift, and the signs used on the way."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Rational

from paper_checks.exp_alpha.drawing import drawn, over, positive, quadratics, ranging, signed
from paper_checks.exp_alpha.notation import NOTATION, Plain, Seen
from paper_checks.exp_alpha.one_step import one_step_sums
from validation import Case, Instance, Integer, LogScale, Simplex, symbols
from validation.world import Coordinate, World, all_of, at, eq, identity, le, lt, mutant, numbers, reading, step

__all__ = ["CLAIMS"]

eta, L, local, about, drift, Omega, Gamma, lin = NOTATION.symbols("eta L local about drift Omega Gamma lin")
grad2, now, bend, eta_l, kappa, t = NOTATION.symbols("grad2 now bend length kappa t")
r1, r2, P1, P2, M1, M2, S1, S2, V1, V2, D1, D2 = symbols("r1 r2 P1 P2 M1 M2 S1 S2 V1 V2 D1 D2", positive=True)

_GAMMA_T = 2 * eta * (1 - 2 * L * eta)


def _sum(first: Any, second: Any) -> Any:
    """Σρᵢ(·) over two clients of weights r1, r2."""
    return r1 * first + r2 * second


# Fᵢ(Wᵢ) is P, Fᵢ(Wᵢ*) M, Fᵢ(W*) S, Fᵢ(W̄) V and ‖Wᵢ − W̄‖² D.
_C = 4 * L * eta**2 * _sum(P1 - M1, P2 - M2) + 2 * eta * _sum(S1 - P1, S2 - P2)
_GAMMA_SUM = _sum(S1 - M1, S2 - M2)
_REARRANGED = -_GAMMA_T * _sum(P1 - S1, P2 - S2) + 4 * L * eta**2 * _GAMMA_SUM

E19 = step(
    "EA-E19",
    "A.10, display (19)",
    "C in terms of γₜ and Γₜ",
    printed=r"""C=4L\eta_t^2\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))+2\eta_t\sum_i\rho_i^{t+
        1}(F_i(\mathbf W^*)-F_i(\mathbf W_i^t))=-\gamma_t\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W^*))+4L
        \eta_t^2\Gamma_t""",
    plainly="The terms called C regroup into a multiple of the excess at the local models and one of Γₜ.",
    assumes=["γₜ = 2ηₜ(1 − 2Lηₜ)", "Γₜ = Σρᵢᵗ⁺¹(Fᵢ(W*) − Fᵢ(Wᵢ*))", "two clients stand for N, by linearity"],
    says=identity(_C, _REARRANGED),
    readings=[
        reading("first line to last", "For all losses, weights and steps.", part="first line to last"),
        reading(
            "line before the last",
            "−γₜΣρᵢ(Fᵢ(Wᵢ) − Fᵢ(Wᵢ*)) + 2ηₜΣρᵢ(Fᵢ(W*) − Fᵢ(Wᵢ*)).",
            identity(_C, -_GAMMA_T * _sum(P1 - M1, P2 - M2) + 2 * eta * _GAMMA_SUM),
            part="line before the last",
        ),
    ],
    mutants=[
        mutant(
            "2Lηₜ²Γₜ in place of 4Lηₜ²Γₜ",
            identity(_C, _REARRANGED - 2 * L * eta**2 * _GAMMA_SUM),
            "2ηₜ − γₜ = 4Lηₜ², which is what Γₜ has to carry",
        ),
        mutant(
            "Fᵢ(Wᵢ*) in place of Fᵢ(Wᵢ) in the second sum of C",
            identity(_C + 2 * eta * _sum(P1 - M1, P2 - M2), _REARRANGED),
            "the source text of the display before has it so under the brace; it changes C by 2ηₜΣρᵢ(Fᵢ(Wᵢ) − Fᵢ(Wᵢ*))",
        ),
    ],
    verdict="""An identity for all values, whatever the terms are bounds of: no inequality is used. It is one for C as
        (19) itself prints it, with Fᵢ(Wᵢᵗ) in the second sum; the display before (19) shows Fᵢ(Wᵢ*) there, which would
        make it false and does not follow either.""",
)

_LINE1 = (
    _GAMMA_T * _sum(L * eta * (V1 - M1) + D1 / (2 * eta), L * eta * (V2 - M2) + D2 / (2 * eta))
    - _GAMMA_T * _sum(V1 - S1, V2 - S2)
    + 4 * L * eta**2 * _GAMMA_SUM
)
_LINE3 = (
    _GAMMA_T * (eta * L - 1) * _sum(V1 - M1, V2 - M2)
    + (4 * L * eta**2 + _GAMMA_T) * _GAMMA_SUM
    + _GAMMA_T / (2 * eta) * _sum(D1, D2)
)

E21B = step(
    "EA-E21b",
    "A.10, display (21), second and third line",
    "Regrouping (21)",
    printed=r"""\gamma_t\sum_i\rho_i^{t+1}[\cdots]-\gamma_t\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W^*))+
        4L\eta_t^2\Gamma_t=\gamma_t(\eta_tL-1)\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))+(4L\eta_t^2
        +\gamma_t)\Gamma_t+\frac{\gamma_t}{2\eta_t}\sum_i\rho_i^{t+1}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2""",
    plainly="The bound on C regroups into a multiple of the excess at the mean model, one of Γₜ and one of the drift.",
    assumes=["γₜ = 2ηₜ(1 − 2Lηₜ)", "Γₜ = Σρᵢᵗ⁺¹(Fᵢ(W*) − Fᵢ(Wᵢ*))", "two clients stand for N, by linearity"],
    says=identity(_LINE1, _LINE3),
    readings=[
        reading("first line to third", "Adding and taking off Fᵢ(Wᵢ*); the second line's brackets do not close.")
    ],
    mutants=[
        mutant(
            "4Lηₜ² − γₜ before Γₜ",
            identity(_LINE1, _LINE3 - 2 * _GAMMA_T * _GAMMA_SUM),
            "−γₜ(Fᵢ(W̄) − Fᵢ(W*)) = −γₜ(Fᵢ(W̄) − Fᵢ*) + γₜ(Fᵢ(W*) − Fᵢ*), so γₜΓₜ is added",
        ),
        mutant(
            "ηₜL + 1 before the excess",
            identity(_LINE1, _LINE3 + 2 * _GAMMA_T * _sum(V1 - M1, V2 - M2)),
            "the excess at W̄ is taken off once and added Lηₜ times",
        ),
    ],
    rests_on=["EA-E21a"],
    verdict="""An identity for all values. The brackets of the second line do not match in print, which changes nothing:
        what is added and taken off there is zero.""",
)

_FREE_E20, _KEPT_E20 = one_step_sums(), one_step_sums(kept=True)


E20A = step(
    "EA-E20a",
    "A.10, display (20), first inequality",
    "Convexity along the way from the mean to the local models",
    printed=r"""\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\bar{\mathbf W}^t))\ge\sum_i\rho_i^{t+1}\langle\mathbf W_i^t-
        \bar{\mathbf W}^t,\nabla F_i(\bar{\mathbf W}^t)\rangle""",
    plainly="Each client's loss at its local model lies above the tangent at the mean model.",
    assumes=["A1, A2: every Fᵢ strongly convex and L-smooth", "0 < ηₜ <= 1/(4L)", "weights on the simplex"],
    says=le(now + lin, local),
    world=_FREE_E20,
    readings=[
        reading(
            "weights free at every step",
            """The mean under ρᵗ, the sum under ρᵗ⁺¹; quadratic clients in up to 8 dimensions, and bent ones; Σρᵢ(Fᵢ(W̄)
                − Fᵢ*) is added to both sides.""",
        )
    ],
    mutants=[
        mutant(
            "half of the gain",
            le(now + lin, (local + now) / 2),
            "near W̄ gain and tangent agree to first order, and half of a positive gain is less",
        ),
        mutant(
            "sign of the tangent changed",
            le(now - lin, local),
            "down the slope the gain is negative and minus the tangent's value positive",
        ),
    ],
    tight="Wᵢ = W̄ for all i",
    rests_on=["EA-A1"],
    verdict="""The definition of convexity at W̄, client by client, so it holds for every point W̄ and all weights. The
        text attributes it to «Assumption 2», which is smoothness; convexity is Assumption 1.""",
)

_SQUARES = (eta * grad2 + drift / eta) / 2

E20B = step(
    "EA-E20b",
    "A.10, display (20), second inequality",
    "AM–GM on the inner product",
    printed=r"""\sum_i\rho_i^{t+1}\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\bar{\mathbf W}^t)
        \rangle\ge\tfrac12\sum_i\rho_i^{t+1}\big[\eta_t\|\nabla F_i(\bar{\mathbf W}^t)\|^2+\tfrac1{\eta_t}\|\mathbf
        W_i^t-\bar{\mathbf W}^t\|^2\big]""",
    plainly="The inner product is at least half the sum of the two squares.",
    assumes=["A1, A2: every Fᵢ strongly convex and L-smooth", "0 < ηₜ <= 1/(4L)", "weights on the simplex"],
    says=le(_SQUARES, lin),
    world=_FREE_E20,
    readings=[
        reading(
            "as printed", "With W̄ the mean under the weights of the sum, one weight vector a round.", world=_KEPT_E20
        ),
        reading(
            "minus sign before the half",
            "As AM–GM gives it and (21) uses it; weights free at every step.",
            le(-lin, _SQUARES),
            edits=["−½ in place of ½"],
            token=True,
            forced_by="""(21) prints +γ_t Σρ_i[Lη_t(F_i(W̄^t) − F_i(W_i*)) + (1/(2η_t))‖W_i^t − W̄^t‖²], which is −γ_t
                times the bracket with the minus; the AM–GM inequality that the text names gives no other sign""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "minus sign, half of the squares",
            le(-lin, _SQUARES / 2),
            "for Wᵢ = W̄ − η∇Fᵢ(W̄) the corrected inequality is an equality",
        ),
        mutant(
            "minus sign, ‖Wᵢ − W̄‖²/η dropped",
            le(-lin, eta * grad2 / 2),
            "for Wᵢ = W̄ − 2η∇Fᵢ(W̄) the left side is 2η‖∇Fᵢ‖², four times the right",
        ),
    ],
    tight=[
        "with the minus sign: Wᵢ = W̄ − ηₜ∇Fᵢ(W̄)",
        at(
            spectrum=[[1], [1]],
            mirror=[[0], [0]],
            optimum=[[1], [-1]],
            share=["1/2", "1/2"],
            weights=[["1/2", "1/2"], ["1/2", "1/2"]],
            start=[0],
            local=[["1/10"], ["-1/10"]],
            step="1/10",
        ),
    ],
    rests_on=["EA-E20a"],
    verdict="""AM–GM bounds an inner product from above by half the sum of squares, and from below by minus it. Printed
        is the lower bound without the minus sign; it fails for a single client, at Wᵢ = W̄, wherever the gradient is
        not 0, and holds only with equality at Wᵢ = W̄ + ηₜ∇Fᵢ(W̄). With the minus sign it holds for all weights, and
        (21) goes on from that form, so this is a slip of the pen: Lemma 1 does not rest on the printed sign.""",
)

_MINUS = "minus sign before the half, Fᵢ(Wᵢ*)"
_ABOVE = L * eta * (now - about)

E20C = step(
    "EA-E20c",
    "A.10, display (20), third inequality",
    "Smoothness turns the gradient into an excess loss",
    printed=r"""\tfrac12\sum_i\rho_i^{t+1}\big[\eta_t\|\nabla F_i(\bar{\mathbf W}^t)\|^2+\tfrac1{\eta_t}\|\cdot\|^2
        \big]\ge\tfrac12\sum_i\rho_i^{t+1}\big[2L\eta_t(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W^*))+
        \tfrac1{\eta_t}\|\cdot\|^2\big]""",
    plainly="The squared gradient is at least 2L times the loss above that of the global optimum.",
    assumes=["A1, A2: every Fᵢ strongly convex and L-smooth", "0 < ηₜ <= 1/(4L)", "weights on the simplex"],
    says=le(_ABOVE + drift / (2 * eta), _SQUARES),
    world=_KEPT_E20,
    readings=[
        reading("as printed", "Fᵢ(W*) at the global optimum; one weight vector a round."),
        reading(
            "Fᵢ(Wᵢ*) in place of Fᵢ(W*)",
            "As (21) has it, with the printed sign.",
            le(L * eta * now + drift / (2 * eta), _SQUARES),
            edits=["F_i(W_i*) in place of F_i(W*)"],
        ),
        reading(
            "minus sign before the half",
            "So that the inequality turns round; Fᵢ(W*) as printed. The spread is on both sides and left out.",
            le(eta * grad2 / 2, _ABOVE, again=lambda eta, L, now, about: L * eta * now - L * eta * about),
            edits=["−½ in place of ½"],
        ),
        reading(
            "minus sign before the half, Fᵢ(Wᵢ*)",
            "½ηₜ‖∇Fᵢ(W̄)‖² <= Lηₜ(Fᵢ(W̄) − Fᵢ*), the form that (21) uses; weights free at every step.",
            le(eta * grad2 / 2, L * eta * now),
            world=_FREE_E20,
            edits=["−½ in place of ½", "F_i(W_i*) in place of F_i(W*)"],
            forced_by="(21) prints the bracket with F_i(W_i*) and the sign that the minus gives",
            carries=True,
            because="two tokens, of which the minus is EA-E20b's; (21) goes on from the corrected form",
        ),
    ],
    mutants=[
        mutant(
            "minus sign before the half, Fᵢ(Wᵢ*), half of it",
            le(eta * grad2 / 2, L * eta * now / 2),
            "curvature L makes the corrected sides equal",
            world=_FREE_E20,
        ),
        mutant(
            "minus sign before the half, global optimum",
            le(eta * grad2 / 2, _ABOVE),
            "at W̄ = W* the right side is 0 and the gradients are not",
            world=_FREE_E20,
        ),
    ],
    tight="corrected: W̄ − Wᵢ* along an axis of curvature L",
    rests_on=["EA-E14", "EA-E20b"],
    verdict="""Smoothness gives ‖∇Fᵢ‖² <= 2L(Fᵢ − Fᵢ*), an upper bound on the gradient; printed is a lower one. It can
        fail once a client is flatter than L, and with Fᵢ(Wᵢ*) too. Two slips meet here: the minus sign lost in the line
        before, and W* for Wᵢ*. Turning the sign alone is not enough, since at W̄ = W* the right side vanishes and the
        gradients do not. With both it is EA-E14 at W̄, holds for all weights, and is what (21) goes on with.""",
)

_FREE_E21 = one_step_sums().defining({bend: _GAMMA_T})
_LONG = one_step_sums(longest=1.0).defining({bend: _GAMMA_T})

_C_E21 = 4 * L * eta**2 * local + 2 * eta * (about - local)
_INSERTED = bend * (L * eta * now + drift / (2 * eta)) - bend * (now - about) + 4 * L * eta**2 * about

E21A = step(
    "EA-E21a",
    "A.10, display (21), first inequality",
    "(20) inserted into (19)",
    printed=r"""C\le\gamma_t\sum_i\rho_i^{t+1}\Big[L\eta_t(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))+\tfrac1{2
        \eta_t}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2\Big]-\gamma_t\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf
        W^*))+4L\eta_t^2\Gamma_t""",
    plainly="C is bounded by the excess at the mean model, the drift and Γₜ.",
    assumes=["A1, A2", "0 < ηₜ <= 1/(4L), the hypothesis of Lemma 1", "γₜ = 2ηₜ(1 − 2Lηₜ)", "weights on the simplex"],
    says=le(_C_E21, _INSERTED),
    world=_FREE_E21,
    readings=[
        reading("weights free at every step", "The mean under ρᵗ, the sums under ρᵗ⁺¹; quadratic and bent clients.")
    ],
    mutants=[
        mutant(
            "the sign of (20) as printed",
            le(_C_E21, -bend * (L * eta + 1) * (now - about) - bend * drift / (2 * eta) + 4 * L * eta**2 * about),
            "at Wᵢ = W̄ it has −γₜ(1 + Lηₜ)Σρᵢ(Fᵢ(W̄) − Fᵢ(W*)), and C 1 for 1 + Lηₜ",
        ),
        mutant(
            "drift dropped",
            le(_C_E21, _INSERTED - bend * drift / (2 * eta)),
            "flat losses, Wᵢ down the slope: C grows by γₜ‖Wᵢ − W̄‖‖∇Fᵢ‖, Lη(Fᵢ(W̄) − Fᵢ*) is small",
        ),
        mutant(
            "steps up to 1/L",
            le(_C_E21, _INSERTED),
            "beyond 1/(2L) γₜ is negative, and (20) multiplied by −γₜ turns round",
            world=_LONG,
        ),
    ],
    tight="every Wᵢ at W̄ = Wᵢ*",
    rests_on=["EA-E19", "EA-E20a", "EA-E20b", "EA-E20c", "EA-S4"],
    verdict="""It does not follow from (20) as printed, whose last two lines have the wrong sign and W* for Wᵢ*, but it
        does from (20) with the sign of AM–GM and Wᵢ*, and (21) is written so. No violation was found, at any weights:
        W̄ may be any point here. It needs γₜ >= 0, which ηₜ <= 1/(4L) gives.""",
)


_WITH_THE_LEAST = (4 * L * eta**2 + bend) * about + bend * (1 - eta * L) * Omega
_WITH_NOW = bend * (1 - eta * L) * now + 2 * eta * Gamma

E21C = step(
    "EA-E21c",
    "A.10, display (21), second inequality",
    "Minimum and maximum over the steps",
    printed=r"""4L\eta_t^2+\gamma_t=2\eta_t,\qquad\gamma_t(\eta_tL-1)\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)
        -F_i(\mathbf W_i^*))+2\eta_t\Gamma_t\le\gamma_t(\eta_tL-1)\Omega+2\eta_t\Gamma""",
    plainly="The excess at step t may be replaced by its minimum, since its factor is negative, and Γₜ by its maximum.",
    assumes=["A1, A2", "0 < ηₜ <= 1/(4L), the hypothesis of Lemma 1", "γₜ = 2ηₜ(1 − 2Lηₜ)", "weights on the simplex"],
    says=le(
        _WITH_THE_LEAST,
        _WITH_NOW,
        again=lambda bend, eta, L, now, Gamma: bend * now - bend * now * L * eta + Gamma * eta * 2,
    ),
    world=_FREE_E21,
    readings=[
        reading(
            "4Lηₜ² + γₜ = 2ηₜ",
            "The coefficient of Γₜ.",
            identity(4 * L * eta**2 + _GAMMA_T, 2 * eta),
            part="4Lη_t² + γ_t = 2η_t",
        ),
        reading(
            "minimum and maximum",
            """Over the first two steps of a round, weights free at every step; negative terms stand on the other side,
                and the drift, which both sides have, is left out.""",
            part="minimum and maximum",
        ),
    ],
    mutants=[
        mutant(
            "twice the minimum",
            le(_WITH_THE_LEAST, _WITH_NOW - bend * (1 - eta * L) * Omega),
            "Ω's factor is negative: at the minimum, twice that is too much to take off",
        ),
        mutant(
            "steps up to 1/L",
            le(_WITH_THE_LEAST, _WITH_NOW),
            "for 1/(2L) < ηₜ < 1/L the factor γₜ(ηₜL − 1) is positive, and the minimum too small",
            world=_LONG,
        ),
    ],
    tight="the excess at its minimum and Γₜ at its maximum at the same t",
    rests_on=["EA-E21b", "EA-S4"],
    verdict="""The factor γₜ(ηₜL − 1) is negative for ηₜL < 1/2, so that a smaller excess gives a larger right side, and
        2ηₜ > 0. The identity 4Lηₜ² + γₜ = 2ηₜ is proved; the step holds under ηₜ <= 1/(4L) and fails between 1/(2L) and
        1/L, where the early steps of Theorem 1's schedule can lie.""",
)


EA_E21D = step(
    "EA-E21d",
    "A.10, display (21)",
    "Expansion of γₜ(ηₜL − 1)",
    printed=r"\gamma_t(\eta_tL-1)=6\eta_t^2L-2\eta_t-4\eta_t^3L^2,\qquad\gamma_t=2\eta_t(1-2L\eta_t)",
    plainly="The coefficient of Ω in the one-step bound expands as printed.",
    assumes=["γₜ = 2ηₜ(1 − 2Lηₜ) from (19)"],
    says=eq(_GAMMA_T * (eta * L - 1), 6 * eta**2 * L - 2 * eta - 4 * eta**3 * L**2),
    mutants=[
        mutant(
            "sign of the cubic term changed",
            eq(_GAMMA_T * (eta * L - 1), 6 * eta**2 * L - 2 * eta + 4 * eta**3 * L**2),
            "the product of the leading terms −4Lη²·ηL is −4η³L²",
        )
    ],
    verdict="Multiplying out gives the printed polynomial exactly.",
)


def constants(x: Instance) -> Seen:
    """Any Ω, Γ and drift at ηL = `step`."""
    return {**{k: x[k] for k in ("L", "Omega", "Gamma")}, "eta": x["step"] / x["L"], "drift": x["spread"]}


def constants_exact(x: Seen) -> Plain:
    """Any Omega, Gamma and drift at eta L = `step`."""
    met = {"0 < eta <= 1/(4 L)": 0 < x["step"] <= Fraction(1, 4), "drift >= 0": x["spread"] >= 0}
    return met, {**{k: x[k] for k in ("L", "Omega", "Gamma")}, "eta": x["step"] / x["L"], "drift": x["spread"]}


def _any(omega: Coordinate) -> World:
    of = (positive("L"), LogScale("step", 1e-4, 0.25, at=(0.25, 0.25)), omega, signed("Gamma", decades=3))
    spread = LogScale("spread", 1e-6, 1e3, at=(1.0,))
    return over(drawn("ηL up to 1/4, any Ω, Γ and drift", (*of, spread), constants, constants_exact))


_POSITIVE, _SIGNED = _any(positive("Omega", decades=3)), _any(signed("Omega", decades=3))
_BEFORE_DROPPING = (
    (6 * eta**2 * L - 2 * eta - 4 * eta**3 * L**2) * Omega + 2 * eta * Gamma + _GAMMA_T / (2 * eta) * drift
)
_LAST = 6 * L * eta**2 * Omega + 2 * eta * (Gamma - Omega) + drift

E21E = step(
    "EA-E21e",
    "A.10, display (21), last inequality",
    "The cubic term dropped",
    printed=r"""(6\eta_t^2L-2\eta_t-4\eta_t^3L^2)\Omega+2\eta_t\Gamma+\frac{\gamma_t}{2\eta_t}\sum_i\rho_i^{t+
        1}\|\cdot\|^2\le6\eta_t^2L\Omega+2\eta_t(\Gamma-\Omega)+\sum_i\rho_i^{t+1}\|\mathbf W_i^t-\bar{\mathbf
        W}^t\|^2""",
    plainly="Dropping −4ηₜ³L²Ω and replacing γₜ/(2ηₜ) by 1 can only raise the bound.",
    assumes=["0 < ηₜ <= 1/(4L)", "Ω >= 0, as a weighted mean of excess losses", "γₜ = 2ηₜ(1 − 2Lηₜ)"],
    says=le(_BEFORE_DROPPING, _LAST),
    world=_POSITIVE,
    readings=[reading("as printed", "Any Ω >= 0, Γ and drift.")],
    mutants=[
        mutant(
            "sign of the cubic term changed",
            le(_BEFORE_DROPPING, _LAST - 8 * eta**3 * L**2 * Omega),
            "8η³L²Ω off in place of 4η³L²Ω is too much where the drift is small",
            at(L=1, step="1/4", Omega=1, Gamma=0, spread="1/10"),
        ),
        mutant(
            "half of the drift",
            le(_BEFORE_DROPPING, _LAST - drift / 2),
            "γₜ/(2ηₜ) = 1 − 2Lηₜ is more than a half for ηₜ < 1/(4L)",
            at(L=1, step="1/10", Omega=1, Gamma=0, spread=1),
        ),
        mutant(
            "Ω of any sign",
            le(_BEFORE_DROPPING, _LAST),
            "for Ω < 0 the dropped term is positive, and larger than what the drift gains",
            at(L=1, step="1/4", Omega=-10, Gamma=0, spread=1),
            world=_SIGNED,
        ),
    ],
    tight="ηₜL → 0, or Ω = 0 and no drift",
    rests_on=["EA-E21c", "EA-E21d", "EA-S4"],
    verdict="""The two sides differ by 4ηₜ³L²Ω + 2Lηₜ Σρᵢ‖Wᵢ − W̄‖², and both terms are non-negative: Ω is a weighted
        mean of excess losses. It does not even need the bound on the step.""",
)

_BEND = 2 * eta_l * (1 - 2 * eta_l)  # γₜ in units of 1/L
_COEFFICIENTS = all_of(le(eta_l - 1, -Rational(3, 4)), le(_BEND / (2 * eta_l), 1), le(0, _BEND))
_SUMS = all_of(le(0, now), le(0, Gamma), le(0, 4 * eta_l**3 * now))

_LENGTHS = numbers(
    NOTATION, "ηL up to 1/4", LogScale("length", 1e-6, 0.25, at=(0.25,)), where=(lt(0, eta_l), le(4 * eta_l, 1))
)


def _schedule(name: str, offset: Any) -> World:
    """ηₜL = 2κ/(γ + t) for every κ and t."""
    drawn = (LogScale("kappa", 1.0, 1e4, at=(1.0, 10.0, 1e4)), Integer("t", 0, 1000, at=(1,)))
    world = numbers(NOTATION, name, *drawn, where=(le(1, kappa), le(0, t)))
    return world.defining({eta_l: 2 * kappa / (offset + t)})


def sums(x: Instance, *, about_best: bool) -> Seen:
    """Weighted excess at W̄ᵗ and at W*; `about_best`: at W̄ᵗ the excess over Fᵢ(W*)."""
    h, m, a, p, w = x["curvature"], x["optimum"], x["weights"], x["share"], x["point"]
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    there = 0.5 * h * (best[:, None] - m) ** 2
    floor = there if about_best else np.zeros_like(there)
    excess = (a * (0.5 * h * (w[:, None] - m) ** 2 - floor)).sum(axis=1)
    return {"now": excess, "Gamma": (a * there).sum(axis=1), "length": x["length"]}


def sums_exact(x: Seen, *, about_best: bool) -> Plain:
    """sum rho_i (F_i(W_bar) - F_i*) and Gamma_t, quadratic clients; about_best: F_i(W*) in the place of F_i*."""
    h, m, a, p = x["curvature"], x["optimum"], x["weights"], x["share"]
    clients = range(len(h))
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    there = [h[i] * (best - m[i]) ** 2 / 2 for i in clients]
    floor = there if about_best else [Fraction(0) for i in clients]
    met = {
        "A1, A2": min(h) > 0,
        "weights and shares on the simplex": sum(a) == sum(p) == 1 and min([*a, *p]) >= 0,
        "0 < eta L <= 1/4": 0 < x["length"] <= Fraction(1, 4),
    }
    excess = sum(a[i] * (h[i] * (x["point"] - m[i]) ** 2 / 2 - floor[i]) for i in clients)
    return met, {"now": excess, "Gamma": sum(a[i] * there[i] for i in clients), "length": x["length"]}


def _clients(N: int, *, about_best: bool = False) -> Case:
    of = (*quadratics(N), Simplex("weights", N), Simplex("share", N), signed("point"))
    name, length, cost = f"{N} clients on the line", LogScale("length", 1e-4, 0.25, at=(0.25,)), max(1.0, N / 20)
    return drawn(name, (*of, length), sums, sums_exact, cost=cost, about_best=about_best)


_ON_THE_LINE = ranging("clients on the line", _clients, N=(1, 300, 3))

S4 = step(
    "EA-S4",
    "A.10, after (21)",
    "Signs used in the proof of Lemma 1",
    printed=r"""\eta_tL-1\le-\tfrac34,\quad\frac{\gamma_t}{2\eta_t}\le1,\quad\gamma_t\ge0,\quad4\eta_t^3L^2\Omega\ge0,
        \quad\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))\ge0,\quad\Gamma\ge0""",
    plainly="Under Lemma 1's condition on the step the coefficients and sums of its proof have the signs it uses.",
    assumes=["ηₜ <= 1/(4L), the hypothesis of Lemma 1", "γₜ = 2ηₜ(1 − 2Lηₜ)", "weights on the simplex"],
    says=_COEFFICIENTS,
    world=_LENGTHS,
    readings=[
        reading("coefficients", "ηₜL − 1, γₜ/(2ηₜ) and γₜ, for every ηₜL in (0, 1/4].", part="coefficients"),
        reading(
            "sums",
            "Ω's summand, Γ's and 4ηₜ³L²Ω, for any weights and points, quadratic clients on the line.",
            _SUMS,
            world=_ON_THE_LINE,
            part="sums",
        ),
    ],
    mutants=[
        mutant(
            "the steps of Theorem 1",
            None,
            "with γ = L/μ the first step is so long that ηL − 1 is positive",
            at(kappa=1, t=0),
            world=_schedule("γ = L/μ", kappa),
        ),
        mutant(
            "the steps of A.9 at t = 0",
            None,
            "with γ = 8κ − 1 the first step has ηL = 2κ/(8κ − 1) > 1/4",
            at(kappa=1, t=0),
            world=_schedule("γ of A.9", 8 * kappa - 1),
        ),
        mutant(
            "excess over Fᵢ(W*) in place of Fᵢ(Wᵢ*)",
            _SUMS,
            "with the weight on one client W̄ᵗ may be better for it than W* is",
            world=over(_clients(2, about_best=True), _clients(3, about_best=True)),
        ),
    ],
    tight="ηₜ = 1/(4L) for the first",
    verdict="""Under ηₜ <= 1/(4L) every sign is as the proof says: γₜ/(2ηₜ) = 1 − 2Lηₜ lies between 1/2 and 1, and the
        sums are weighted means of non-negative excesses. Whether the steps of the theorem meet that hypothesis is
        another matter (EA-S3): with γ = L/μ the first sign fails for t < 7L/μ, with A.9's γ by a little at t = 0.""",
)

CLAIMS = (E19, E21B, E20A, E20B, E20C, E21A, E21C, EA_E21D, E21E, S4)
