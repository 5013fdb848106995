"""The bounds of the terms of one step in the proof of EFL's Theorem 1: (33), (34) and (37)-(39)."""

from __future__ import annotations

from typing import Any

from paper_checks.efl.one_step_models import A1, B1, B2, CONVEX, SMOOTH, stated
from validation import Canary, Claim, Kind, Reading, symbols

__all__ = ["CLAIMS"]

eta, mu, L, theta, before, far, apart, slopes, above, gap, jensen = symbols(
    "eta mu L theta before far apart slopes above gap jensen"
)
own_above, own_gap, own_inner = symbols("own_above own_gap own_inner")


def smooth_again(L: Any, own_above: Any) -> Any:
    """The right side of (33)."""
    return L * own_above + L * own_above


E33 = Claim(
    id="EFL-E33",
    kind=Kind.INEQUALITY,
    source="Eq. (33), A.2.1",
    title="Gradient against excess loss",
    statement=(
        r"\|\alpha_{\tau E+j}^k\overline g_{\tau E+j}^k\|^2\le2L(\widetilde F_k(\omega_{\tau E+j}^k)-\widetilde F_k^*)\alpha_{\tau E+j}^k"
    ),
    says="The squared gradient of an L-smooth function is at most 2L times its excess over its minimum.",
    assumes=("A1", "α in {0, 1}"),
    readings=(Reading("as printed", "Quadratic clients, any point.", stated(SMOOTH, 2 * L * own_above, smooth_again)),),
    canaries=(
        Canary("factor 2 dropped", stated(SMOOTH, L * own_above), "curvature L everywhere attains the factor 2"),
    ),
    tight="ω − m along the largest curvature",
    depends_on=("EFL-A1",),
    verdict_words="Standard for smooth functions that have a minimum; attained by quadratics of curvature L.",
)


def b2_again(eta: Any, jensen: Any) -> Any:
    """The middle member of (34)."""
    return eta * (jensen * eta)


def b2_last_again(eta: Any, L: Any, theta: Any, above: Any) -> Any:
    """The last member of (34)."""
    return (eta * eta * theta) * (2 * L * above)


E34 = Claim(
    id="EFL-E34",
    kind=Kind.INEQUALITY,
    source="Eq. (34), A.2.1",
    title="Bound of B₂",
    statement=(
        r"B_2=\eta_\tau^2\Big\|\sum_kp_\tau^k\alpha_{\tau E+j}^k\overline g_{\tau E+j}^k\Big\|^2\le\eta_\tau^2\sum_k"
        r"\frac{(p_\tau^k)^2}{p^k}\|\alpha_{\tau E+j}^k\overline g_{\tau E+j}^k\|^2\le2L\theta\eta_\tau^2\sum_kp_\tau^k"
        r"(\widetilde F_k(\omega_{\tau E+j}^k)-\widetilde F_k^*)\alpha_{\tau E+j}^k"
    ),
    says="The squared averaged gradient is at most 2Lθη² times the weighted excess losses.",
    assumes=("A1", "A5: p_τᵏ < θpᵏ", "Σpᵏ = 1"),
    readings=(
        Reading("first to middle member", "Jensen with the weights pᵏ.", stated(B2, eta**2 * jensen, b2_again)),
        Reading("first to last member", "With (33) and A5.", stated(B2, 2 * L * theta * eta**2 * above, b2_last_again)),
    ),
    canaries=(
        Canary(
            "θ dropped",
            stated(B2, 2 * L * eta**2 * above),
            "one client with p = 10 pᵏ: the left side has p², the right side p",
        ),
    ),
    tight="one client of curvature L and θ = p_τᵏ/pᵏ, which A5 allows only in the limit",
    depends_on=("EFL-E33", "EFL-A5"),
    verdict_words="Jensen's inequality for the shares pᵏ, then (33) and p_τᵏ <= θpᵏ; no violation.",
)


def convex_again(own_inner: Any, own_above: Any) -> Any:
    """(37) solved for its last term."""
    return -own_above + own_inner


def convex_repaired_again(own_inner: Any, own_above: Any, own_gap: Any) -> Any:
    """The same with F(w*)."""
    return own_gap + own_inner - own_above


_SLIP = "F̃ₖ(ω*) in place of F̃ₖ*, which is what strong convexity between ωᵏ and ω* gives and what (42) starts from."
E37 = Claim(
    id="EFL-E37",
    kind=Kind.INEQUALITY,
    source="Eq. (37), A.2.1",
    title="Strong convexity step",
    statement=(
        r"\langle\omega_{\tau E+j}^k-\omega^*,\alpha\overline g_{\tau E+j}^k\rangle\ge\Big(\widetilde F_k(\omega_{\tau E+j}^k)"
        r"-\widetilde F_k^*+\frac\mu2\|\omega_{\tau E+j}^k-\omega^*\|^2\Big)\alpha_{\tau E+j}^k"
    ),
    says="The inner product with the gradient is at least the excess loss plus half μ times the squared distance.",
    assumes=("A2", "F̃ₖ* the minimum of F̃ₖ, ω* the minimiser of F (Sec. 3.1)", "solved for (μ/2)‖ωᵏ − ω*‖²α"),
    readings=(
        Reading(
            "F̃ₖ*, as printed",
            "Excess over the client's own minimum.",
            stated(CONVEX, own_inner - own_above, convex_again),
        ),
        Reading(
            "F̃ₖ(ω*)",
            _SLIP,
            stated(CONVEX, own_inner - own_above + own_gap, convex_repaired_again),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "μ in place of μ/2, with F̃ₖ(ω*)",
            stated(CONVEX, (own_inner - own_above + own_gap) / 2),
            "one curvature μ: both sides of the repaired inequality are equal",
        ),
    ),
    tight="the repaired one: curvature μ in the direction of ωᵏ − ω*",
    depends_on=("EFL-A2", "EFL-DEF1"),
    verdict_words=(
        "A misprint: F̃ₖ* stands where F̃ₖ(ω*) belongs. Strong convexity between ωᵏ and ω* gives the inequality with "
        "F̃ₖ(ω*), and the first line of (42) is what follows from it. As printed it is false: at ωᵏ = ω* the left "
        "side is 0 and the right side Dₖ, which is positive for every client whose own minimiser is not ω*. The slip "
        "is carried through (38) and (39); from (42) on the proof has the right expression."
    ),
)


def b1_again(eta: Any, mu: Any, far: Any, apart: Any, slopes: Any, above: Any) -> Any:
    """The right side of (38)."""
    return apart + eta * (eta * slopes - 2 * above) - mu * eta * far


def b1_repaired_again(eta: Any, mu: Any, far: Any, apart: Any, slopes: Any, above: Any, gap: Any) -> Any:
    """The same with F(w*)."""
    return apart + slopes * eta**2 - eta * (2 * above - 2 * gap + mu * far)


_B1_PRINTED = apart + eta**2 * slopes - 2 * eta * (above + mu / 2 * far)
E38 = Claim(
    id="EFL-E38",
    kind=Kind.INEQUALITY,
    source="Eq. (38), A.2.1",
    title="Bound of B₁",
    statement=(
        r"B_1\le\sum_kp_\tau^k\alpha_{\tau E+j}^k\Big(\|\overline\omega_{\tau E+j}-\omega_{\tau E+j}^k\|^2+\eta_\tau^2\|"
        r"\overline g^k\|^2-2\eta_\tau\Big(\widetilde F_k(\omega^k_{\tau E+j})-\widetilde F_k^*+\frac\mu2\|\omega^k_{\tau E+j}-\omega^*\|^2"
        r"\Big)\Big)"
    ),
    says="The inner product is bounded by drift, squared gradients and minus the excess losses.",
    assumes=("A2", "(35), (36), (37)"),
    readings=(
        Reading("F̃ₖ*, as printed", "Excess over the client's own minimum.", stated(B1, _B1_PRINTED, b1_again)),
        Reading("F̃ₖ(ω*)", _SLIP, stated(B1, _B1_PRINTED + 2 * eta * gap, b1_repaired_again), repair="edit"),
    ),
    canaries=(
        Canary(
            "η²‖ḡ‖² dropped, with F̃ₖ(ω*)",
            stated(B1, _B1_PRINTED + 2 * eta * gap - eta**2 * slopes),
            "Young's inequality then has only one of its two squares: with ω̄ − ωᵏ = −ηḡ it is 2η² against η²",
        ),
    ),
    depends_on=("EFL-E35", "EFL-E36", "EFL-E37"),
    verdict_words=(
        "The misprint of (37), carried on: F̃ₖ* stands where F̃ₖ(ω*) belongs. (35), (36) and the corrected (37) give "
        "the line with F̃ₖ(ω*), and (42) starts from it. As printed it is false for short steps: with all models at "
        "ω* the left side is 0 and the right side Σpα(η²‖ḡ‖² − 2ηDₖ), which is then negative."
    ),
)


def a1_again(eta: Any, mu: Any, L: Any, theta: Any, before: Any, far: Any, apart: Any, slopes: Any, above: Any) -> Any:
    """The middle member of (39)."""
    return before + 2 * L * theta * above * eta**2 + apart + slopes * eta**2 - eta * (2 * above + mu * far)


def a1_last_again(eta: Any, mu: Any, L: Any, theta: Any, before: Any, far: Any, apart: Any, above: Any) -> Any:
    """The last member of (39)."""
    return before + apart - eta * mu * far + above * (2 * L * eta**2 + 2 * L * theta * eta**2 - 2 * eta)


def a1_repaired_again(
    eta: Any, mu: Any, L: Any, theta: Any, before: Any, far: Any, apart: Any, above: Any, gap: Any
) -> Any:
    """The last member with F(w*) in its last sum."""
    return before + apart - eta * mu * far + 2 * L * eta**2 * (above + theta * above) + 2 * eta * (gap - above)


_A1_MIDDLE = before + 2 * L * theta * eta**2 * above + _B1_PRINTED
_A1_LAST = before - mu * eta * far + apart + 2 * (1 + theta) * L * eta**2 * above - 2 * eta * above
E39 = Claim(
    id="EFL-E39",
    kind=Kind.INEQUALITY,
    source="Eq. (39), A.2.1",
    title="Bound of A₁, first form",
    statement=(
        r"A_1\le\|\overline\omega_{\tau E+j}-\omega^*\|^2-\mu\eta_\tau\sum_kp_\tau^k\alpha\|\omega^k-\omega^*\|^2+\sum_kp_\tau^k\alpha"
        r"\|\overline\omega-\omega^k\|^2+2(1+\theta)L\eta_\tau^2\sum_kp_\tau^k\alpha(\widetilde F_k(\omega^k)-\widetilde F_k^*)"
        r"-2\eta_\tau\sum_kp_\tau^k\alpha(\widetilde F_k(\omega^k)-\widetilde F_k^*)"
    ),
    says="The squared distance after a full-gradient step, in terms of drift, distances and excess losses.",
    assumes=("A1, A2, A5", "(33), (34), (38)"),
    readings=(
        Reading("middle member as printed", "F̃ₖ* throughout.", stated(A1, _A1_MIDDLE, a1_again)),
        Reading("last member as printed", "F̃ₖ* throughout.", stated(A1, _A1_LAST, a1_last_again)),
        Reading(
            "F̃ₖ(ω*) in the last sum",
            _SLIP,
            stated(A1, _A1_LAST + 2 * eta * gap, a1_repaired_again),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "2Lη² in place of 2(1 + θ)Lη², with F̃ₖ(ω*)",
            stated(A1, _A1_LAST + 2 * eta * gap - 2 * theta * L * eta**2 * above),
            "one client of curvature L and large p: the left side grows with p²η², the right side with pη²",
        ),
    ),
    depends_on=("EFL-E32", "EFL-E33", "EFL-E34", "EFL-E38"),
    verdict_words=(
        "The misprint of (37), carried on: in the last sum F̃ₖ* stands where F̃ₖ(ω*) belongs. With F̃ₖ(ω*) there, as "
        "the first line of (42) has it, no violation was found, and (33), (34) and the corrected (38) prove it. The "
        "same correction in the bracket of the middle member follows from (34) and (38). As printed both members are "
        "false: with all models at ω* and a short step they are negative, while A₁ is a square. The F̃ₖ* of the other "
        "sums is right; it comes from (33)."
    ),
)

CLAIMS: tuple[Claim, ...] = (E33, E34, E37, E38, E39)
