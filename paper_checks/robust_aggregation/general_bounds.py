"""RA-E13, RA-E15, RA-E17 and RA-Q10: Corollary 1 with the extremes of κ = α/p in place of ρ̄ and ρ̃."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.corollary1 import DEGREES
from paper_checks.robust_aggregation.corollary1_special import ALIKE
from paper_checks.robust_aggregation.general_cases import long_kappa, short_kappa
from paper_checks.robust_aggregation.kappa_cases import at_kappa
from paper_checks.robust_aggregation.seen_rounds import seen_rounds
from validation import (
    Bound,
    Canary,
    Case,
    Claim,
    ExactCheck,
    Identity,
    Inequality,
    Instance,
    Instant,
    Kind,
    LogScale,
    Property,
    Reading,
    Space,
    Uniform,
    symbols,
)

__all__ = ["CLAIMS", "E15", "SPEED", "fifteen_again"]

L, mu, tau, T, G2, sigma2, Gamma, D0 = symbols("L mu tau T G2 sigma2 Gamma D0")
Pi, pi, N, least, largest, smallest = symbols("Pi pi N least largest smallest")
_GAMMA = 4 * L / mu
_C = 8 * L**2 * Gamma / mu**2 + L * _GAMMA * D0 / 2
_LAMBDA1, _LAMBDA2 = 4 * L * (32 * tau**2 * G2 + sigma2) / (3 * mu**2), 8 * L * Gamma / (3 * mu)
SPEED = (_C + _LAMBDA1 / pi) / (T + _GAMMA)
_DEGREES = {**DEGREES, **dict.fromkeys(("Pi", "pi", "N", "least"), (0, 0))}


def _speed_again(L: Any, mu: Any, tau: Any, T: Any, G2: Any, sigma2: Any, Gamma: Any, D0: Any, pi: Any) -> Any:
    moving = (128 * tau**2 * G2 + 4 * sigma2) * L / (3 * mu**2 * pi)
    return (8 * Gamma * (L / mu) ** 2 + 2 * L**2 * D0 / mu + moving) * mu / (mu * T + 4 * L)


def thirteen_again(
    L: Any, mu: Any, tau: Any, T: Any, G2: Any, sigma2: Any, Gamma: Any, D0: Any, pi: Any, Pi: Any
) -> Any:
    """The right side of (13) once more."""
    return _speed_again(L, mu, tau, T, G2, sigma2, Gamma, D0, pi) + 8 * L * Gamma / (3 * mu) * (Pi / pi - 1)


def fifteen_again(L: Any, mu: Any, tau: Any, T: Any, G2: Any, sigma2: Any, Gamma: Any, D0: Any, pi: Any, N: Any) -> Any:
    """The right side of (15) once more."""
    return _speed_again(L, mu, tau, T, G2, sigma2, Gamma, D0, pi) + 8 * L * Gamma * N * (1 - pi) / (3 * mu * pi)


def seventeen_again(
    L: Any, mu: Any, tau: Any, T: Any, G2: Any, sigma2: Any, Gamma: Any, D0: Any, pi: Any, N: Any, least: Any
) -> Any:
    """The right side of (17) once more."""
    error = 8 * L * Gamma / (3 * mu) * (1 - N * pi * least) / (pi * least)
    return _speed_again(L, mu, tau, T, G2, sigma2, Gamma, D0, pi) + error


_WHERE = "Sec. 2.5.2"
_ASSUMES = (
    "those of Corollary 1, τ = E, any convention on aggregation",
    "every pᵢ > 0 and αₜⁱ > 0; π and Π over the rounds before T",
    "C, λ₁, λ₂ as (9) gives them: C = V_min, λ₁ = 4L(32τ²G² + σ²)/(3μ²), λ₂ = 8LΓ/(3μ)",
    "what the weights may have seen is not said",
)
_WORDS = (
    " By (1) and (2) FedSoftWorse, for which Section 3.1 offers (17), takes its losses at a wₜ that "
    "contains the earlier steps of its round. Of mirrored clients the one that was pushed outwards then "
    "gets more weight, always within π and Π; the gap stays, while for optima that nearly agree λ₂ is "
    "next to nothing and the rest falls as 1/T. FedAvg-generalized, and FedSoftWorse with its losses at "
    "the model sent out, meet the condition. There π <= 1 <= Π rules out Corollary 1's other failures: "
    "the error term is never negative, and 1/π at least 1."
)


def _general(
    name: str, number: int, title: str, error: Any, again: Any, equal: bool, statement: str, says: str, words: str
) -> Claim:
    """The claim of one of the three bounds, which differ in their error term only."""
    bound = Bound(SPEED + error, again=again, degrees=_DEGREES)
    cases = (ALIKE, long_kappa(equal), long_kappa(equal, noisy=True, most=1000), *short_kappa(equal))
    seen, known = (seen_rounds(of, positive=True) for of in (Instant.BEFORE_STEP, Instant.BEFORE_ROUND))
    return Claim(
        id=name,
        kind=Kind.INEQUALITY,
        source=f"Eq. ({number}), {_WHERE}",
        title=title,
        statement=statement,
        says=says,
        assumes=_ASSUMES + (("pᵢ = 1/N",) if equal else ()),
        readings=(
            Reading(
                "as printed",
                "Weights chosen before the step of the aggregation, the earlier samples of the round seen, E >= 2, equal shares; G on a ball that holds all "
                "models and optima.",
                Inequality(bound, seen, degrees=(1, 0)),
            ),
            Reading(
                "weights known before the round",
                "G at the points visited; long runs of one step a round, runs with E >= 1 under three conventions, noise; long runs with E >= 2 and G on a ball.",
                Inequality(bound, (*cases, *known), degrees=(1, 0)),
                repair="condition",
            ),
        ),
        canaries=(
            Canary(
                "the weights have seen the earlier samples of the round",
                Inequality(bound, seen[2:3], degrees=(1, 0)),
                "κ between 1/2 and 25 gives the noise of a hundred clients a mean; the gap stays, V/(T + γ) vanishes, and λ₂ is proportional to Γ, which is as small as one likes",
            ),
            Canary(
                "error term dropped",
                Inequality(Bound(SPEED), (ALIKE,)),
                "with nearly all weight on one client w_T tends to a point near its optimum, which is not w*",
            ),
            Canary(
                "gradient and noise term dropped",
                Inequality(Bound(_C / (T + _GAMMA) + error), (long_kappa(True, noisy=True, most=100),)),
                "FedAvg of equal shares started at w* with Γ small: the first noisy step leaves w*, and the error term is 0",
            ),
        ),
        tight="not known to be tight; the largest ratio seen is reported",
        depends_on=("RA-C1", "RA-Q8", *{13: (), 15: ("RA-E13", "RA-E14"), 17: ("RA-E13", "RA-E16")}[number]),
        verdict_words=words + _WORDS,
    )


E13 = _general(
    "RA-E13",
    13,
    "The bound by π and Π",
    _LAMBDA2 * (Pi - pi) / pi,
    thirteen_again,
    False,
    r"\mathbb E[F(w_T)]-F^\star\le\frac1{T+\gamma}\left[C+\frac{\lambda_1}\pi\right]+\lambda_2\left(\frac{\Pi-\pi}\pi\right)",
    "The gap is bounded with the smallest and the largest κ in place of ρ̄ and ρ̃.",
    "With weights known before the round no violation was found; with weights that have seen the earlier "
    "samples of their round, which the print does not exclude, it fails. It is Corollary 1 with π for ρ̄ "
    "and Π for ρ̃.",
)
E15 = _general(
    "RA-E15",
    15,
    "The bound for equal shares",
    _LAMBDA2 * (N / pi - N),
    fifteen_again,
    True,
    r"\mathbb E[F(w_T)]-F^\star\le\frac1{T+\gamma}\left[C+\frac{\lambda_1}\pi\right]+\lambda_2\left(\frac N\pi-N\right)",
    "For equal shares the gap is bounded by the smallest κ alone.",
    "With weights known before the round no violation was found; with weights that have seen the earlier "
    "samples of their round, which the print does not exclude, it fails. It is (13) with Π <= N − (N − "
    "1)π.",
)
E17 = _general(
    "RA-E17",
    17,
    "The bound for any shares",
    _LAMBDA2 * (1 / (pi * least) - N),
    seventeen_again,
    False,
    r"\mathbb E[F(w_T)]-F^\star\le\frac1{T+\gamma}\left[C+\frac{\lambda_1}\pi\right]+\lambda_2\left(\frac1{\pi\min p_i}-N\right)",
    "For any shares the gap is bounded by the smallest κ and the smallest share.",
    "With weights known before the round no violation was found; with weights that have seen the earlier "
    "samples of their round, which the print does not exclude, it fails. It is (13) with the bound on Π "
    "after (16), and keeps λ₂(1/min p − N) even at αᵢ = pᵢ.",
)

_LARGEST = (1 - (N - 1) * pi * least) / least


def _swapped(x: Instance) -> Mapping[str, Any]:
    """Two steps of curvature 1 from w₀ with the weights (a, 1 − a) and (1 − a, a), equal shares, minimisers 0 and m."""
    a, m, start = x["a"], x["apart"], x["start"] * x["apart"]
    found = []
    for w1 in (a, 1 - a):
        after = start - (start - (1 - w1) * m) / 4
        found.append(np.max([np.abs(v - c) for v in (start, after) for c in (0 * m, m)], axis=0) ** 2)
    return {"lhs": np.abs(found[0] - found[1]) * 128 / (36 * np.minimum(a, 1 - a)), "magnitude": found[0]}


def swapped_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """How far the right sides of (17) are apart, T = 2, for the weights (a, 1 - a) and (1 - a, a) of equal shares."""
    centers, start, half, sides = [Fraction(0), x["apart"]], x["start"] * x["apart"], Fraction(1, 2), []
    best = sum(centers) / 2
    Gamma = sum((best - c) ** 2 for c in centers) / 4
    for a in ([x["a"], 1 - x["a"]], [1 - x["a"], x["a"]]):
        pi, w, G2 = min(v / half for v in a), start, Fraction(0)
        for t in range(2):
            G2 = max([G2] + [(w - c) ** 2 for c in centers])
            w = w - sum(v * (w - c) for v, c in zip(a, centers, strict=True)) / (t + 4)
        speed = 8 * Gamma + 2 * (start - best) ** 2 + 128 * G2 / (3 * pi)
        sides.append(speed / 6 + 8 * Gamma / 3 * (1 / (pi * half) - 2))
    met = {"0 < a < 1": 0 < x["a"] < 1, "Gamma > 0": Gamma > 0}
    return met, {"lhs": abs(sides[0] - sides[1])}


_SWAPPED = Case(
    "two clients, their weights exchanged",
    Space(
        (
            Uniform("a", 0.01, 0.99, at=(0.25,)),
            LogScale("apart", 1e-2, 1e2, at=(1.0,)),
            Uniform("start", -1.0, 2.0, at=(0.5,)),
        )
    ),
    _swapped,
    ExactCheck(swapped_exact),
)
_SHOWN = Bound(
    largest / (smallest * least) - N,
    again=lambda largest, smallest, least, N: (largest - N * smallest * least) / (least * smallest),
    degrees=dict.fromkeys(("largest", "smallest", "least", "N"), (0, 0)),
)
Q10 = Claim(
    id="RA-Q10",
    kind=Kind.INEQUALITY,
    source="Sec. 2.5.2, after (17)",
    title="What (17) allows to state",
    statement=(
        r"\text{(17): «the new speed and error bounds depend only on }\pi\text{», and «a well chosen minimal v"
        r"alue of the }\alpha_t^i\text{» gives a bound on the error term, here: }\alpha_t^i\ge a\Rightarrow\fr"
        r"ac{E}{\lambda_2}\le\frac{\max p_i}{a\min p_i}-N"
    ),
    says="The bounds of (17) depend only on π, and a lower bound on the weights gives one on the error term.",
    assumes=("every pᵢ > 0, αₜⁱ >= a > 0", "E/λ₂ = ρ̃/ρ̄ − 1"),
    readings=(
        Reading(
            "a minimal weight bounds the error term",
            "π >= a/max p, so (17) gives max p/(a min p) − N.",
            Inequality(_SHOWN, (at_kappa(6),), degrees=(0, 0)),
        ),
        Reading(
            "of the weights only π enters, G given",
            "For one federation: with Π at its bound after (16) the right side of (13) is that of (17), and no other quantity of the weights is left.",
            Identity(SPEED + _LAMBDA2 * (_LARGEST - pi) / pi, SPEED + _LAMBDA2 * (1 / (pi * least) - N)),
        ),
        Reading(
            "only on π, G over the run",
            "Stronger than the print, with G measured over each run: two weightings of one federation "
            "with the same π have the same right side of (17).",
            Property((_SWAPPED,)),
        ),
    ),
    canaries=(
        Canary(
            "min p left out",
            Inequality(Bound(largest / smallest - N), (at_kappa(6),)),
            "for equal shares and weights it says 0 <= 1 − N",
        ),
        Canary(
            "Π at 1/min p",
            Identity(SPEED + _LAMBDA2 * (1 / least - pi) / pi, SPEED + _LAMBDA2 * (1 / (pi * least) - N)),
            "the sides then differ by λ₂(N − 1)",
        ),
    ),
    depends_on=("RA-E17", "RA-E16"),
    verdict_words=(
        "For one federation, with G given, π alone of the weights enters (17), and weights of at least a "
        "bound the error term. Weights of at least a give π >= a/max p and with it a finite bound, for "
        "the soft strategies, too; N, min p, C and λ₂ are data. After (13) «C, λ₁ and λ₂ are constants», "
        "and Assumption 4 has one G for all. With a G measured on each strategy's own run, which is "
        "ours, λ₁ depends on where the strategy goes, and two weightings with the same π can have "
        "different bounds. No choice of the smallest weight makes the bound small, which is not claimed: "
        "for unequal shares it is at least λ₂(1/min p − N) > 0, even at αᵢ = pᵢ, where E = 0."
    ),
)

CLAIMS: tuple[Claim, ...] = (E13, E15, E17, Q10)
