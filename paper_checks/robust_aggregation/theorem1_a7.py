"""The bound on A₇ in the proof of Theorem 1: from the mean excess to the squared distance and Γ."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.robust_aggregation.points import DEGREES, at_points
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Identity,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Space,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

eta, mu, L, rho, Gamma, Delta, at_other = symbols("eta mu L rho Gamma Delta at_other")
n1, n2, f1, f2, star, star1, star2 = symbols("n1 n2 f1 f2 star star1 star2")
over1, over2 = symbols("over1 over2")
_WHERE = "Proof of Theorem 1 (A.2), bound for A₇"
_TWO = "two clients; fᵢ for E Fᵢ(wₜ), star for F*, starᵢ for Fᵢ*; pᵢ = nᵢ/(n₁ + n₂); the common factor is left out"

_P1, _P2 = n1 / (n1 + n2), n2 / (n1 + n2)
_F = _P1 * f1 + _P2 * f2
_FLOOR = _P1 * star1 + _P2 * star2
_FIRST = _F - _FLOOR
_PRINTED = (f1 - star + star - _P1 * star1) + (f2 - star + star - _P2 * star2)
_SPLIT = (f1 - star) + (f2 - star) + (star - _P1 * star1) + (star - _P2 * star2)
_THIRD = (_F - star) + (star - _FLOOR)
# Values that clients can have: F* is Γ > 0 above the mean floor, and E Fᵢ(wₜ) more than that above Fᵢ*, so that Remark 2 is met. All
# equal to 1: curvatures 1 in the plane, minimisers √8 apart, wₜ at distance 2 from both.
_OF_CLIENTS = {star: _FLOOR + Gamma, f1: star1 + Gamma + over1, f2: star2 + Gamma + over2}


def _of_clients(left: Any, right: Any) -> Identity:
    return Identity(left.subs(_OF_CLIENTS), right.subs(_OF_CLIENTS))


_A7A = Claim(
    id="RA-P-T1.A7a",
    kind=Kind.IDENTITY,
    source=_WHERE + ", second line",
    title="A₇ as a sum over clients",
    statement=(
        r"2\eta_t(2L\eta_t-1)(1-\eta_tL)\overline\rho\Big(\mathbb E[F(w_t)]-\sum_ip_iF_i^\star\Big)=2\eta_t(2L\eta_t-1)(1-"
        r"\eta_tL)\overline\rho\sum_i(\mathbb E[F_i(w_t)]-F^\star+F^\star-p_iF_i^\star)"
    ),
    says="The excess of F is written as a sum over clients, with F* subtracted and added.",
    assumes=(_TWO,),
    readings=(
        Reading("as printed", "Fᵢ and F* without the weight pᵢ.", _of_clients(_FIRST, _PRINTED)),
        Reading(
            "with the weights pᵢ",
            "Σ pᵢ(E Fᵢ(wₜ) − F* + F* − Fᵢ*).",
            Identity(_FIRST, _P1 * (f1 - star + star - star1) + _P2 * (f2 - star + star - star2)),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "with the weights, and F* added twice",
            Identity(_FIRST, _P1 * (f1 + star - star1) + _P2 * (f2 + star - star2)),
            "the sides then differ by F*",
        ),
    ),
    depends_on=("RA-P-T1.A5c",),
    verdict_words=(
        "A weight pᵢ is missing before E[Fᵢ(wₜ)]; with it the line is exact. The lines on both sides "
        "force it: the first line on A₇ has E[F(wₜ)] = ΣpᵢE[Fᵢ(wₜ)], the fourth E[F(wₜ)] − F* and Γ = F* "
        "− ΣpᵢFᵢ*. One pᵢ is enough, since −F* + F* cancels; Σpᵢ(E[Fᵢ(wₜ)] − F* + F* − Fᵢ*) is the same "
        "number. As printed, for two clients or more, the unweighted sum is another one. The fourth line "
        "has the right value again, so nothing follows from the slip."
    ),
)

_A7B = Claim(
    id="RA-P-T1.A7b",
    kind=Kind.IDENTITY,
    source=_WHERE + ", third and fourth line",
    title="A₇ as excess and heterogeneity",
    statement=(
        r"\sum_i(\mathbb E[F_i(w_t)]-F^\star)+\sum_i(F^\star-p_iF_i^\star)=(\mathbb E[F(w_t)]-F^\star)+\Gamma"
        r"\quad\text{(both with the factor }2\eta_t(2L\eta_t-1)(1-\eta_tL)\overline\rho)"
    ),
    says="The sum over clients is the excess of F plus Γ.",
    assumes=(_TWO,),
    readings=(
        Reading("from the line before, as printed", "The sums have no weights.", _of_clients(_SPLIT, _THIRD)),
        Reading(
            "from the first line on A₇",
            "E F(wₜ) − ΣpFᵢ* = (E F(wₜ) − F*) + Γ.",
            Identity(_FIRST, _THIRD),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "Γ added twice",
            Identity(_FIRST, _THIRD + star - _FLOOR),
            "the sides then differ by Γ",
        ),
    ),
    depends_on=("RA-P-T1.A7a", "RA-D4"),
    verdict_words=(
        "The slip of the line before (RA-P-T1.A7a) is repeated: with pᵢ before E[Fᵢ(wₜ)] the third line "
        "is the first line on A₇, and then the fourth is equal to it. The first and the fourth line "
        "force the weight. From the unweighted sums, as printed, the equality is as wrong as they are; "
        "it undoes the slip."
    ),
)

_CURVED = Bound(
    2 * eta * (1 - 2 * L * eta) * (1 - eta * L) * rho * (Delta - at_other),
    again=lambda eta, L, rho, Delta, at_other: (
        (Delta - at_other) * rho * (2 * eta - 6 * L * eta**2 + 4 * L**2 * eta**3)
    ),
    degrees=DEGREES,
)
_A7C = Claim(
    id="RA-P-T1.A7c",
    kind=Kind.INEQUALITY,
    source=_WHERE + ", first inequality",
    title="Strong convexity of F in A₇",
    statement=(
        r"2\eta_t(2L\eta_t-1)(1-\eta_tL)\overline\rho(\mathbb E[F(w_t)]-F^\star)\le2\eta_t(2L\eta_t-1)(1-\eta_tL)\frac\mu2"
        r"\overline\rho\,\mathbb E\|w_t-w^\star\|^2"
    ),
    says="F exceeds its minimum by at least μ/2 times the squared distance to w*; the factor is negative.",
    assumes=("F μ-strongly convex with minimiser w*", "ηₜ <= 1/(4L), ρ̄ >= 0", "checked with both signs changed"),
    readings=(
        Reading(
            "path by path",
            "Quadratic clients with any shares, w* the minimiser of F, which covers expectations.",
            Inequality(_CURVED, (at_points(11),), degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "half of the excess",
            Inequality(Bound(_CURVED.expression / 2, degrees=DEGREES), (at_points(11),), degrees=(0, 2)),
            "with all curvatures μ both printed sides are equal",
        ),
    ),
    tight="all curvatures μ",
    depends_on=("RA-P-T1.A7b", "RA-A2"),
    verdict_words="Strong convexity of F at its minimiser, under a factor that is negative for ηₜ < 1/(2L).",
    supremum=1.0,
)


def _factor(x: Instance) -> Mapping[str, Any]:
    L, eta, mu = x["L"], x["step"] / x["L"], x["part"] * x["L"]
    Gamma, rho, which = x["Gamma"], x["rho"], int(x["which"][0])
    if which == 1:
        return {"lhs": 3 * eta * mu / 8, "eta": eta, "mu": mu, "L": L, "rho": rho, "Gamma": Gamma}
    lhs = 2 * eta * rho * Gamma - 6 * eta**2 * rho * L * Gamma
    return {"lhs": lhs, "eta": eta, "mu": mu, "L": L, "rho": rho, "Gamma": Gamma}


def factor_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The factor of A_7 at one step size, without its sign."""
    L, rho, Gamma = x["L"], x["rho"], x["Gamma"]
    eta, mu = x["step"] / L, x["part"] * L
    lhs = eta * mu * Fraction(3, 8) if x["which"] == 1 else 2 * eta * rho * Gamma * (1 - 3 * L * eta)
    met = {
        "0 < eta <= 1/(4L)": 0 < 4 * L * eta <= 1,
        "0 < mu <= L": 0 < mu <= L,
        "rho and Gamma >= 0": min(rho, Gamma) >= 0,
    }
    return met, {"lhs": lhs, "eta": eta, "mu": mu, "L": L, "rho": rho, "Gamma": Gamma}


def _scalars(which: float) -> Case:
    space = Space(
        (
            LogScale("L", 1e-3, 1e3, at=(1.0,)),
            LogScale("step", 1e-6, 0.25, at=(1e-6, 1e-3, 0.25)),
            LogScale("part", 1e-4, 1.0, at=(1e-4, 1.0)),
            LogScale("rho", 1e-4, 1e4, at=(1.0,)),
            LogScale("Gamma", 1e-4, 1e4, at=(1.0,)),
            Choice("which", (which,)),
        )
    )
    same = (units({"L": (1, -2), "Gamma": (1, 0)}),)
    return Case("any step size up to 1/(4L)", space, _factor, ExactCheck(factor_exact), symmetries=same)


_SCALAR_DEGREES = {"eta": (-1, 2), "mu": (1, -2), "L": (1, -2), "rho": (0, 0), "Gamma": (1, 0)}
_RATE = Bound(
    2 * eta * (1 - 2 * L * eta) * (1 - eta * L) * mu / 2,
    again=lambda eta, L, mu: eta * mu - 3 * L * mu * eta**2 + 2 * mu * L**2 * eta**3,
    degrees=_SCALAR_DEGREES,
)
_A7D = Claim(
    id="RA-P-T1.A7d",
    kind=Kind.INEQUALITY,
    source=_WHERE + ", second inequality",
    title="The factor 3/8",
    statement=(r"2\eta_t(2L\eta_t-1)(1-\eta_tL)\frac\mu2\le-\frac38\eta_t\mu\qquad\text{for }\eta_t\le\frac1{4L}"),
    says="For step sizes up to 1/(4L) the negative factor is at most −3/8 ημ.",
    assumes=("0 < ηₜ <= 1/(4L)", "checked with both signs changed"),
    readings=(
        Reading("as printed", "All step sizes up to 1/(4L).", Inequality(_RATE, (_scalars(1.0),), degrees=(0, 0))),
    ),
    canaries=(
        Canary(
            "1 − 2Lη raised to the second power",
            Inequality(
                Bound(eta * (1 - 2 * L * eta) ** 2 * (1 - eta * L) * mu, degrees=_SCALAR_DEGREES), (_scalars(1.0),)
            ),
            "at η = 1/(4L) the printed sides are equal, and 1 − 2Lη = 1/2",
        ),
    ),
    tight="ηₜ = 1/(4L)",
    verdict_words="(1 − 2x)(1 − x) falls on [0, 1/4] and is 3/8 at its end x = ηL = 1/4.",
    supremum=1.0,
)

_HETERO = Bound(
    2 * eta * (1 - 2 * L * eta) * (1 - eta * L) * rho * Gamma,
    again=lambda eta, L, rho, Gamma: rho * Gamma * (2 * eta - 6 * L * eta**2 + 4 * L**2 * eta**3),
    degrees=_SCALAR_DEGREES,
)
_A7E = Claim(
    id="RA-P-T1.A7e",
    kind=Kind.INEQUALITY,
    source=_WHERE + ", last line",
    title="The heterogeneity term of A₇",
    statement=(
        r"2\eta_t(2L\eta_t-1)(1-\eta_tL)\overline\rho\Gamma\le-2\eta_t\overline\rho\Gamma+6\eta_t^2\overline\rho L\Gamma"
    ),
    says="The product is expanded, and its term in η³ left out.",
    assumes=("ρ̄ >= 0, Γ >= 0, 0 < ηₜ <= 1/(4L)", "checked with both signs changed"),
    readings=(
        Reading("as printed", "All step sizes up to 1/(4L).", Inequality(_HETERO, (_scalars(2.0),), degrees=(0, 2))),
    ),
    canaries=(
        Canary(
            "6 lowered to 4",
            Inequality(Bound(_HETERO.expression - 2 * eta**2 * rho * L * Gamma), (_scalars(2.0),)),
            "the printed sides differ by 4L²η³ρ̄Γ only, less than 2Lη²ρ̄Γ for ηL < 1/2",
        ),
    ),
    tight="ηₜL → 0",
    verdict_words="The sides differ by −4L²ηₜ³ρ̄Γ <= 0, for every step size.",
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (_A7A, _A7B, _A7C, _A7D, _A7E)
