"""EA-S1, EA-S3: the conditions on step sizes that the proofs use, in units of 1/μ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.missed import never_missed
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Inequality,
    Instance,
    Integer,
    Kind,
    LogScale,
    Reading,
    Space,
    symbols,
)

__all__ = ["CLAIMS"]

kappa = symbols("kappa")
_KAPPA = LogScale("kappa", 1.0, 1e4, at=(1.0, 10.0, 1e4))
_COUNTS = (_KAPPA, Integer("E", 1, 300, at=(7, 8, 9)), Integer("t", 0, 10_000, at=(1, 2)))


def _existence(short: bool) -> Callable[[Instance], Mapping[str, Any]]:
    """By how much β = 2/μ, γ = max{8κ, E} (`short`: γ = 8κ) misses η₁ <= 1/(4L) or ηₜ <= 2ηₜ₊ₑ."""

    def measure(x: Instance) -> Mapping[str, Any]:
        gamma = 8 * x["kappa"] if short else np.maximum(8 * x["kappa"], x["E"])
        first = 2 / (gamma + 1) - 1 / (4 * x["kappa"])
        later = 2 / (gamma + x["t"]) - 4 / (gamma + x["t"] + x["E"])
        return {"lhs": np.maximum(first, later), "nothing": np.zeros_like(gamma), "magnitude": 2 / (gamma + x["t"])}

    return measure


def exists_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """beta = 2/mu, gamma = max(8 kappa, E): by how much eta_1 <= 1/(4 L) or eta_t <= 2 eta_(t+E) is missed."""
    gamma = max(8 * x["kappa"], x["E"])
    first = 2 / (gamma + 1) - 1 / (4 * x["kappa"])
    later = 2 / (gamma + x["t"]) - 4 / (gamma + x["t"] + x["E"])
    met = {"kappa >= 1, E >= 1, t >= 0": x["kappa"] >= 1 and x["E"] >= 1 and x["t"] >= 0}
    return met, {"lhs": max(first, later), "nothing": Fraction(0)}


def short_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with gamma = 8 kappa."""
    gamma = 8 * x["kappa"]
    later = 2 / (gamma + x["t"]) - 4 / (gamma + x["t"] + x["E"])
    met = {"kappa >= 1, E >= 1, t >= 0": x["kappa"] >= 1 and x["E"] >= 1 and x["t"] >= 0}
    return met, {"lhs": max(2 / (gamma + 1) - 1 / (4 * x["kappa"]), later), "nothing": Fraction(0)}


def _undefined(x: Instance) -> Mapping[str, Any]:
    """1 where βμ − 1 is 0 or less, so that v has no value; `beta` in units of 1/μ."""
    missed = np.where(x["beta"] - 1 <= 0, 1.0, 0.0)
    return {"lhs": missed, "nothing": np.zeros_like(missed), "admissible": (x["beta"] >= 1) | ("any" in x)}


def undefined_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """1 where the denominator beta mu - 1 of v is not positive, for a beta the text admits."""
    lhs = Fraction(1 if x["beta"] - 1 <= 0 else 0)
    return {"beta >= 1/mu": x["beta"] >= 1 or "any" in x}, {"lhs": lhs, "nothing": Fraction(0)}


def _beta(low: float) -> Case:
    beyond = (Choice("any", (1.0,)),) if low < 1 else ()
    drawn = Space((LogScale("beta", low, 100.0, at=(low, 2.0)), *beyond))
    return Case(f"β from {low:g}/μ", drawn, _undefined, ExactCheck(undefined_exact))


_EXISTS = Case("κ, E and t", Space(_COUNTS), _existence(short=False), ExactCheck(exists_exact))
_SHORT = Case("κ, E and t, γ = 8κ", Space(_COUNTS), _existence(short=True), ExactCheck(short_exact))

S1 = Claim(
    id="EA-S1",
    kind=Kind.PROPERTY,
    source="A.9, after (7)",
    title="Step sizes with the wanted properties exist",
    statement=(
        r"\exists\,\beta\ge\tfrac1\mu,\ \gamma>0:\quad\eta_t=\tfrac\beta{t+\gamma},\ \eta_1\le\tfrac1{4L},\ "
        r"\eta_t\le2\eta_{t+E};\qquad v=\max\Big\{\tfrac{\beta^2B}{\beta\mu-1},\gamma\Delta_0\Big\}"
    ),
    says="There are step sizes β/(t + γ) that start small enough and halve at most once a round.",
    assumes=("L >= μ > 0, E >= 1",),
    readings=(
        Reading(
            "such a choice exists",
            "β = 2/μ and γ = max{8L/μ, E}, for every κ, E and t.",
            never_missed((_EXISTS,)),
        ),
        Reading(
            "every admitted β leaves v defined",
            "The induction is made for any β >= 1/μ.",
            never_missed((_beta(1.0),)),
        ),
    ),
    canaries=(
        Canary("γ = 8L/μ alone", never_missed((_SHORT,)), "at t = 0 and E > 8κ the step falls by more than a half"),
        Canary(
            "β > 0 in place of β >= 1/μ", never_missed((_beta(0.5),)), "at β = 1/(2μ) the denominator βμ − 1 is −1/2"
        ),
    ),
    tight="γ = max{8L/μ, E} has ηₜ = 2ηₜ₊ₑ at t = 0 for E >= 8κ",
    verdict_words=(
        "Such step sizes exist: β = 2/μ with γ = max{8L/μ, E} meets both conditions for every κ, E and t. The range printed "
        "for β is a touch too large: at β = 1/μ the denominator βμ − 1 of v is zero, so the induction needs β > 1/μ. The "
        "choice made later, β = 2/μ, is not touched by this."
    ),
)


def _eta(gamma: Callable[[Instance], Any], first: float) -> Callable[[Instance], Mapping[str, Any]]:
    return lambda x: {"lhs": 2 / (gamma(x) + x["t"]), "kappa": x["kappa"], "admissible": x["t"] >= first}


def theorem_steps_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """eta_t in units of 1/mu, gamma = L/mu."""
    met = {"kappa >= 1, E >= 1, t >= 0": x["kappa"] >= 1 and x["E"] >= 1 and x["t"] >= 0}
    return met, {"lhs": 2 / (x["kappa"] + x["t"]), "kappa": x["kappa"]}


def proof_steps_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """eta_t in units of 1/mu, gamma = max(8 L/mu, E) - 1."""
    met = {"kappa >= 1, E >= 1, t >= 0": x["kappa"] >= 1 and x["E"] >= 1 and x["t"] >= 0}
    return met, {"lhs": 2 / (max(8 * x["kappa"], x["E"]) - 1 + x["t"]), "kappa": x["kappa"]}


def later_steps_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same from t = 1 on."""
    met, found = proof_steps_exact(x)
    return {**met, "t >= 1": x["t"] >= 1}, found


def _a9(x: Instance) -> Any:
    return np.maximum(8 * x["kappa"], x["E"]) - 1


def quarter_again(kappa: Any) -> Any:
    """1/(4L) in units of 1/μ, once more."""
    return 0.25 / kappa


QUARTER = Bound(1 / (4 * kappa), again=quarter_again, degrees={"kappa": (0, 0)})
_BY_THEOREM = Case("γ = L/μ", Space(_COUNTS), _eta(lambda x: x["kappa"], 0), ExactCheck(theorem_steps_exact))
_BY_PROOF = Case("γ of A.9", Space(_COUNTS), _eta(_a9, 0), ExactCheck(proof_steps_exact))
_LATER = Case("γ of A.9, t >= 1", Space(_COUNTS), _eta(_a9, 1), ExactCheck(later_steps_exact, (proof_steps_exact,)))

S3 = Claim(
    id="EA-S3",
    kind=Kind.INEQUALITY,
    source="Lemma 1 (A.8) as used in A.9",
    title="Steps short enough for Lemma 1",
    statement=r"\eta_t\le\frac1{4L}\quad\text{for every }t\ge0\text{ at which Lemma 1 is used}",
    says="Every step of the run is at most 1/(4L), as Lemma 1 needs.",
    assumes=("ηₜ = 2/(μ(γ + t))", "γ = L/μ (Theorems 1 and 2) or max{8L/μ, E} − 1 (A.9)", "L >= μ > 0, E >= 1"),
    readings=(
        Reading("γ = L/μ", "The steps of the theorems.", Inequality(QUARTER, (_BY_THEOREM,), degrees=(0, 0))),
        Reading(
            "γ of A.9", "The steps of the proof, t = 0 included.", Inequality(QUARTER, (_BY_PROOF,), degrees=(0, 0))
        ),
        Reading(
            "γ of A.9, t >= 1",
            "From the second step on.",
            Inequality(QUARTER, (_LATER,), degrees=(0, 0)),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "1/(8L) in place of 1/(4L)",
            Inequality(Bound(1 / (8 * kappa)), (_LATER,)),
            "for E <= 8κ the step at t = 1 is exactly 1/(4L)",
        ),
        Canary(
            "t >= 1 removed",
            Inequality(QUARTER, (_BY_PROOF,)),
            "at t = 0 the step is 2/(8L − μ), longer than 1/(4L), whenever E <= 8κ",
        ),
    ),
    tight="t = 1 and E <= 8L/μ with γ of A.9, where both sides are equal",
    verdict_words=(
        "With γ = L/μ, as the theorems print, the first step is 2/L, eight times too long, and Lemma 1 applies only from "
        "t >= 7L/μ on. With γ = max{8L/μ, E} − 1 the first step is 2/(8L − μ), still a little longer than 1/(4L) unless "
        "E >= 8L/μ + 1; the proof asks for the condition at t = 1 only, where it holds, but uses Lemma 1 at t = 0. "
        "From t = 1 on, or with γ = max{8L/μ, E}, every step is short enough."
    ),
)


CLAIMS: tuple[Claim, ...] = (S1, S3)
