"""EA-D6, EA-D8: the constant B̄ and the step sizes as defined, against what the proof asks of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.missed import never_missed
from paper_checks.exp_alpha.moment_steps import A9, THEOREM, run_family, run_moments, run_moments_exact
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Identity,
    Instance,
    Integer,
    Kind,
    LogScale,
    Reading,
    Space,
    symbols,
)

__all__ = ["CLAIMS"]

eta, L, E, noise, G2, Omega, Gamma = symbols("eta L E noise G2 Omega Gamma")


def _below(less: float, late: float) -> Callable[[Instance], Mapping[str, Any]]:
    """−(noise + 8(E − `less`)G² + 6LΩ), with (2/ηₜ)(Γ − Ω) of the last step added where `late`."""

    def measure(x: Instance) -> Mapping[str, Any]:
        f = run_moments(x)
        sums = f["noise"] + 8 * (f["E"] - less) * f["G2"] + 6 * f["L"] * f["Omega"]
        sums = sums + late * 2 / f["eta"] * (f["Gamma"] - f["Omega"])
        size = (f["G2"] * f["E"] + f["L"] * (f["Omega"] + f["Gamma"])) + late * (f["Gamma"] + f["Omega"]) / f["eta"]
        return {"lhs": -sums, "nothing": np.zeros_like(sums), "magnitude": size}

    return measure


def bar_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """- B_bar on a run."""
    met, f = run_moments_exact(x)
    return met, {"lhs": -(f["noise"] + 8 * (f["E"] - 1) * f["G2"] + 6 * f["L"] * f["Omega"]), "nothing": Fraction(0)}


def late_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """- B of A.9 on a run."""
    met, f = run_moments_exact(x)
    bar = f["noise"] + 8 * (f["E"] - 1) * f["G2"] + 6 * f["L"] * f["Omega"]
    return met, {"lhs": -bar - 2 * (f["Gamma"] - f["Omega"]) / f["eta"], "nothing": Fraction(0)}


def fewer_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same as B_bar with E - 2."""
    met, f = run_moments_exact(x)
    return met, {"lhs": -(f["noise"] + 8 * (f["E"] - 2) * f["G2"] + 6 * f["L"] * f["Omega"]), "nothing": Fraction(0)}


_EXACT = {(1.0, 0.0): bar_exact, (1.0, 1.0): late_exact, (2.0, 0.0): fewer_exact}


def _runs(kind: float, less: float = 1.0, late: float = 0.0, drawn: tuple[float, ...] = (0.0, 1.0, 5.0)) -> Family:
    exact = ExactCheck(_EXACT[less, late], (run_moments_exact,))
    words = "γ = L/μ" if kind == THEOREM else "γ of A.9"
    return run_family(words, _below(less, late), exact, kind=kind, drawn=drawn, most=(100, 30, 60), usual=(2, 2, 4))


_BAR = noise + 8 * (E - 1) * G2 + 6 * L * Omega
_A9_B = noise + 8 * (E - 1) * G2 + 6 * L * Omega + 2 / eta * (Gamma - Omega)

D6 = Claim(
    id="EA-D6",
    kind=Kind.PROPERTY,
    source="Theorem 1 (Sec. 3.2), again in A.9 and Theorem 2",
    title="The constant B̄",
    statement=r"\bar B=\max_t\Big(\sum_i(\rho_i^{t+1})^2\sigma_i^2\Big)+8(E-1)G^2+6L\Omega",
    says="B̄ is defined and not negative on every run, and is the B of the proof without its last term.",
    assumes=(
        "second moments of the stochastic gradients finite at the points visited, G² their largest",
        "Ω over the steps done, in expectation; weights on the simplex",
    ),
    readings=(
        Reading(
            "not negative",
            "On runs with either γ, everyone present or K drawn.",
            never_missed((_runs(THEOREM), _runs(A9)), degrees=(2, -2)),
        ),
        Reading(
            "the two prints agree",
            "A.9's B minus (2/ηₜ)(Γ − Ω) is the theorem's B̄.",
            Identity(_A9_B - 2 / eta * (Gamma - Omega), _BAR),
        ),
    ),
    canaries=(
        Canary(
            "A.9's B in its place",
            never_missed((_runs(A9, late=1.0, drawn=(0.0,)),), degrees=(2, -2)),
            "for one client Γ = 0 < Ω, and 2Ω/ηₜ = μ(γ + t)Ω is more than 6LΩ",
        ),
        Canary(
            "E − 2 in place of E − 1",
            never_missed((_runs(A9, less=2.0),), degrees=(2, -2)),
            "one noiseless quadratic client with E = 1 has 6LΩ <= 3G², less than 8G²",
        ),
        Canary(
            "3LΩ in place of 6LΩ",
            Identity(_A9_B - 2 / eta * (Gamma - Omega), _BAR - 3 * L * Omega),
            "A.9 prints 6LΩ",
        ),
    ),
    depends_on=("EA-A3", "EA-A4", "EA-D5"),
    verdict_words=(
        "A sum of three terms that are not negative, the same in both places where it is printed. It is a number of one run, "
        "not of the problem: Ω is a minimum over the models visited and G² has to be taken there too, because strongly "
        "convex clients have no bounded gradients on the whole space. The B of the proof, with (2/ηₜ)(Γ − Ω) added, may be "
        "negative (EA-E10)."
    ),
)


def _offset(x: Instance) -> Any:
    eight = np.maximum(8 * x["kappa"], x["E"])
    return np.choose(x["kind"].astype(int), [x["kappa"], eight - 1, eight])


def _needs(x: Instance) -> Mapping[str, Any]:
    """By how much η at `start` <= 1/(4L) or ηₜ <= 2ηₜ₊ₑ is missed, in units of 1/μ."""
    gamma, t = _offset(x), x["t"]
    short = 2 / (gamma + x["start"]) - 0.25 / x["kappa"]
    halved = 2 / (gamma + t) - 4 / (gamma + t + x["E"])
    fits = (x["rounds"] > 0) | (x["E"] <= 8 * x["kappa"] - 1)
    found = {"lhs": np.maximum(short, halved), "nothing": np.zeros_like(t), "magnitude": 2 / gamma}
    return {**found, "admissible": fits}


def needs_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """What A.9 asks of eta_t = (2/mu)/(gamma + t), in units of 1/mu; kind 0: gamma = L/mu, 1: A.9, 2: max(8 kappa, E)."""
    kappa, E, t = x["kappa"], x["E"], x["t"]
    gamma = kappa if x["kind"] == 0 else max(8 * kappa, E) - (1 if x["kind"] == 1 else 0)
    short = 2 / (gamma + x["start"]) - 1 / (4 * kappa)
    halved = 2 / (gamma + t) - 2 * (2 / (gamma + t + E))
    met = {"kappa >= 1, E >= 1, t >= 0": kappa >= 1 and E >= 1 and t >= 0}
    if x["rounds"] == 0:
        met["E <= 8 kappa - 1"] = 8 * kappa - 1 >= E
    return met, {"lhs": max(short, halved), "nothing": Fraction(0)}


def _steps(kind: float, *, start: float, any_round: bool = True) -> Case:
    drawn = Space(
        (
            LogScale("kappa", 1.0, 1e4, at=(1.0, 10.0, 1e4)),
            Integer("E", 1, 300, at=(7, 8, 9)),
            Integer("t", 0, 10_000, at=(1, 2)),
            Choice("kind", (kind,)),
            Choice("start", (start,)),
            Choice("rounds", (float(any_round),)),
        )
    )
    name = ("γ = L/μ", "γ of A.9", "γ = max{8L/μ, E}")[int(kind)]
    return Case(f"{name}, first step {int(start)}", drawn, _needs, ExactCheck(needs_exact))


D8 = Claim(
    id="EA-D8",
    kind=Kind.PROPERTY,
    source="Theorems 1 and 2, A.9",
    title="The step sizes",
    statement=(
        r"\eta_t=\frac2{\mu(\gamma+t)},\quad\gamma=\max\tfrac L\mu\ \text{(theorems)}\ \text{or}\ \gamma=\max\{8\tfrac L\mu,E\}-1"
        r"\ \text{(A.9)}:\qquad\eta_1\le\frac1{4L},\ \eta_t\le2\eta_{t+E}\ \forall t\ge0"
    ),
    says="The step sizes chosen are those that the proof asks for.",
    assumes=("β = 2/μ; L >= μ > 0, E >= 1", "«max L/μ» of the theorems, whose second entry is missing, read as L/μ"),
    readings=(
        Reading(
            "γ = L/μ",
            "The steps of the theorems.",
            never_missed((_steps(0.0, start=1.0),)),
        ),
        Reading(
            "γ of A.9, the condition at t = 1",
            "«η₁ <= 1/(4L)» as printed.",
            never_missed((_steps(1.0, start=1.0),)),
        ),
        Reading(
            "γ of A.9, the condition from t = 0",
            "Lemma 1 is used at every t >= 0, steps counted from 0.",
            never_missed((_steps(1.0, start=0.0),)),
        ),
        Reading(
            "γ of A.9, the condition at t = 1, and E <= 8L/μ − 1",
            "Rounds short enough that γ >= E.",
            never_missed((_steps(1.0, start=1.0, any_round=False),)),
            repair="condition",
        ),
        Reading(
            "γ = max{8L/μ, E}",
            "Without the − 1; the condition from t = 0.",
            never_missed((_steps(2.0, start=0.0),)),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "E <= 8L/μ − 1 with the theorems' γ",
            never_missed((_steps(0.0, start=1.0, any_round=False),)),
            "η₁ = 2/(L + μ) is at least 1/L",
        ),
        Canary(
            "E <= 8L/μ − 1 with the condition from t = 0",
            never_missed((_steps(1.0, start=0.0, any_round=False),)),
            "η₀ = 2/(8L − μ) > 1/(4L)",
        ),
    ),
    tight="γ = max{8L/μ, E}: η₀ = 1/(4L) for E <= 8L/μ",
    depends_on=("EA-S1", "EA-S2", "EA-S3"),
    verdict_words=(
        "Both printed choices are positive and fall with t, but neither is what the proof asks for. With the theorems' γ = L/μ "
        "the step at t = 1 is at least 1/L, four times too long, for every L and μ. The γ of A.9 misses η₀ <= 1/(4L) by a "
        "little and, for E > 8L/μ − 1, ηₜ <= 2ηₜ₊ₑ at t = 0. If the first condition is asked at t = 1, as A.9 prints it, "
        "and rounds are not longer than 8L/μ − 1, the γ of A.9 meets both; γ = max{8L/μ, E} meets them for every t >= 0. The "
        "theorems print «max L/μ», a maximum of one thing: presumably A.9's formula, cut."
    ),
)

CLAIMS: tuple[Claim, ...] = (D6, D8)
