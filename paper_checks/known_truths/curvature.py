"""K1 to K6: what L-smoothness and μ-strong convexity say of one or two points."""

from __future__ import annotations

from typing import Any

from paper_checks.known_truths.curvature_cases import families
from validation import Bound, Canary, Claim, Family, Inequality, Kind, Reading, symbols

__all__ = ["CLAIMS"]

L, mu, F_x, F_y, linear, step2 = symbols("L mu F_x F_y linear step2")
excess, grad2, top2, inner = symbols("excess grad2 top2 inner")
DEGREES = {
    **dict.fromkeys(("L", "mu"), (1, -2)),
    **dict.fromkeys(("grad2", "top2"), (2, -2)),
    "step2": (0, 2),
    **dict.fromkeys(("F_x", "F_y", "linear", "excess", "inner"), (1, 0)),
}

_SETTING = ("F is μ-strongly convex and L-smooth, with minimiser w* and F* = F(w*)",)
_BOTH = ("quadratic", "bent quadratic")
_ABOVE, _BELOW = families("bregman", *_BOTH), families("parabola", *_BOTH)
_GRADIENT, _EXCESS = families("gradient", *_BOTH), families("excess", *_BOTH)
_CHANGE, _DISTANCE = families("change", *_BOTH), families("distance", *_BOTH)


def _as_stated(expression: Any, again: Any, cases: tuple[Family, ...], degrees: tuple[int, int]) -> Reading:
    words = (
        "Quadratics in any basis, and functions with one curvature near w* and a smaller one farther out along each "
        "axis; w* = 0 and F* = 0 by translation."
    )
    return Reading("as stated", words, Inequality(Bound(expression, again, DEGREES), cases, degrees=degrees))


K1 = Claim(
    id="K1",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Parabola above an L-smooth function",
    statement=r"F(y)-F(x)-\langle\nabla F(x),y-x\rangle\le\frac L2\|y-x\|^2",
    says="An L-smooth F exceeds its tangent by at most (L/2)‖y − x‖².",
    assumes=_SETTING,
    readings=(_as_stated(L * step2 / 2, lambda L, step2: L / 2 * step2, _ABOVE, (1, 0)),),
    canaries=(
        Canary(
            "μ in place of L",
            Inequality(Bound(mu * step2 / 2), _ABOVE),
            "a step along the axis of the largest curvature gains (L/2)‖y − x‖², which is more for μ < L",
        ),
        Canary(
            "inner product dropped on the left",
            Inequality(Bound(L * step2 / 2 - linear), _ABOVE),
            "F(w) = w²/2 from x = 1 to y = 2 rises by 3/2, and (L/2)‖y − x‖² = 1/2",
        ),
        Canary(
            "‖y − x‖ to the fourth power",
            Inequality(Bound(L * step2**2 / 2), _ABOVE),
            "attained above along the largest curvature, and ‖y − x‖⁴ < ‖y − x‖² for steps shorter than 1",
        ),
    ),
    tight="y − x along the axis of the largest curvature",
    verdict_words=(
        "The gradient changes along the segment by at most L times the distance gone; integrating that from x to y "
        "gives (L/2)‖y − x‖². A quadratic of curvature L attains it."
    ),
    supremum=1.0,
)

K2 = Claim(
    id="K2",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Parabola below a strongly convex function",
    statement=r"\frac\mu2\|y-x\|^2\le F(y)-F(x)-\langle\nabla F(x),y-x\rangle",
    says="A μ-strongly convex F exceeds its tangent by at least (μ/2)‖y − x‖².",
    assumes=_SETTING,
    readings=(_as_stated(F_y - F_x - linear, lambda F_x, F_y, linear: F_y - (F_x + linear), _BELOW, (1, 0)),),
    canaries=(
        Canary(
            "L in place of μ",
            Inequality(Bound((F_y - F_x - linear) * mu / L), _BELOW),
            "a step along the axis of the smallest curvature gains only (μ/2)‖y − x‖², which is less for μ < L",
        ),
        Canary(
            "sign of the inner product",
            Inequality(Bound(F_y - F_x + linear), _BELOW),
            "F(w) = w²/2 from x = 1 to y = 0: the left side is 1/2, the right side 0 − 1/2 − 1",
        ),
        Canary(
            "inner product dropped",
            Inequality(Bound(F_y - F_x), _BELOW),
            "towards the minimiser F falls, so the right side is negative",
        ),
    ),
    tight="y − x along the axis of the smallest curvature",
    verdict_words=(
        "The gradient changes along the segment by at least μ times the distance gone, measured along it; integrating "
        "that gives (μ/2)‖y − x‖². A quadratic of curvature μ attains it."
    ),
    supremum=1.0,
)

K3 = Claim(
    id="K3",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Gradient against excess loss, from above",
    statement=r"\|\nabla F(w)\|^2\le2L\,(F(w)-F^\star)",
    says="The squared gradient of an L-smooth F is at most 2L times its excess loss.",
    assumes=_SETTING,
    readings=(_as_stated(2 * L * excess, lambda L, excess: (L + L) * excess, _GRADIENT, (2, -2)),),
    canaries=(
        Canary(
            "factor 2 lost",
            Inequality(Bound(L * excess), _GRADIENT),
            "F(w) = (L/2)w² has F'(w)² = L²w² = 2L(F(w) − F*), twice the right side",
        ),
        Canary(
            "μ in place of L",
            Inequality(Bound(2 * mu * excess), _GRADIENT),
            "along the axis of the largest curvature both printed sides are equal, and μ < L",
        ),
        Canary(
            "excess loss squared",
            Inequality(Bound(2 * L * excess**2), _GRADIENT),
            "for F(w) = (L/2)w² both printed sides are equal, and the excess is below 1 near w*",
        ),
    ),
    tight="w − w* along the axis of the largest curvature",
    verdict_words=(
        "A gradient step of length 1/L lowers an L-smooth F by at least ‖∇F‖²/(2L), and cannot get below F*. A "
        "quadratic of curvature L attains it."
    ),
    supremum=1.0,
)

K4 = Claim(
    id="K4",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Gradient against excess loss, from below",
    statement=r"2\mu\,(F(w)-F^\star)\le\|\nabla F(w)\|^2",
    says="The squared gradient of a μ-strongly convex F is at least 2μ times its excess loss.",
    assumes=_SETTING,
    readings=(_as_stated(grad2, lambda grad2: 1 * grad2, _EXCESS, (2, -2)),),
    canaries=(
        Canary(
            "L in place of μ",
            Inequality(Bound(grad2 * mu / L), _EXCESS),
            "along the axis of the smallest curvature the squared gradient is 2μ(F − F*), less than 2L(F − F*)",
        ),
        Canary(
            "largest entry in place of the norm",
            Inequality(Bound(top2), _EXCESS),
            "F(w) = ‖w‖²/2 in the plane at w = (1, 1): the left side is 2, the largest squared entry 1",
        ),
        Canary(
            "‖∇F‖ to the fourth power",
            Inequality(Bound(grad2**2), _EXCESS),
            "for F(w) = w²/2 both printed sides are w², and w⁴ < w² near w* = 0",
        ),
    ),
    tight="w − w* along the axis of the smallest curvature",
    verdict_words=(
        "Minimising both sides of the parabola below F over y gives F* >= F(w) − ‖∇F(w)‖²/(2μ). A quadratic of "
        "curvature μ attains it."
    ),
    supremum=1.0,
)

K5 = Claim(
    id="K5",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Gradients are co-coercive",
    statement=(r"\frac1L\|\nabla F(x)-\nabla F(y)\|^2\le\langle\nabla F(x)-\nabla F(y),x-y\rangle"),
    says="For convex L-smooth F, ‖∇F(x) − ∇F(y)‖²/L is at most the inner product of the changes.",
    assumes=_SETTING,
    readings=(_as_stated(inner, lambda inner: inner + 0, _CHANGE, (1, 0)),),
    canaries=(
        Canary(
            "μ in place of L",
            Inequality(Bound(inner * mu / L), _CHANGE),
            "along the axis of the largest curvature both printed sides are L‖x − y‖², and 1/μ > 1/L",
        ),
        Canary(
            "convexity removed",
            Inequality(Bound(inner), families("change", "indefinite quadratic")),
            "F(w) = −(L/2)w²: the left side is L‖x − y‖² > 0, the right side −L‖x − y‖²",
        ),
        Canary(
            "inner product replaced by μ‖x − y‖²",
            Inequality(Bound(mu * step2), _CHANGE),
            "along the axis of the largest curvature the left side is L‖x − y‖² > μ‖x − y‖²",
        ),
    ),
    tight="x − y along the axis of the largest curvature",
    verdict_words=(
        "F minus its tangent at x is convex, L-smooth and minimal at x, so its excess at y is at least "
        "‖∇F(x) − ∇F(y)‖²/(2L); adding the same with x and y exchanged gives the statement."
    ),
    supremum=1.0,
)

K6 = Claim(
    id="K6",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Distance to the minimiser from the gradient",
    statement=r"\mu\|w-w^\star\|\le\|\nabla F(w)\|",
    says="The gradient is at least μ times the distance to the minimiser; both sides are squared here.",
    assumes=_SETTING,
    readings=(_as_stated(grad2, lambda grad2: grad2 / 1, _DISTANCE, (2, -2)),),
    canaries=(
        Canary(
            "L in place of μ",
            Inequality(Bound(grad2 * mu**2 / L**2), _DISTANCE),
            "along the axis of the smallest curvature the gradient is μ‖w − w*‖ < L‖w − w*‖",
        ),
        Canary(
            "μ² lowered to μ",
            Inequality(Bound(grad2 * mu), _DISTANCE),
            "it says μ‖w − w*‖² <= ‖∇F(w)‖²; for F(w) = μw²/2 that is μ <= μ², false for μ < 1",
        ),
        Canary(
            "largest entry in place of the norm",
            Inequality(Bound(top2), _DISTANCE),
            "F(w) = ‖w‖²/2 in the plane at w = (1, 1): the left side is 2, the largest squared entry 1",
        ),
    ),
    tight="w − w* along the axis of the smallest curvature",
    verdict_words=(
        "Strong convexity gives ⟨∇F(w), w − w*⟩ >= μ‖w − w*‖², and the inner product is at most the product of the "
        "norms. A quadratic of curvature μ attains it."
    ),
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (K1, K2, K3, K4, K5, K6)
