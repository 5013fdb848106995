"""The bounds on A₁ and A₃ in the proof of Theorem 1: path by path, for clients at any points."""

from __future__ import annotations

from paper_checks.robust_aggregation.points import DEGREES, at_points
from validation import Bound, Canary, Claim, Identity, Inequality, Kind, Reading, symbols

__all__ = ["CLAIMS"]

eta, mu, L, S, far, X, Y, slopes2, E, G2 = symbols("eta mu L S far X Y slopes2 E G2")
towards, at_other = symbols("towards at_other")
w, own, best, slope, other, weight = symbols("w own best slope other weight")
_ANY = "Quadratic clients in up to eight dimensions, any weights, any points."

_A1A = Claim(
    id="RA-P-T1.A1a",
    kind=Kind.IDENTITY,
    source="Proof of Theorem 1 (A.2), bound for A₁, first display",
    title="A₁ split at the local models",
    statement=(
        r"-2\eta_t\Big\langle w_t-w^\star,\sum_i\alpha_t^i\nabla F_i(w_t^i)\Big\rangle=-2\eta_t\sum_i\alpha_t^i\langle w_t-w_t^i,"
        r"\nabla F_i(w_t^i)\rangle-2\eta_t\sum_i\alpha_t^i\langle w_t^i-w^\star,\nabla F_i(w_t^i)\rangle"
    ),
    says="Each client's inner product splits at its own local model.",
    assumes=("one client and one coordinate; both sides are sums over clients and coordinates",),
    readings=(
        Reading(
            "as printed",
            "wₜ − w* = (wₜ − wₜⁱ) + (wₜⁱ − w*).",
            Identity(
                -2 * eta * (w - best) * weight * slope,
                -2 * eta * weight * (w - own) * slope - 2 * eta * weight * (own - best) * slope,
            ),
        ),
    ),
    canaries=(
        Canary(
            "sign of the second part changed",
            Identity(
                -2 * eta * (w - best) * weight * slope,
                -2 * eta * weight * (w - own) * slope + 2 * eta * weight * (own - best) * slope,
            ),
            "the sides then differ by 4η·weight·(own − best)·slope",
        ),
    ),
    verdict_words="Adding and subtracting the local model; true for any vectors.",
)

_YOUNG = Bound(eta * (S / eta + eta * slopes2), again=lambda eta, S, slopes2: S + slopes2 * eta**2, degrees=DEGREES)
_A1B = Claim(
    id="RA-P-T1.A1b",
    kind=Kind.INEQUALITY,
    source="Proof of Theorem 1 (A.2), bound for A₁, «Cauchy–Schwartz»",
    title="The drift part of A₁",
    statement=(
        r"-2\eta_t\sum_i\alpha_t^i\langle w_t-w_t^i,\nabla F_i(w_t^i)\rangle\le\eta_t\sum_i\alpha_t^i\Big(\frac1{\eta_t}"
        r"\|w_t-w_t^i\|^2+\eta_t\|\nabla F_i(w_t^i)\|^2\Big)"
    ),
    says="Twice an inner product is at most the sum of the two squares.",
    assumes=("weights on the simplex", "the second part of A₁ is the same on both sides and left out"),
    readings=(Reading("as printed", _ANY, Inequality(_YOUNG, (at_points(1),), degrees=(0, 2))),),
    canaries=(
        Canary(
            "half of the drift",
            Inequality(Bound(S / 2 + eta**2 * slopes2, degrees=DEGREES), (at_points(1),), degrees=(0, 2)),
            "both printed sides are equal for wₜⁱ − wₜ = η∇Fᵢ(wₜⁱ)",
        ),
        Canary(
            "gradient term dropped",
            Inequality(Bound(S, degrees=DEGREES), (at_points(1),), degrees=(0, 2)),
            "for wₜⁱ − wₜ = η∇Fᵢ(wₜⁱ) the left side is twice the first term",
        ),
    ),
    tight="wₜⁱ − wₜ = η∇Fᵢ(wₜⁱ)",
    verdict_words="Young's inequality, client by client; convexity, which the paper names here, is not needed.",
    supremum=1.0,
)

_GRADIENT = Bound(2 * L * eta**2 * X, again=lambda L, eta, X: X * (eta * L) * eta * 2, degrees=DEGREES)
_A1C = Claim(
    id="RA-P-T1.A1c",
    kind=Kind.INEQUALITY,
    source="Proof of Theorem 1 (A.2), bound for A₁, Assumption 1",
    title="Gradients against excess losses",
    statement=r"\eta_t^2\sum_i\alpha_t^i\|\nabla F_i(w_t^i)\|^2\le2L\eta_t^2\sum_i\alpha_t^i(F_i(w_t^i)-F_i^\star)",
    says="Lemma 1 for each client at its own local model.",
    assumes=("every Fᵢ L-smooth with minimiser wᵢ*", "Fᵢ* = Fᵢ(wᵢ*)"),
    readings=(Reading("as printed", _ANY, Inequality(_GRADIENT, (at_points(2),), degrees=(0, 2))),),
    canaries=(
        Canary(
            "factor 2 dropped",
            Inequality(Bound(L * eta**2 * X, degrees=DEGREES), (at_points(2),), degrees=(0, 2)),
            "in one dimension with equal curvatures both printed sides are equal",
        ),
        Canary(
            "μ in place of L",
            Inequality(Bound(2 * mu * eta**2 * X, degrees=DEGREES), (at_points(2),), degrees=(0, 2)),
            "a client of curvature above μ has a larger squared gradient than 2μ times its excess",
        ),
    ),
    tight="every wₜⁱ − wᵢ* along an axis of curvature L",
    depends_on=("RA-L1", "RA-D3"),
    verdict_words="Lemma 1, applied to each Fᵢ at wₜⁱ, with Fᵢ* the minimum of Fᵢ itself.",
    supremum=1.0,
)

_CONVEX = Bound(
    2 * eta * (towards + at_other),
    again=lambda eta, towards, at_other: eta * at_other * 2 + eta * 2 * towards,
    degrees=DEGREES,
)
_A1D = Claim(
    id="RA-P-T1.A1d",
    kind=Kind.INEQUALITY,
    source="Proof of Theorem 1 (A.2), bound for A₁, Assumption 2",
    title="Strong convexity at the local models",
    statement=(
        r"-2\eta_t\sum_i\alpha_t^i\langle w_t^i-w^\star,\nabla F_i(w_t^i)\rangle\le-2\eta_t\sum_i\alpha_t^i\Big(F_i(w_t^i)"
        r"-F_i(w^\star)+\frac\mu2\|w_t^i-w^\star\|^2\Big)"
    ),
    says="Strong convexity, read at w*, for each client at its own local model.",
    assumes=(
        "every Fᵢ μ-strongly convex",
        "for any point in place of w*, which covers w*",
        "checked as 2ηΣα(Fᵢ(wₜⁱ) − Fᵢ* + (μ/2)‖wₜⁱ − w*‖²) <= 2ηΣα(⟨wₜⁱ − w*, ∇Fᵢ(wₜⁱ)⟩ + Fᵢ(w*) − Fᵢ*), both sides positive",
    ),
    readings=(Reading("as printed", _ANY, Inequality(_CONVEX, (at_points(3),), degrees=(0, 2))),),
    canaries=(
        Canary(
            "μ in place of μ/2",
            Inequality(
                Bound(2 * eta * (towards + at_other) - eta * mu * far, degrees=DEGREES), (at_points(3),), degrees=(0, 2)
            ),
            "with all curvatures μ both printed sides are equal",
        ),
        Canary(
            "L in place of μ",
            Inequality(
                Bound(2 * eta * (towards + at_other) - eta * (L - mu) * far, degrees=DEGREES),
                (at_points(3),),
                degrees=(0, 2),
            ),
            "for a client of curvature μ < L the printed sides are equal, and L/2 takes away more",
        ),
    ),
    tight="every wₜⁱ − w* along an axis of curvature μ",
    verdict_words="Assumption 2 with v = w* and w = wₜⁱ, word by word.",
    supremum=1.0,
)


_A3 = Claim(
    id="RA-P-T1.A3",
    kind=Kind.INEQUALITY,
    source="Proof of Theorem 1 (A.2), bound for A₃",
    title="The squared mean gradient",
    statement=(
        r"A_3=\Big\|\eta_t\sum_i\alpha_t^i\nabla F_i(w_t^i)\Big\|^2\le\eta_t^2\sum_i\alpha_t^i\|\nabla F_i(w_t^i)\|^2"
        r"\le2L\eta_t^2\sum_i\alpha_t^i(F_i(w_t^i)-F_i^\star)"
    ),
    says="The squared mean gradient is at most the mean of the squares, and that at most 2L times the mean excess.",
    assumes=("weights on the simplex", "every Fᵢ L-smooth with minimum Fᵢ*"),
    readings=(
        Reading(
            "first inequality",
            _ANY,
            Inequality(
                Bound(eta**2 * slopes2, again=lambda eta, slopes2: slopes2 * eta * eta, degrees=DEGREES),
                (at_points(4),),
                degrees=(0, 2),
            ),
        ),
        Reading("second inequality", _ANY, Inequality(_GRADIENT, (at_points(5),), degrees=(0, 2))),
    ),
    canaries=(
        Canary(
            "factor 2 dropped",
            Inequality(Bound(L * eta**2 * X, degrees=DEGREES), (at_points(5),), degrees=(0, 2)),
            "in one dimension with equal curvatures both sides of the second inequality are equal",
        ),
        Canary(
            "half of the first bound",
            Inequality(Bound(eta**2 * slopes2 / 2, degrees=DEGREES), (at_points(4),), degrees=(0, 2)),
            "for one client both sides of the first inequality are equal",
        ),
    ),
    tight="equal gradients along an axis of curvature L",
    depends_on=("RA-L1",),
    verdict_words="Jensen's inequality for the squared norm, then Lemma 1 client by client.",
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (_A1A, _A1B, _A1C, _A1D, _A3)
