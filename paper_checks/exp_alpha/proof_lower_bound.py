"""EA-E20a, E20b, E20c: the three lower bounds of display (20), of which two are printed with the wrong sign."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.exp_alpha.step_terms import DEGREES, step_inequality, terms_exact
from validation import Bound, Canary, Choice, Claim, Kind, Reading, symbols

__all__ = ["CLAIMS"]

eta, L, lin, local, grad2, spread, now, above = symbols("eta L lin local grad2 spread now above")
_KEPT = (Choice("kept", (1.0,)),)
_STEP = ("A1, A2: every Fᵢ strongly convex and L-smooth", "0 < ηₜ <= 1/(4L)", "weights on the simplex")


def convexity_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: sum rho_i (F_i(W_bar) - F_i* + <W_i - W_bar, grad F_i(W_bar)>), the tangents at W_bar."""
    met, c = terms_exact(x)
    return met, {**c, "lhs": c["now"] + c["lin"]}


def product_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: sum rho_i (F_i(W_bar) - F_i* - <W_i - W_bar, grad F_i(W_bar)>)."""
    met, c = terms_exact(x)
    return met, {**c, "lhs": c["now"] - c["lin"]}


def young_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: (eta |grad F_i(W_bar)|^2 + |W_i - W_bar|^2 / eta) / 2, averaged."""
    met, c = terms_exact(x)
    return met, {**c, "lhs": (c["eta"] * c["grad2"] + c["spread"] / c["eta"]) / 2}


def minus_product_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: minus sum rho_i <W_i - W_bar, grad F_i(W_bar)>."""
    met, c = terms_exact(x)
    return met, {**c, "lhs": -c["lin"]}


def smooth_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: (2 L eta (F_i(W_bar) - F_i(W*)) + |W_i - W_bar|^2 / eta) / 2, averaged."""
    met, c = terms_exact(x)
    return met, {**c, "lhs": c["L"] * c["eta"] * c["above"] + c["spread"] / (2 * c["eta"])}


def smooth_own_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: the same with F_i(W_i*) in place of F_i(W*)."""
    met, c = terms_exact(x)
    return met, {**c, "lhs": c["L"] * c["eta"] * c["now"] + c["spread"] / (2 * c["eta"])}


def slope_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: eta |grad F_i(W_bar)|^2 / 2, averaged."""
    met, c = terms_exact(x)
    return met, {**c, "lhs": c["eta"] * c["grad2"] / 2}


def local_again(local: Any) -> Any:
    """Σρᵢ(Fᵢ(Wᵢ) − Fᵢ*), as measured."""
    return 1 * local


def product_again(lin: Any) -> Any:
    """Σρᵢ⟨Wᵢ − W̄, ∇Fᵢ(W̄)⟩, as measured."""
    return 1 * lin


def squares_again(eta: Any, grad2: Any, spread: Any) -> Any:
    """½[η‖∇Fᵢ(W̄)‖² + ‖Wᵢ − W̄‖²/η], averaged, once more."""
    return 0.5 * (grad2 * eta + spread / eta)


def excess_again(eta: Any, L: Any, now: Any) -> Any:
    """½·2Lη(Fᵢ(W̄) − Fᵢ*), averaged, once more."""
    return 2 * L * eta * now / 2


def above_again(eta: Any, L: Any, above: Any) -> Any:
    """½·2Lη(Fᵢ(W̄) − Fᵢ(W*)), averaged, once more."""
    return 2 * L * eta * above / 2


_LOCAL = Bound(1 * local, again=local_again, degrees=DEGREES)
_PRODUCT = Bound(1 * lin, again=product_again, degrees=DEGREES)
_SQUARES = Bound((eta * grad2 + spread / eta) / 2, again=squares_again, degrees=DEGREES)
_EXCESS = Bound(L * eta * now, again=excess_again, degrees=DEGREES)
_ABOVE = Bound(L * eta * above, again=above_again, degrees=DEGREES)


def _young(c: Mapping[str, Any]) -> Any:
    return 0.5 * c["eta"] * c["grad2"] + 0.5 * c["spread"] / c["eta"]


def _smooth(c: Mapping[str, Any], at: str = "above") -> Any:
    return c["eta"] * c["L"] * c[at] + 0.5 * c["spread"] / c["eta"]


_CONVEX = step_inequality(_LOCAL, lambda c: c["now"] + c["lin"], convexity_exact, (1, 0))

E20A = Claim(
    id="EA-E20a",
    kind=Kind.INEQUALITY,
    source="A.10, display (20), first inequality",
    title="Convexity along the way from the mean to the local models",
    statement=(
        r"\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\bar{\mathbf W}^t))\ge"
        r"\sum_i\rho_i^{t+1}\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\bar{\mathbf W}^t)\rangle"
    ),
    says="Each client's loss at its local model lies above the tangent at the mean model.",
    assumes=_STEP,
    readings=(
        Reading(
            "weights free at every step",
            "The mean under ρᵗ, the sum under ρᵗ⁺¹; quadratic clients in up to 8 dimensions, and bent ones; "
            "Σρᵢ(Fᵢ(W̄) − Fᵢ*) is added to both sides.",
            _CONVEX,
        ),
    ),
    canaries=(
        Canary(
            "half of the gain",
            step_inequality(Bound((local + now) / 2), lambda c: c["now"] + c["lin"], convexity_exact, (1, 0)),
            "for Wᵢ near W̄ gain and tangent agree to first order, and half of it is less where it is positive",
        ),
        Canary(
            "sign of the tangent changed",
            step_inequality(_LOCAL, lambda c: c["now"] - c["lin"], product_exact, (1, 0)),
            "moving down the slope the gain is negative and minus the tangent's value positive",
        ),
    ),
    tight="Wᵢ = W̄ for all i",
    depends_on=("EA-A1",),
    verdict_words=(
        "The definition of convexity at W̄, client by client, so it holds for every point W̄ and all weights. The text "
        "attributes it to «Assumption 2», which is smoothness; convexity is Assumption 1."
    ),
)

_YOUNG = step_inequality(_PRODUCT, _young, young_exact, (1, 0), _KEPT)
_YOUNG_MINUS = step_inequality(_SQUARES, lambda c: -c["lin"], minus_product_exact, (1, 0))

E20B = Claim(
    id="EA-E20b",
    kind=Kind.INEQUALITY,
    source="A.10, display (20), second inequality",
    title="AM–GM on the inner product",
    statement=(
        r"\sum_i\rho_i^{t+1}\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\bar{\mathbf W}^t)\rangle\ge"
        r"\tfrac12\sum_i\rho_i^{t+1}\big[\eta_t\|\nabla F_i(\bar{\mathbf W}^t)\|^2"
        r"+\tfrac1{\eta_t}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2\big]"
    ),
    says="The inner product is at least half the sum of the two squares.",
    assumes=_STEP,
    readings=(
        Reading("as printed", "With W̄ the mean under the weights of the sum, one weight vector a round.", _YOUNG),
        Reading(
            "minus sign before the half",
            "As AM–GM gives it and (21) uses it; weights free at every step.",
            _YOUNG_MINUS,
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "minus sign, half of the squares",
            step_inequality(Bound((eta * grad2 + spread / eta) / 4), lambda c: -c["lin"], minus_product_exact, (1, 0)),
            "for Wᵢ = W̄ − η∇Fᵢ(W̄) the corrected inequality is an equality",
        ),
        Canary(
            "minus sign, ‖Wᵢ − W̄‖²/η dropped",
            step_inequality(Bound(eta * grad2 / 2), lambda c: -c["lin"], minus_product_exact, (1, 0)),
            "for Wᵢ = W̄ − 2η∇Fᵢ(W̄) the left side is 2η‖∇Fᵢ‖², four times the right side",
        ),
    ),
    tight="with the minus sign: Wᵢ = W̄ − ηₜ∇Fᵢ(W̄)",
    depends_on=("EA-E20a",),
    verdict_words=(
        "AM–GM bounds an inner product from above by half the sum of squares, and from below by minus it. Printed is the "
        "lower bound without the minus sign; it fails for a single client, at Wᵢ = W̄, wherever the gradient is not 0, "
        "and holds only with equality at Wᵢ = W̄ + ηₜ∇Fᵢ(W̄). With the minus sign it holds for all weights, and (21) "
        "goes on from that form, so this is a slip of the pen: Lemma 1 does not rest on the printed sign."
    ),
)

_MINUS = "minus sign before the half, Fᵢ(Wᵢ*)"
E20C = Claim(
    id="EA-E20c",
    kind=Kind.INEQUALITY,
    source="A.10, display (20), third inequality",
    title="Smoothness turns the gradient into an excess loss",
    statement=(
        r"\tfrac12\sum_i\rho_i^{t+1}\big[\eta_t\|\nabla F_i(\bar{\mathbf W}^t)\|^2+\tfrac1{\eta_t}\|\cdot\|^2\big]\ge"
        r"\tfrac12\sum_i\rho_i^{t+1}\big[2L\eta_t(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W^*))+\tfrac1{\eta_t}\|\cdot\|^2\big]"
    ),
    says="The squared gradient is at least 2L times the loss above that of the global optimum.",
    assumes=_STEP,
    readings=(
        Reading(
            "as printed",
            "Fᵢ(W*) at the global optimum; one weight vector a round.",
            step_inequality(_SQUARES, _smooth, smooth_exact, (1, 0), _KEPT),
        ),
        Reading(
            "Fᵢ(Wᵢ*) in place of Fᵢ(W*)",
            "As (21) has it, with the printed sign.",
            step_inequality(_SQUARES, lambda c: _smooth(c, "now"), smooth_own_exact, (1, 0), _KEPT),
            repair="edit",
        ),
        Reading(
            "minus sign before the half",
            "So that the inequality turns round; Fᵢ(W*) as printed. The spread is on both sides and left out.",
            step_inequality(_ABOVE, lambda c: c["eta"] * c["grad2"] / 2, slope_exact, (1, 0), _KEPT),
            repair="edit",
        ),
        Reading(
            _MINUS,
            "½ηₜ‖∇Fᵢ(W̄)‖² <= Lηₜ(Fᵢ(W̄) − Fᵢ*), the form that (21) uses; weights free at every step.",
            step_inequality(_EXCESS, lambda c: c["eta"] * c["grad2"] / 2, slope_exact, (1, 0)),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            _MINUS + ", half of it",
            step_inequality(Bound(L * eta * now / 2), lambda c: c["eta"] * c["grad2"] / 2, slope_exact, (1, 0)),
            "for a client of curvature L both sides of the corrected inequality are equal",
        ),
        Canary(
            "minus sign before the half, global optimum",
            step_inequality(_ABOVE, lambda c: c["eta"] * c["grad2"] / 2, slope_exact, (1, 0)),
            "at W̄ = W* the right side is 0, and the clients' gradients are not",
        ),
    ),
    tight="corrected: W̄ − Wᵢ* along an axis of curvature L",
    depends_on=("EA-E14", "EA-E20b"),
    verdict_words=(
        "Smoothness gives ‖∇Fᵢ‖² <= 2L(Fᵢ − Fᵢ*), an upper bound on the gradient; printed is a lower one. It can fail once "
        "a client is flatter than L, and with Fᵢ(Wᵢ*) too. Two slips meet here: the minus sign lost in the line before, "
        "and W* for Wᵢ*. Turning the sign alone is not enough, since at W̄ = W* the right side vanishes and the gradients "
        "do not. With both it is EA-E14 at W̄, holds for all weights, and is what (21) goes on with."
    ),
)

CLAIMS: tuple[Claim, ...] = (E20A, E20B, E20C)
