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
from validation.statement.says import all_of, eq, identity, le, lt
from validation.world import Coordinate, Words, World, but, numbers

__all__ = ["CLAIMS"]

eta, L, local, about, drift, Omega, Gamma, lin = NOTATION.symbols("eta L local about drift Omega Gamma lin")
grad2, now, bend, step, kappa, t = NOTATION.symbols("grad2 now bend length kappa t")
r1, r2, P1, P2, M1, M2, S1, S2, V1, V2, D1, D2 = symbols("r1 r2 P1 P2 M1 M2 S1 S2 V1 V2 D1 D2", positive=True)

_GAMMA_T = 2 * eta * (1 - 2 * L * eta)


def _sum(first: Any, second: Any) -> Any:
    """Σρᵢ(·) over two clients of weights r1, r2."""
    return r1 * first + r2 * second


# Fᵢ(Wᵢ) is P, Fᵢ(Wᵢ*) M, Fᵢ(W*) S, Fᵢ(W̄) V and ‖Wᵢ − W̄‖² D.
_C = 4 * L * eta**2 * _sum(P1 - M1, P2 - M2) + 2 * eta * _sum(S1 - P1, S2 - P2)
_GAMMA_SUM = _sum(S1 - M1, S2 - M2)
_REARRANGED = -_GAMMA_T * _sum(P1 - S1, P2 - S2) + 4 * L * eta**2 * _GAMMA_SUM

E19 = Words(r"""EA-E19 (step; A.10, display (19)): C in terms of γₜ and Γₜ
    Print: C=4L\eta_t^2\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))+2\eta_t\sum_i\rho_i^{t
      +1}(F_i(\mathbf W^*)-F_i(\mathbf W_i^t))
      =-\gamma_t\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W^*))+4L\eta_t^2\Gamma_t
    Plainly: The terms called C regroup into a multiple of the excess at the local models and one of Γₜ.
    Assumes: γₜ = 2ηₜ(1 − 2Lηₜ) | Γₜ = Σρᵢᵗ⁺¹(Fᵢ(W*) − Fᵢ(Wᵢ*)) | two clients stand for N, by linearity
    Reading: first line to last | For all losses, weights and steps. | part: first line to last
    Reading b: line before the last | −γₜΣρᵢ(Fᵢ(Wᵢ) − Fᵢ(Wᵢ*)) + 2ηₜΣρᵢ(Fᵢ(W*) − Fᵢ(Wᵢ*)). | part: line before the last
    Mutant x: 2Lηₜ²Γₜ in place of 4Lηₜ²Γₜ | 2ηₜ − γₜ = 4Lηₜ², which is what Γₜ has to carry
    Mutant y: Fᵢ(Wᵢ*) in place of Fᵢ(Wᵢ) in the second sum of C | the source text of the display before has it so under
      the brace; it changes C by 2ηₜΣρᵢ(Fᵢ(Wᵢ) − Fᵢ(Wᵢ*))
    Rests on: EA-E18b
    Verdict: An identity for all values. It is one for C as (19) itself prints it, with Fᵢ(Wᵢᵗ) in the second sum; the
      display before (19) shows Fᵢ(Wᵢ*) there, which would make it false and does not follow either.""").say(
    identity(_C, _REARRANGED),
    b=identity(_C, -_GAMMA_T * _sum(P1 - M1, P2 - M2) + 2 * eta * _GAMMA_SUM),
    x=identity(_C, _REARRANGED - 2 * L * eta**2 * _GAMMA_SUM),
    y=identity(_C + 2 * eta * _sum(P1 - M1, P2 - M2), _REARRANGED),
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

E21B = Words(r"""EA-E21b (step; A.10, display (21), second and third line): Regrouping (21)
    Print: \gamma_t\sum_i\rho_i^{t+1}[\cdots]-\gamma_t\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W^*))
      +4L\eta_t^2\Gamma_t=\gamma_t(\eta_tL-1)\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))+(4L\eta_t^2
      +\gamma_t)\Gamma_t+\frac{\gamma_t}{2\eta_t}\sum_i\rho_i^{t+1}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2
    Plainly: The bound on C regroups into a multiple of the excess at the mean model, one of Γₜ and one of the drift.
    Assumes: γₜ = 2ηₜ(1 − 2Lηₜ) | Γₜ = Σρᵢᵗ⁺¹(Fᵢ(W*) − Fᵢ(Wᵢ*)) | two clients stand for N, by linearity
    Reading: first line to third | Adding and taking off Fᵢ(Wᵢ*); the second line's brackets do not close.
    Mutant x: 4Lηₜ² − γₜ before Γₜ | −γₜ(Fᵢ(W̄) − Fᵢ(W*)) = −γₜ(Fᵢ(W̄) − Fᵢ*) + γₜ(Fᵢ(W*) − Fᵢ*), so γₜΓₜ is added
    Mutant y: ηₜL + 1 before the excess | the excess at W̄ is taken off once and added Lηₜ times
    Rests on: EA-E21a
    Verdict: An identity for all values. The brackets of the second line do not match in print, which changes nothing:
      what is added and taken off there is zero.""").say(
    identity(_LINE1, _LINE3),
    x=identity(_LINE1, _LINE3 - 2 * _GAMMA_T * _GAMMA_SUM),
    y=identity(_LINE1, _LINE3 + 2 * _GAMMA_T * _sum(V1 - M1, V2 - M2)),
)

_FREE_E20, _KEPT_E20 = one_step_sums(), one_step_sums(kept=True)


E20A = Words(r"""EA-E20a (step; A.10, display (20), first inequality): Convexity along the way from the mean to the local models
    Print: \sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\bar{\mathbf W}^t))
      \ge\sum_i\rho_i^{t+1}\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\bar{\mathbf W}^t)\rangle
    Plainly: Each client's loss at its local model lies above the tangent at the mean model.
    Assumes: A1, A2: every Fᵢ strongly convex and L-smooth | 0 < ηₜ <= 1/(4L) | weights on the simplex
    Reading: weights free at every step | The mean under ρᵗ, the sum under ρᵗ⁺¹; quadratic clients in up to 8
      dimensions, and bent ones; Σρᵢ(Fᵢ(W̄) − Fᵢ*) is added to both sides.
    Mutant x: half of the gain | near W̄ gain and tangent agree to first order, and half of a positive gain is less
    Mutant y: sign of the tangent changed | down the slope the gain is negative and minus the tangent's value positive
    Tight: Wᵢ = W̄ for all i
    Rests on: EA-A1
    Verdict: The definition of convexity at W̄, client by client, so it holds for every point W̄ and all weights. The
      text attributes it to «Assumption 2», which is smoothness; convexity is Assumption 1.""").say(
    le(now + lin, local), _FREE_E20, x=le(now + lin, (local + now) / 2), y=le(now - lin, local)
)

_SQUARES = (eta * grad2 + drift / eta) / 2

E20B = Words(r"""EA-E20b (step; A.10, display (20), second inequality): AM–GM on the inner product
    Print: \sum_i\rho_i^{t+1}\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\bar{\mathbf W}^t)\rangle\ge\tfrac12
      \sum_i\rho_i^{t+1}\big[\eta_t\|\nabla F_i(\bar{\mathbf W}^t)\|^2+\tfrac1{\eta_t}\|\mathbf W_i^t
      -\bar{\mathbf W}^t\|^2\big]
    Plainly: The inner product is at least half the sum of the two squares.
    Assumes: A1, A2: every Fᵢ strongly convex and L-smooth | 0 < ηₜ <= 1/(4L) | weights on the simplex
    Reading a: as printed | With W̄ the mean under the weights of the sum, one weight vector a round.
    Reading b: minus sign before the half | As AM–GM gives it and (21) uses it; weights free at every step. | edit: −½
      in place of ½ | token | forced by: (21) prints +γ_t Σρ_i[Lη_t(F_i(W̄^t) − F_i(W_i*)) + (1/(2η_t))‖W_i^t − W̄^t‖²],
      which is −γ_t times the bracket with the minus; the AM–GM inequality that the text names gives no other sign |
      carries: yes
    Mutant x: minus sign, half of the squares | for Wᵢ = W̄ − η∇Fᵢ(W̄) the corrected inequality is an equality
    Mutant y: minus sign, ‖Wᵢ − W̄‖²/η dropped | for Wᵢ = W̄ − 2η∇Fᵢ(W̄) the left side is 2η‖∇Fᵢ‖², four times the right
    Tight: with the minus sign: Wᵢ = W̄ − ηₜ∇Fᵢ(W̄)
    Rests on: EA-E20a
    Verdict: AM–GM bounds an inner product from above by half the sum of squares, and from below by minus it. Printed is
      the lower bound without the minus sign; it fails for a single client, at Wᵢ = W̄, wherever the gradient is not 0,
      and holds only with equality at Wᵢ = W̄ + ηₜ∇Fᵢ(W̄). With the minus sign it holds for all weights, and (21) goes
      on from that form, so this is a slip of the pen: Lemma 1 does not rest on the printed sign.""").say(
    le(_SQUARES, lin),
    _FREE_E20,
    a=_KEPT_E20,
    b=le(-lin, _SQUARES),
    x=le(-lin, _SQUARES / 2),
    y=le(-lin, eta * grad2 / 2),
)

_MINUS = "minus sign before the half, Fᵢ(Wᵢ*)"
_ABOVE = L * eta * (now - about)

E20C = Words(r"""EA-E20c (step; A.10, display (20), third inequality): Smoothness turns the gradient into an excess loss
    Print: \tfrac12\sum_i\rho_i^{t+1}\big[\eta_t\|\nabla F_i(\bar{\mathbf W}^t)\|^2+\tfrac1{\eta_t}\|\cdot\|^2\big]
      \ge\tfrac12\sum_i\rho_i^{t+1}\big[2L\eta_t(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W^*))
      +\tfrac1{\eta_t}\|\cdot\|^2\big]
    Plainly: The squared gradient is at least 2L times the loss above that of the global optimum.
    Assumes: A1, A2: every Fᵢ strongly convex and L-smooth | 0 < ηₜ <= 1/(4L) | weights on the simplex
    Reading: as printed | Fᵢ(W*) at the global optimum; one weight vector a round.
    Reading b: Fᵢ(Wᵢ*) in place of Fᵢ(W*) | As (21) has it, with the printed sign. | edit: F_i(W_i*) in place of F_i(W*)
    Reading c: minus sign before the half | So that the inequality turns round; Fᵢ(W*) as printed. The spread is on both
      sides and left out. | edit: −½ in place of ½
    Reading d: minus sign before the half, Fᵢ(Wᵢ*) | ½ηₜ‖∇Fᵢ(W̄)‖² <= Lηₜ(Fᵢ(W̄) − Fᵢ*), the form that (21) uses;
      weights free at every step. | edit: −½ in place of ½ | edit: F_i(W_i*) in place of F_i(W*) | forced by: (21)
      prints the bracket with F_i(W_i*) and the sign that the minus gives | carries: yes | because: two tokens, of which
      the minus is EA-E20b's; (21) goes on from the corrected form
    Mutant x: minus sign before the half, Fᵢ(Wᵢ*), half of it | curvature L makes the corrected sides equal
    Mutant y: minus sign before the half, global optimum | at W̄ = W* the right side is 0 and the gradients are not
    Tight: corrected: W̄ − Wᵢ* along an axis of curvature L
    Rests on: EA-E14, EA-E20b
    Verdict: Smoothness gives ‖∇Fᵢ‖² <= 2L(Fᵢ − Fᵢ*), an upper bound on the gradient; printed is a lower one. It can
      fail once a client is flatter than L, and with Fᵢ(Wᵢ*) too. Two slips meet here: the minus sign lost in the line
      before, and W* for Wᵢ*. Turning the sign alone is not enough, since at W̄ = W* the right side vanishes and the
      gradients do not. With both it is EA-E14 at W̄, holds for all weights, and is what (21) goes on with.""").say(
    le(_ABOVE + drift / (2 * eta), _SQUARES),
    _KEPT_E20,
    b=le(L * eta * now + drift / (2 * eta), _SQUARES),
    c=le(eta * grad2 / 2, _ABOVE, again=lambda eta, L, now, about: L * eta * now - L * eta * about),
    d=but(le(eta * grad2 / 2, L * eta * now), world=_FREE_E20),
    x=but(le(eta * grad2 / 2, L * eta * now / 2), world=_FREE_E20),
    y=but(le(eta * grad2 / 2, _ABOVE), world=_FREE_E20),
)

_FREE_E21 = one_step_sums().defining({bend: _GAMMA_T})
_LONG = one_step_sums(longest=1.0).defining({bend: _GAMMA_T})

_C_E21 = 4 * L * eta**2 * local + 2 * eta * (about - local)
_INSERTED = bend * (L * eta * now + drift / (2 * eta)) - bend * (now - about) + 4 * L * eta**2 * about

E21A = Words(r"""EA-E21a (step; A.10, display (21), first inequality): (20) inserted into (19)
    Print: C\le\gamma_t\sum_i\rho_i^{t+1}\Big[L\eta_t(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))
      +\tfrac1{2\eta_t}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2\Big]-\gamma_t\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)
      -F_i(\mathbf W^*))+4L\eta_t^2\Gamma_t
    Plainly: C is bounded by the excess at the mean model, the drift and Γₜ.
    Assumes: A1, A2 | 0 < ηₜ <= 1/(4L), the hypothesis of Lemma 1 | γₜ = 2ηₜ(1 − 2Lηₜ) | weights on the simplex
    Reading: weights free at every step | The mean under ρᵗ, the sums under ρᵗ⁺¹; quadratic and bent clients.
    Mutant x: the sign of (20) as printed | at Wᵢ = W̄ it has −γₜ(1 + Lηₜ)Σρᵢ(Fᵢ(W̄) − Fᵢ(W*)), and C 1 for 1 + Lηₜ
    Mutant y: drift dropped | flat losses, Wᵢ down the slope: C grows by γₜ‖Wᵢ − W̄‖‖∇Fᵢ‖, Lη(Fᵢ(W̄) − Fᵢ*) is small
    Mutant z: steps up to 1/L | beyond 1/(2L) γₜ is negative, and (20) multiplied by −γₜ turns round
    Tight: every Wᵢ at W̄ = Wᵢ*
    Rests on: EA-E19, EA-E20a, EA-E20b, EA-E20c, EA-S4
    Verdict: It does not follow from (20) as printed, whose last two lines have the wrong sign and W* for Wᵢ*, but it
      does from (20) with the sign of AM–GM and Wᵢ*, and (21) is written so. No violation was found, at any weights: W̄
      may be any point here. It needs γₜ >= 0, which ηₜ <= 1/(4L) gives.""").say(
    le(_C_E21, _INSERTED),
    _FREE_E21,
    x=le(_C_E21, -bend * (L * eta + 1) * (now - about) - bend * drift / (2 * eta) + 4 * L * eta**2 * about),
    y=le(_C_E21, _INSERTED - bend * drift / (2 * eta)),
    z=but(le(_C_E21, _INSERTED), world=_LONG),
)


_WITH_THE_LEAST = (4 * L * eta**2 + bend) * about + bend * (1 - eta * L) * Omega
_WITH_NOW = bend * (1 - eta * L) * now + 2 * eta * Gamma

E21C = Words(r"""EA-E21c (step; A.10, display (21), second inequality): Minimum and maximum over the steps
    Print: 4L\eta_t^2+\gamma_t=2\eta_t,
      \qquad\gamma_t(\eta_tL-1)\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))+2\eta_t\Gamma_t
      \le\gamma_t(\eta_tL-1)\Omega+2\eta_t\Gamma
    Plainly: The excess at step t may be replaced by its minimum, since its factor is negative, and Γₜ by its maximum.
    Assumes: A1, A2 | 0 < ηₜ <= 1/(4L), the hypothesis of Lemma 1 | γₜ = 2ηₜ(1 − 2Lηₜ) | weights on the simplex
    Reading a: 4Lηₜ² + γₜ = 2ηₜ | The coefficient of Γₜ. | part: 4Lη_t² + γ_t = 2η_t
    Reading: minimum and maximum | Over the first two steps of a round, weights free at every step; negative terms stand
      on the other side, and the drift, which both sides have, is left out. | part: minimum and maximum
    Mutant x: twice the minimum | Ω's factor is negative: at the minimum, twice that is too much to take off
    Mutant y: steps up to 1/L | for 1/(2L) < ηₜ < 1/L the factor γₜ(ηₜL − 1) is positive, and the minimum too small
    Tight: the excess at its minimum and Γₜ at its maximum at the same t
    Rests on: EA-E21b, EA-S4
    Verdict: The factor γₜ(ηₜL − 1) is negative for ηₜL < 1/2, so that a smaller excess gives a larger right side, and
      2ηₜ > 0. The identity 4Lηₜ² + γₜ = 2ηₜ is proved; the step holds under ηₜ <= 1/(4L) and fails between 1/(2L) and
      1/L, where the early steps of Theorem 1's schedule can lie.""").say(
    le(
        _WITH_THE_LEAST,
        _WITH_NOW,
        again=lambda bend, eta, L, now, Gamma: bend * now - bend * now * L * eta + Gamma * eta * 2,
    ),
    _FREE_E21,
    a=identity(4 * L * eta**2 + _GAMMA_T, 2 * eta),
    x=le(_WITH_THE_LEAST, _WITH_NOW - bend * (1 - eta * L) * Omega),
    y=but(le(_WITH_THE_LEAST, _WITH_NOW), world=_LONG),
)


EA_E21D = Words(r"""EA-E21d (step; A.10, display (21)): Expansion of γₜ(ηₜL − 1)
    Print: \gamma_t(\eta_tL-1)=6\eta_t^2L-2\eta_t-4\eta_t^3L^2,\qquad\gamma_t=2\eta_t(1-2L\eta_t)
    Plainly: The coefficient of Ω in the one-step bound expands as printed.
    Assumes: γₜ = 2ηₜ(1 − 2Lηₜ) from (19)
    Mutant x: sign of the cubic term changed | the product of the leading terms −4Lη²·ηL is −4η³L²
    Verdict: Multiplying out gives the printed polynomial exactly.""").say(
    eq(_GAMMA_T * (eta * L - 1), 6 * eta**2 * L - 2 * eta - 4 * eta**3 * L**2),
    x=eq(_GAMMA_T * (eta * L - 1), 6 * eta**2 * L - 2 * eta + 4 * eta**3 * L**2),
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

E21E = Words(r"""EA-E21e (step; A.10, display (21), last inequality): The cubic term dropped
    Print: (6\eta_t^2L-2\eta_t-4\eta_t^3L^2)\Omega+2\eta_t\Gamma+\frac{\gamma_t}{2\eta_t}\sum_i\rho_i^{t+1}\|\cdot\|^2
      \le6\eta_t^2L\Omega+2\eta_t(\Gamma-\Omega)+\sum_i\rho_i^{t+1}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2
    Plainly: Dropping −4ηₜ³L²Ω and replacing γₜ/(2ηₜ) by 1 can only raise the bound.
    Assumes: 0 < ηₜ <= 1/(4L) | Ω >= 0, as a weighted mean of excess losses | γₜ = 2ηₜ(1 − 2Lηₜ)
    Reading: as printed | Any Ω >= 0, Γ and drift.
    Mutant x: sign of the cubic term changed | 8η³L²Ω off in place of 4η³L²Ω is too much where the drift is small
    Mutant y: half of the drift | γₜ/(2ηₜ) = 1 − 2Lηₜ is more than a half for ηₜ < 1/(4L)
    Mutant z: Ω of any sign | for Ω < 0 the dropped term is positive, and larger than what the drift gains
    Tight: ηₜL → 0, or Ω = 0 and no drift
    Rests on: EA-E21c, EA-E21d, EA-S4
    Verdict: The two sides differ by 4ηₜ³L²Ω + 2Lηₜ Σρᵢ‖Wᵢ − W̄‖², and both terms are non-negative: Ω is a weighted mean
      of excess losses. It does not even need the bound on the step.""").say(
    le(_BEFORE_DROPPING, _LAST),
    _POSITIVE,
    x=le(_BEFORE_DROPPING, _LAST - 8 * eta**3 * L**2 * Omega),
    y=le(_BEFORE_DROPPING, _LAST - drift / 2),
    z=but(le(_BEFORE_DROPPING, _LAST), world=_SIGNED),
)

_BEND = 2 * step * (1 - 2 * step)  # γₜ in units of 1/L
_COEFFICIENTS = all_of(le(step - 1, -Rational(3, 4)), le(_BEND / (2 * step), 1), le(0, _BEND))
_SUMS = all_of(le(0, now), le(0, Gamma), le(0, 4 * step**3 * now))

_LENGTHS = numbers(
    NOTATION, "ηL up to 1/4", LogScale("length", 1e-6, 0.25, at=(0.25,)), where=(lt(0, step), le(4 * step, 1))
)


def _schedule(name: str, offset: Any) -> World:
    """ηₜL = 2κ/(γ + t) for every κ and t."""
    drawn = (LogScale("kappa", 1.0, 1e4, at=(1.0, 10.0, 1e4)), Integer("t", 0, 1000, at=(1,)))
    world = numbers(NOTATION, name, *drawn, where=(le(1, kappa), le(0, t)))
    return world.defining({step: 2 * kappa / (offset + t)})


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

S4 = Words(r"""EA-S4 (step; A.10, after (21)): Signs used in the proof of Lemma 1
    Print: \eta_tL-1\le-\tfrac34,\quad\frac{\gamma_t}{2\eta_t}\le1,\quad\gamma_t\ge0,\quad4\eta_t^3L^2\Omega\ge0,
      \quad\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))\ge0,\quad\Gamma\ge0
    Plainly: Under Lemma 1's condition on the step the coefficients and sums of its proof have the signs it uses.
    Assumes: ηₜ <= 1/(4L), the hypothesis of Lemma 1 | γₜ = 2ηₜ(1 − 2Lηₜ) | weights on the simplex
    Reading: coefficients | ηₜL − 1, γₜ/(2ηₜ) and γₜ, for every ηₜL in (0, 1/4]. | part: coefficients
    Reading b: sums | Ω's summand, Γ's and 4ηₜ³L²Ω, for any weights and points, quadratic clients on the line. | part:
      sums
    Mutant x: the steps of Theorem 1 | with γ = L/μ the first step has ηL = 2, so ηL − 1 = 1
    Mutant y: the steps of A.9 at t = 0 | with γ = 8κ − 1 the first step has ηL = 2κ/(8κ − 1) > 1/4
    Mutant z: excess over Fᵢ(W*) in place of Fᵢ(Wᵢ*) | with the weight on one client W̄ᵗ may be better for it than W* is
    Tight: ηₜ = 1/(4L) for the first
    Verdict: Under ηₜ <= 1/(4L) every sign is as the proof says: γₜ/(2ηₜ) = 1 − 2Lηₜ lies between 1/2 and 1, and the
      sums are weighted means of non-negative excesses. Whether the steps of the theorem meet that hypothesis is another
      matter (EA-S3): with γ = L/μ the first sign fails for t < 7L/μ, with A.9's γ by a little at t = 0.""").say(
    _COEFFICIENTS,
    _LENGTHS,
    b=but(_SUMS, world=_ON_THE_LINE),
    x=_schedule("γ = L/μ", kappa),
    y=_schedule("γ of A.9", 8 * kappa - 1),
    z=but(_SUMS, world=over(_clients(2, about_best=True), _clients(3, about_best=True))),
)

CLAIMS = (E19, E21B, E20A, E20B, E20C, E21A, E21C, EA_E21D, E21E, S4)
