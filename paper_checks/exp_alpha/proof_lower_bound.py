"""EA-E20a, E20b, E20c: the three lower bounds of display (20), of which two are printed with the wrong sign."""

from __future__ import annotations

from typing import Any

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.one_step import one_step_sums
from validation import Claim
from validation.statement.says import le
from validation.world.stated import but, stated

__all__ = ["CLAIMS"]

eta, L, lin, local, grad2, drift, now, about = NOTATION.symbols("eta L lin local grad2 drift now about")
_FREE, _KEPT = one_step_sums(), one_step_sums(kept=True)


def squares_again(eta: Any, grad2: Any, drift: Any) -> Any:
    """½[η‖∇Fᵢ(W̄)‖² + ‖Wᵢ − W̄‖²/η], averaged, once more."""
    return 0.5 * (grad2 * eta + drift / eta)


def above_again(eta: Any, L: Any, now: Any, about: Any) -> Any:
    """½·2Lη(Fᵢ(W̄) − Fᵢ(W*)), averaged, once more."""
    return L * eta * now - L * eta * about


E20A = stated(
    r"""EA-E20a (step; A.10, display (20), first inequality): Convexity along the way from the mean to the local models
    Print: \sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\bar{\mathbf W}^t))
        \ge\sum_i\rho_i^{t+1}\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\bar{\mathbf W}^t)\rangle
    Plainly: Each client's loss at its local model lies above the tangent at the mean model.
    Assumes: A1, A2: every Fᵢ strongly convex and L-smooth | 0 < ηₜ <= 1/(4L) | weights on the simplex
    Reading: weights free at every step | The mean under ρᵗ, the sum under ρᵗ⁺¹; quadratic clients in up to 8
        dimensions, and bent ones; Σρᵢ(Fᵢ(W̄) − Fᵢ*) is added to both sides.
    Mutant: half of the gain | for Wᵢ near W̄ gain and tangent agree to first order, and half of it is less where it
        is positive
    Mutant: sign of the tangent changed | moving down the slope the gain is negative and minus the tangent's value
        positive
    Tight: Wᵢ = W̄ for all i
    Rests on: EA-A1
    Verdict: The definition of convexity at W̄, client by client, so it holds for every point W̄ and all weights.
        The text attributes it to «Assumption 2», which is smoothness; convexity is Assumption 1.""",
    says=le(now + lin, local),
    world=_FREE,
    mutants={"half of the gain": le(now + lin, (local + now) / 2), "sign of the tangent changed": le(now - lin, local)},
)

_SQUARES = (eta * grad2 + drift / eta) / 2

E20B = stated(
    r"""EA-E20b (step; A.10, display (20), second inequality): AM–GM on the inner product
    Print: \sum_i\rho_i^{t+1}\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\bar{\mathbf W}^t)\rangle\ge\tfrac12
        \sum_i\rho_i^{t+1}\big[\eta_t\|\nabla F_i(\bar{\mathbf W}^t)\|^2+\tfrac1{\eta_t}\|\mathbf W_i^t
        -\bar{\mathbf W}^t\|^2\big]
    Plainly: The inner product is at least half the sum of the two squares.
    Assumes: A1, A2: every Fᵢ strongly convex and L-smooth | 0 < ηₜ <= 1/(4L) | weights on the simplex
    Reading: as printed | With W̄ the mean under the weights of the sum, one weight vector a round.
    Reading: minus sign before the half | As AM–GM gives it and (21) uses it; weights free at every step. | edit: −½
        in place of ½ | token | forced by: (21) prints +γ_t Σρ_i[Lη_t(F_i(W̄^t) − F_i(W_i*)) + (1/(2η_t))‖W_i^t −
        W̄^t‖²], which is −γ_t times the bracket with the minus; the AM–GM inequality that the text names gives no
        other sign | carries: yes
    Mutant: minus sign, half of the squares | for Wᵢ = W̄ − η∇Fᵢ(W̄) the corrected inequality is an equality
    Mutant: minus sign, ‖Wᵢ − W̄‖²/η dropped | for Wᵢ = W̄ − 2η∇Fᵢ(W̄) the left side is 2η‖∇Fᵢ‖², four times the
        right side
    Tight: with the minus sign: Wᵢ = W̄ − ηₜ∇Fᵢ(W̄)
    Rests on: EA-E20a
    Verdict: AM–GM bounds an inner product from above by half the sum of squares, and from below by minus it.
        Printed is the lower bound without the minus sign; it fails for a single client, at Wᵢ = W̄, wherever the
        gradient is not 0, and holds only with equality at Wᵢ = W̄ + ηₜ∇Fᵢ(W̄). With the minus sign it holds for all
        weights, and (21) goes on from that form, so this is a slip of the pen: Lemma 1 does not rest on the printed
        sign.""",
    says=le(_SQUARES, lin),
    world=_FREE,
    readings={"as printed": _KEPT, "minus sign before the half": le(-lin, _SQUARES, again=squares_again)},
    mutants={
        "minus sign, half of the squares": le(-lin, _SQUARES / 2),
        "minus sign, ‖Wᵢ − W̄‖²/η dropped": le(-lin, eta * grad2 / 2),
    },
)

_MINUS = "minus sign before the half, Fᵢ(Wᵢ*)"
_ABOVE = L * eta * (now - about)

E20C = stated(
    r"""EA-E20c (step; A.10, display (20), third inequality): Smoothness turns the gradient into an excess loss
    Print: \tfrac12\sum_i\rho_i^{t+1}\big[\eta_t\|\nabla F_i(\bar{\mathbf W}^t)\|^2+\tfrac1{\eta_t}\|\cdot\|^2\big]
        \ge\tfrac12\sum_i\rho_i^{t+1}\big[2L\eta_t(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W^*))
        +\tfrac1{\eta_t}\|\cdot\|^2\big]
    Plainly: The squared gradient is at least 2L times the loss above that of the global optimum.
    Assumes: A1, A2: every Fᵢ strongly convex and L-smooth | 0 < ηₜ <= 1/(4L) | weights on the simplex
    Reading: as printed | Fᵢ(W*) at the global optimum; one weight vector a round.
    Reading: Fᵢ(Wᵢ*) in place of Fᵢ(W*) | As (21) has it, with the printed sign. | edit: F_i(W_i*) in place of
        F_i(W*)
    Reading: minus sign before the half | So that the inequality turns round; Fᵢ(W*) as printed. The spread is on
        both sides and left out. | edit: −½ in place of ½
    Reading: minus sign before the half, Fᵢ(Wᵢ*) | ½ηₜ‖∇Fᵢ(W̄)‖² <= Lηₜ(Fᵢ(W̄) − Fᵢ*), the form that (21) uses;
        weights free at every step. | edit: −½ in place of ½ | edit: F_i(W_i*) in place of F_i(W*) | forced by: (21)
        prints the bracket with F_i(W_i*) and the sign that the minus gives | carries: yes | because: two tokens, of
        which the minus is EA-E20b's; (21) goes on from the corrected form
    Mutant: minus sign before the half, Fᵢ(Wᵢ*), half of it | for a client of curvature L both sides of the
        corrected inequality are equal
    Mutant: minus sign before the half, global optimum | at W̄ = W* the right side is 0, and the clients' gradients
        are not
    Tight: corrected: W̄ − Wᵢ* along an axis of curvature L
    Rests on: EA-E14, EA-E20b
    Verdict: Smoothness gives ‖∇Fᵢ‖² <= 2L(Fᵢ − Fᵢ*), an upper bound on the gradient; printed is a lower one. It can
        fail once a client is flatter than L, and with Fᵢ(Wᵢ*) too. Two slips meet here: the minus sign lost in the
        line before, and W* for Wᵢ*. Turning the sign alone is not enough, since at W̄ = W* the right side vanishes
        and the gradients do not. With both it is EA-E14 at W̄, holds for all weights, and is what (21) goes on
        with.""",
    says=le(_ABOVE + drift / (2 * eta), _SQUARES, again=squares_again),
    world=_KEPT,
    readings={
        "Fᵢ(Wᵢ*) in place of Fᵢ(W*)": le(L * eta * now + drift / (2 * eta), _SQUARES, again=squares_again),
        "minus sign before the half": le(eta * grad2 / 2, _ABOVE, again=above_again),
        _MINUS: but(le(eta * grad2 / 2, L * eta * now), world=_FREE),
    },
    mutants={
        _MINUS + ", half of it": but(le(eta * grad2 / 2, L * eta * now / 2), world=_FREE),
        "minus sign before the half, global optimum": but(le(eta * grad2 / 2, _ABOVE), world=_FREE),
    },
)

CLAIMS: tuple[Claim, ...] = (E20A, E20B, E20C)
