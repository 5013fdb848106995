"""RA-R5, R7–R9: how large the skew gets, and what the bounds V and E then say of speed and error."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.robust_aggregation.clients import one, stated
from paper_checks.robust_aggregation.diagonal import federations
from paper_checks.robust_aggregation.general_bounds import FIFTEEN, KNOWN, SPEED
from paper_checks.robust_aggregation.long_runs import ALIKE
from paper_checks.robust_aggregation.notation import NOTATION
from paper_checks.robust_aggregation.runs import world
from paper_checks.robust_aggregation.stating import QUADRATIC, bounded, claimed
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    Instance,
    LogScale,
    Property,
    Reading,
    symbols,
)
from validation.statement.says import le

__all__ = ["CLAIMS"]

rho, Pi, pi, N, mu, L, Gamma, below, least_share = symbols("rho Pi pi N mu L Gamma below least_share")


def _built(x: Instance) -> Mapping[str, Any]:
    """ρ̄ of all weight on client 1, whose share and whose only rival's curvature are 1/(4B)."""
    p, h2 = (1 / (4 * x["wanted"]), 1 / (4 * x["wanted"])) if x["share"][0] == 0 else (x["share"], 0 * x["share"])
    return {"lhs": x["wanted"] - 1 / (p + (1 - p) * h2)}


def built_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two clients with minimiser 0, curvatures 1 and h: rho(t, w) of weights (1, 0) is the same at every w."""
    small = 1 / (4 * x["wanted"])
    p, h = (small, small) if x["share"] == 0 else (x["share"], Fraction(0))
    start = Fraction(7)
    losses = [start**2 / 2, h * start**2 / 2]
    return {"0 < p_1 < 1": 0 < p < 1}, {"lhs": x["wanted"] - losses[0] / (p * losses[0] + (1 - p) * losses[1])}


def _exists(share: float) -> Case:
    """`share` 0: p₁ = 1/(4B) for the wanted skew B; else p₁ fixed."""
    drawn = (LogScale("wanted", 1.0, 1e9, at=(1.0,)), Choice("share", (share,)))
    return one("two clients built for the wanted skew", drawn, _built, built_exact)


_R5 = claimed(
    "R5",
    "Remark 5, Sec. 2.5",
    "A limit speed V_min",
    r"\overline\rho\ \text{can be arbitrary big, so there exists a limit convergence speed}\ "
    r"V_{\min}:=\frac{8L^2\Gamma}{\mu^2}+\frac{L\gamma\|w^0-w^\star\|^2}2",
    "The skew can be made as large as one likes, so V comes as near to V_min as one likes.",
    (
        stated(
            "for a given data set and first guess",
            "Whatever skew is wanted, weights exist that reach it at the first model (ρ̄ is at most that).",
            federations("first", sizes=((2, 2, 300), (1, 1, 8))),
        ),
        stated(
            "over all data sets",
            "Whatever skew is wanted, some federation and weights have it in every round.",
            _exists(0.0),
        ),
    ),
    (Canary("over all data sets with p₁ = 1/2", Property((_exists(0.5),)), "ρ is at most α₁/p₁ = 2 there"),),
    "V_min is a lower limit of V over all federations: with a client of tiny share and a rival of tiny curvature ρ̄ has no bound. But "
    "the remark speaks of a constant «depending only on the data set and the first guess», and for these given ρ̄ is bounded: "
    "it is at most ρ(0, w₀) <= maxᵢ ℓᵢ(w₀)/Σpᵢℓᵢ(w₀) <= 1/min pᵢ. So for a given data set V stays above V_min by at least min pᵢ "
    "times its first term, and V_min is not a limit that any strategy approaches.",
    ("RA-D5", "RA-D8", "RA-C1"),
)


def _unreliable(x: Instance) -> Mapping[str, Any]:
    """FedWorse on two clients at ±1 with curvature 1, started near the tie, on the side of the client with much data."""
    p = 1 / (1 + 4 * x["wanted"]) if x["share"][0] == 0 else x["share"]
    w, best = -x["side"], p - (1 - p)
    first = (w - 1) ** 2 / (p * (w - 1) ** 2 + (1 - p) * (w + 1) ** 2)
    at_best = (best - 1) ** 2 / (p * (best - 1) ** 2 + (1 - p) * (best + 1) ** 2)
    return {"lhs": x["wanted"] - at_best / first}


def unreliable_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The first round of FedWorse, clients at 1 (share p) and -1; later rounds only widen the two extremes."""
    p = 1 / (1 + 4 * x["wanted"]) if x["share"] == 0 else x["share"]
    shares, centers, w = [p, 1 - p], [Fraction(1), Fraction(-1)], -x["side"]
    best = sum(q * c for q, c in zip(shares, centers, strict=True))
    here, there = ([(v - c) ** 2 / 2 for c in centers] for v in (w, best))
    skew, skew_best = (v[0] / sum(q * u for q, u in zip(shares, v, strict=True)) for v in (here, there))
    met = {"client 1 alone is worst": here[0] > here[1], "0 < p < 1": 0 < p < 1}
    if x["share"] > 0:
        met["no start and no round reach the ratio named: it is at least 1/min p"] = x["wanted"] * min(shares) >= 1
    return met, {"lhs": x["wanted"] - skew_best / skew}


def _mirrored(share: float) -> Case:
    least = 1.0 / share if share > 0 else 1.0
    drawn = (LogScale("wanted", least, 1e6, at=(least,)), LogScale("side", 1e-6, 0.1), Choice("share", (share,)))
    return one("two mirrored clients, start near the tie", drawn, _unreliable, unreliable_exact)


_FED_WORSE = federations("ratio", rounds=6, sizes=((2, 2, 20), (1, 1, 4)))
_R7 = claimed(
    "R7",
    "Remark 7, Sec. 2.5.2",
    "The fastest strategy is unreliable",
    r"\text{for FedWorse no bound on }E(\overline\rho,\tilde\rho)=\tfrac{8L\Gamma}{3\mu}\left(\tfrac{\tilde\rho}{\overline\rho}"
    r"-1\right)\text{ is guaranteed}",
    "For FedWorse the ratio ρ̃/ρ̄ may be as large as one likes.",
    (
        stated(
            "for a given federation",
            "Whatever ratio is named, FedWorse has a larger one: two clients, p = 1/2, ratios of 2 = 1/min pᵢ and more.",
            _mirrored(0.5),
        ),
        stated("over all federations", "Whatever ratio is named, FedWorse has a larger one somewhere.", _mirrored(0.0)),
        Reading(
            "for given shares there is a bound",
            "ρ̃/ρ̄ <= 1/min pᵢ, hence E <= (8LΓ/3μ)(1/min pᵢ − 1), for FedWorse on its own run.",
            bounded(1 / least_share, lambda least_share: least_share**-1, _FED_WORSE),
            repair="edit",
        ),
    ),
    (
        Canary(
            "half of 1/min pᵢ",
            bounded(1 / (2 * least_share), None, _FED_WORSE),
            "two mirrored clients, the start near the tie: ρ̃/ρ̄ comes near (1 − p)/p, more than 1/(2p) for p < 1/2",
        ),
    ),
    "No bound holds for all federations: with a client of tiny share FedWorse starts at ρ near 1 and gives this client, which is far "
    "off at w*, all the weight. For a given federation, however, analysis does guarantee one: ρ̃ <= 1/min pᵢ always, and ρ̄ >= 1 because "
    "FedWorse's weighted excess is at least the average, so E <= (8LΓ/3μ)(1/min pᵢ − 1). (17) with π = 0 cannot see it.",
    ("RA-S-W", "RA-D6", "RA-C1"),
)


def _speed(x: Instance) -> Mapping[str, Any]:
    """V at ρ̄ = 1 with L = μ = 1, Γ = 0, G² = σ² + h² and distance 1 at the start, in units of the first gap 1/2."""
    how = int(x["of_noise"][0])
    noise = {0: x["noise"], 1: 1.5 * x["wanted"], 2: x["wanted"] / 1000}[how]
    return {"lhs": x["wanted"] - 2 * (4 * (32 * (noise + 1) + noise) / 3 + 2)}


def speed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """V of Corollary 1 at rho = 1 over F(w_0) - F*: one client, F = w^2/2, w_0 = 1, one local step."""
    sigma2 = {0: x["noise"], 1: 3 * x["wanted"] / 2, 2: x["wanted"] / 1000}[int(x["of_noise"])]
    L = mu = tau = start = Fraction(1)
    gradient2, gamma = sigma2 + start**2, 4 * L / mu
    V = 4 * L * (32 * tau**2 * gradient2 + sigma2) / (3 * mu**2) + L * gamma * start**2 / 2
    return {"sigma^2 >= 0": sigma2 >= 0}, {"lhs": x["wanted"] - V / (L * start**2 / 2)}


def _speeds(of_noise: int) -> Case:
    drawn = (LogScale("wanted", 1.0, 1e9), LogScale("noise", 1e-3, 1e3), Choice("of_noise", (float(of_noise),)))
    return one("FedAvg on one client, noisy", drawn, _speed, speed_exact)


_R8 = claimed(
    "R8",
    "Remark 8, Sec. 2.5.2",
    "No bound on the speed of the error-minimising strategy",
    r"\alpha_t^i=p_i:\ \text{«there is no mathematical way to assess a bound on the convergence speed, whi"
    r"ch could be arbitrarily low»}",
    "For αᵢ = pᵢ no bound on the convergence speed can be assessed: V could be arbitrarily large.",
    (
        stated("for a given federation", "V at ρ̄ = 1 is above every number named, constants given.", _speeds(0)),
        stated("over all federations", "Whatever number is named, V is larger for some federation.", _speeds(1)),
    ),
    (
        Canary(
            "σ² a thousandth of the number named",
            Property((_speeds(2),)),
            "V is then about 9 % of the number, and less than it once that is large",
        ),
    ),
    "For a given federation there is a bound, and Section 3.1 prints it, (18); over all federations "
    "there is none, and the remark does not say which it means. The paper thus prints both: «no "
    "mathematical way to assess a bound» here, and of the same strategy «its convergence speed can be "
    "bounded as below» there. With αᵢ = pᵢ one has ρ̄ = 1, so V is 4L(32τ²G² + σ²)/(3μ²) + V_min, a "
    "number for every federation ((18) has a slip: RA-E18). Over all federations, with L/μ or the noise "
    "growing, V has no bound, but then it has none for any strategy.",
    ("RA-S-AVG", "RA-C1", "RA-E18"),
)
_PRINTED_ERROR = Gamma * 8 * L / (3 * mu) * (N / pi - N)
_LIMIT = federations("limit", interior=True, equal=True, sizes=((2, 2, 50), (1, 1, 4)))


def _below(bound: Any) -> Any:
    return le(NOTATION.symbols("gap"), bound)


_R9 = claimed(
    "R9",
    "Remark 9, Sec. 2.5.2",
    "The terms of (15) are not tight",
    r"\lambda_2\left(\tfrac N\pi-N\right),\ \lambda_2=\tfrac{8L\Gamma}{3\mu},\text{ is not tight: the limit error of fixed weights is "
    r"at most }\tfrac{3\mu}{8L}\text{ of it}",
    "For π < 1 neither the error term of (15) nor its right side as a whole is close to what it bounds.",
    (
        Reading(
            "fixed weights, every run to its end",
            "F at the limit, minus F*, is at most 3μ/(8L) of the printed term.",
            bounded(
                3 * mu / (8 * L) * _PRINTED_ERROR,
                lambda Gamma, N, pi: Gamma * N * (1 - pi) / pi,
                _LIMIT,
                (1, 0),
            ),
        ),
        Reading(
            "both terms, after T steps",
            "The gap is at most half of the whole right side of (15), on the runs with weights known before the round that (15) is searched on.",
            KNOWN.test(_below(FIFTEEN / 2)),
        ),
    ),
    (
        Canary(
            "half of the first term alone",
            world(ALIKE).test(_below(SPEED / 2)),
            "with more weight on one of two clients the gap does not vanish as T grows, and the first term does",
        ),
        Canary(
            "another factor μ/L",
            bounded(mu / L * Gamma * (N / pi - N), None, _LIMIT, (1, 0)),
            "with curvatures 1 and κ and weights near (1, 1/κ) the error is of order κΓ, and so is the printed term without the factor",
        ),
    ),
    "The remark is right, and can be made exact for fixed weights, whose limit is known in closed form: the error is at most "
    "Γ(ρ̃/ρ̄ − 1) without the factor 8L/(3μ), because at the minimiser of ΣαᵢFᵢ the weighted excess is at most its value at w*. So the "
    "error term is loose by at least 8/3, and by 8κ/3 in general; only for π = 1 it equals the error, both being 0. There C + λ₁/π is what is loose: "
    "after T steps the gap was nowhere found above half of the whole right side, nor near it. This also says where to tighten them.",
    ("RA-E15", "RA-D9"),
    assumes=(QUADRATIC, "pᵢ = 1/N", "αᵢ fixed and step sizes that fall to 0, where runs go to their end"),
)


CLAIMS: tuple[Claim, ...] = (
    _R5,
    _R7,
    _R8,
    _R9,
)
