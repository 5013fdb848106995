"""RA-E18, the speed term of FedAvg-generalized: Corollary 1 at ρ̄ = 1 against the printed equation (18)."""

from __future__ import annotations

from validation import Canary, Claim, Identity, Kind, Reading, symbols

__all__ = ["RA_E18"]

L, mu, tau, G2, sigma2, Gamma, gamma, delta0, rho = symbols("L mu tau G2 sigma2 Gamma gamma delta0 rho")
_V_MIN = 8 * L**2 * Gamma / mu**2 + L * gamma * delta0 / 2
_SPEED = 4 * L * (32 * tau**2 * G2 + sigma2) / (3 * mu**2 * rho) + _V_MIN
_AT_ONE = _SPEED.subs(rho, 1)

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
            Identity(_AT_ONE, _V_MIN + (4 * L - 32 * tau**2 * G2 + sigma2) / (3 * mu**2)),
        ),
        Reading(
            "minus read as a multiplication sign",
            "Charitable reading of a damaged «·»: the numerator is 4L·32τ²G² + σ².",
            Identity(_AT_ONE, _V_MIN + (4 * L * 32 * tau**2 * G2 + sigma2) / (3 * mu**2)),
        ),
        Reading(
            "the numerator 4L(32τ²G² + σ²)",
            "The minus sign replaced by the parentheses of Corollary 1.",
            Identity(_AT_ONE, _V_MIN + 4 * L * (32 * tau**2 * G2 + sigma2) / (3 * mu**2)),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "constant 32 halved in the repaired form",
            Identity(_AT_ONE, _V_MIN + 4 * L * (16 * tau**2 * G2 + sigma2) / (3 * mu**2)),
            "the two sides then differ by 64 L τ² G²/(3μ²) > 0",
        ),
    ),
    depends_on=("RA-C1",),
    verdict_words=(
        "Putting ρ̄ = 1 into Corollary 1 gives 4L(32τ²G² + σ²) in the numerator. The printed numerator adds quantities "
        "of different units (a curvature and a squared gradient) and can make the speed term smaller than V_min. It "
        "looks like a lost pair of parentheses; nothing else in the paper uses the printed form."
    ),
)
