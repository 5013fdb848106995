"""RA-E18, the speed term of FedAvg-generalized: Corollary 1 at ρ̄ = 1 against the printed equation (18)."""

from __future__ import annotations

from typing import Any

from validation import Canary, Claim, Identity, Kind, Reading, symbols

__all__ = ["RA_E18"]

L, mu, tau, G2, sigma2, Gamma, gamma, delta0, rho = symbols("L mu tau G2 sigma2 Gamma gamma delta0 rho")
more, apart, away = symbols("more apart away")
_V_MIN = 8 * L**2 * Gamma / mu**2 + L * gamma * delta0 / 2
_SPEED = 4 * L * (32 * tau**2 * G2 + sigma2) / (3 * mu**2 * rho) + _V_MIN
_AT_ONE = _SPEED.subs(rho, 1)
# Constants of a run that exists: two equal shares of curvature μ with minimisers ±apart, started `away` from w* = 0, and
# a second coordinate of curvature L = μ + more that nothing moves.
_OF_A_RUN = {
    gamma: 4 * (mu + more) / mu,
    L: mu + more,
    Gamma: mu * apart**2 / 2,
    delta0: away**2,
    G2: mu**2 * (apart + away) ** 2 + sigma2,
}


def _printed(numerator: Any) -> Identity:
    """V of Corollary 1 at ρ̄ = 1 against V_min plus the fraction with this numerator, on such runs."""
    return Identity(_AT_ONE.subs(_OF_A_RUN), (_V_MIN + numerator / (3 * mu**2)).subs(_OF_A_RUN))


RA_E18 = Claim(
    id="RA-E18",
    kind=Kind.IDENTITY,
    source="Eq. (18), Sec. 3.1",
    title="Speed term of FedAvg-generalized",
    statement=r"V=V_{\min}+\frac{4L-32\tau^2G^2+\sigma^2}{3\mu^2}\qquad\text{for }\overline\rho=1",
    says="For FedAvg-generalized the speed term of Corollary 1 is V_min plus the printed fraction.",
    assumes=("V and V_min as in Corollary 1 and Remark 5", "αᵢ = pᵢ, hence ρ̄ = ρ̃ = 1"),
    readings=(
        Reading(
            "minus sign as printed",
            "The numerator is 4L − 32τ²G² + σ².",
            _printed(4 * L - 32 * tau**2 * G2 + sigma2),
        ),
        Reading(
            "minus read as a multiplication sign",
            "An edit, for a damaged «·»: the numerator is 4L·32τ²G² + σ².",
            _printed(4 * L * 32 * tau**2 * G2 + sigma2),
        ),
        Reading(
            "minus read as an opening parenthesis",
            "An edit, for a damaged «(» whose partner is lost with it: the numerator is 4L(32τ²G² + σ²), "
            "as in Corollary 1. For all values of the constants.",
            Identity(_AT_ONE, _V_MIN + 4 * L * (32 * tau**2 * G2 + sigma2) / (3 * mu**2)),
        ),
    ),
    canaries=(
        Canary(
            "constant 32 halved, with the parentheses",
            Identity(_AT_ONE, _V_MIN + 4 * L * (16 * tau**2 * G2 + sigma2) / (3 * mu**2)),
            "the two sides then differ by 64 L τ² G²/(3μ²) > 0",
        ),
    ),
    depends_on=("RA-C1",),
    verdict_words=(
        "The minus sign has to be an opening parenthesis, 4L(32τ²G² + σ²), whose partner is lost with "
        "it, and (18) is then Corollary 1 at ρ̄ = 1. Corollary 1 prints just this numerator, Remark 5 "
        "the rest of V as V_min, and αᵢ = pᵢ gives ρ̄ = 1. With the minus sign (18) adds quantities of "
        "different units, a curvature and a squared gradient, and can make the speed term smaller than "
        "V_min. Read as a multiplication sign it is wrong, too. The parentheses may have been lost in "
        "the copy used here; a typeset copy would tell. Nothing else in the paper uses the printed form."
    ),
)

CLAIMS: tuple[Claim, ...] = (RA_E18,)
