"""The induction in the proof of Corollary 1 (A.3): ψ, and the sequences that obey the recursion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Integer,
    Kind,
    LogScale,
    Property,
    Reading,
    Size,
    Space,
    Uniform,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

mu, B, C, D, D0, T, beta, gamma = symbols("mu B C D D0 T beta gamma")
_WHERE = "Proof of Corollary 1 (A.3)"
_PSI = sp.Max(gamma * D0, (beta**2 * C + D * beta * (T + gamma)) / (beta * mu * B - 1))


def psi_again(beta: Any, gamma: Any, mu: Any, B: Any, C: Any, D: Any, D0: Any, T: Any) -> Any:
    """ψ once more."""
    return np.maximum(D0 * gamma, beta * (C * beta + T * D + gamma * D) / (mu * beta * B - 1))


_PSI_DEGREES = {
    "beta": (-1, 2),
    "mu": (1, -2),
    "C": (2, -2),
    "D": (1, 0),
    "D0": (0, 2),
    **dict.fromkeys(("gamma", "B", "T"), (0, 0)),
}
PSI = Bound(_PSI, again=psi_again, degrees=_PSI_DEGREES)
_SCALARS = (
    LogScale("B", 1.0, 1e3, at=(1.0, 2.0)),
    LogScale("mu", 1e-2, 1e2, at=(1.0,)),
    LogScale("excess", 1e-3, 1e3, at=(1e-3, 1.0, 1e3)),
    LogScale("C", 1e-3, 1e3, at=(1e-3, 1.0, 1e3)),
    LogScale("size", 1e-3, 1e3, at=(1e-3, 1.0, 1e3)),
    LogScale("D0", 1e-3, 1e3, at=(1e-3, 1.0, 1e3)),
)
_SCALAR_UNITS = units({"mu": (1, -2), "C": (2, -2), "size": (1, 0), "D0": (0, 2)})


def _psi_value(x: Instance, t: Any, *, first: bool = True) -> Any:
    b = (1 + x["excess"]) / (x["mu"] * x["B"])
    second = (b**2 * x["C"] + x["sign"] * x["size"] * b * (t + x["gamma"])) / x["excess"]
    return np.maximum(x["gamma"] * x["D0"], second) if first else second


def psi_value(x: Mapping[str, Any], t: Any) -> tuple[Any, Any]:
    """Both numbers in ψ at t; beta = (1 + excess)/(mu B)."""
    b = (1 + x["excess"]) / (x["mu"] * x["B"])
    return x["gamma"] * x["D0"], (b**2 * x["C"] + x["sign"] * x["size"] * b * (t + x["gamma"])) / (
        b * x["mu"] * x["B"] - 1
    )


def psi_negative_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """By how much psi is below 0."""
    met = {"beta > 1/(mu B), gamma > 0": x["excess"] > 0 and min(x["mu"], x["B"], x["gamma"]) > 0}
    return met, {"lhs": -max(psi_value(x, x["t"]))}


def psi_second_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """By how much the second number alone is below 0."""
    met = {"beta > 1/(mu B), gamma > 0": x["excess"] > 0 and min(x["mu"], x["B"], x["gamma"]) > 0}
    return met, {"lhs": -psi_value(x, x["t"])[1]}


def psi_moves_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """How far psi at t is from psi at 0."""
    met = {"beta > 1/(mu B), gamma > 0": x["excess"] > 0 and min(x["mu"], x["B"], x["gamma"]) > 0}
    return met, {"lhs": abs(max(psi_value(x, x["t"])) - max(psi_value(x, 0)))}


def _psi_case(what: str, signs: tuple[float, ...]) -> Property:
    left: Callable[[Instance], Any] = {
        "negative": lambda x: -_psi_value(x, x["t"]),
        "second": lambda x: -_psi_value(x, x["t"], first=False),
        "moves": lambda x: np.abs(_psi_value(x, x["t"]) - _psi_value(x, 0.0)),
    }[what]
    exact = {"negative": psi_negative_exact, "second": psi_second_exact, "moves": psi_moves_exact}[what]

    def measure(x: Instance) -> Mapping[str, Any]:
        return {"lhs": left(x), "magnitude": np.abs(_psi_value(x, x["t"])) + np.abs(_psi_value(x, 0.0, first=False))}

    drawn = (LogScale("gamma", 1e-2, 1e4, at=(1.0, 4.0)), Integer("t", 0, 10_000), Choice("sign", signs))
    case = Case("all constants", Space((*_SCALARS, *drawn)), measure, ExactCheck(exact, (psi_value,)))
    return Property((case,), degrees=(0, 2))


C12 = Claim(
    id="RA-P-C1.2",
    kind=Kind.PROPERTY,
    source=_WHERE + ", the number ψ",
    title="The number ψ",
    statement=(
        r"\psi=\max\Big\{\gamma\|w_0-w^\star\|^2,\frac1{\beta\mu B-1}\left(\beta^2C+D\beta(t+\gamma)\right)\Big\},\quad"
        r"\beta>\frac1{\mu B},\ \gamma>0"
    ),
    says="ψ is a well-defined, non-negative number at each t.",
    assumes=("B >= 1, C >= 0, D of any sign, β > 1/(μB), γ > 0",),
    readings=(
        Reading("defined and not negative, at each t", "ψ may change with t.", _psi_case("negative", (-1.0, 0.0, 1.0))),
        Reading(
            "one number for all t",
            "Stronger than the print, whose formula for ψ has t in it, though ψ has no index.",
            _psi_case("moves", (-1.0, 0.0, 1.0)),
        ),
        Reading(
            "one number for all t, D = 0",
            "Stronger than the print, too; ρ̃ = ρ̄ or Γ = 0.",
            _psi_case("moves", (0.0,)),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "the second number without the maximum",
            _psi_case("second", (-1.0, 0.0, 1.0)),
            "it is negative for D < 0 and t large",
        ),
    ),
    depends_on=("RA-P-C1.1",),
    verdict_words=(
        "At each t ψ is defined and not negative: β > 1/(μB) makes the denominator positive, and the "
        "first number keeps the maximum from being negative. The formula has t in it, and the corollary "
        "takes ψ at t = T. That it be one number for all t is stronger than the print, and true for D = "
        "0, as with αᵢ = pᵢ or Γ = 0. For D > 0 it grows with t in the end, and ψ/(t + γ) does not fall "
        "as 1/t: its part Dβ/(βμB − 1) stays, which is where the error term E of the corollary comes "
        "from (RA-C1, RA-R3). The corollary takes β = 1/μ, which the condition admits only if ρ̄ > 0."
    ),
)


def _sequence(x: Instance, fixed: bool) -> Mapping[str, Any]:
    T, factor = x["part"].shape[1], 1 + x["excess"]
    g = factor * x["room"] if "room" in x else x["gamma"]
    b, d = factor / (x["mu"] * x["B"]), x["sign"] * x["size"]
    value, possible = x["D0"], np.ones(len(g), dtype=bool)
    for t in range(T):
        s = t + g
        most = (1 - factor / s) * value + b**2 * x["C"] / s**2 + b * d / s
        possible &= most >= 0
        value = x["part"][:, t] * most
    return {
        "lhs": (T + g) * value,
        "beta": b,
        "gamma": g,
        "mu": x["mu"],
        "B": x["B"],
        "C": x["C"],
        "D": d,
        "D0": x["D0"],
        "T": np.full_like(g, 0.0 if fixed else float(T)),
        "admissible": possible,
        "magnitude": (T + g) * (x["D0"] + b**2 * x["C"] / g**2 + b * np.abs(d) / g),
    }


def sequence_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """A sequence with 0 <= Delta_(t+1) <= (1 - eta mu B) Delta_t + eta^2 C + eta D, and the numbers in psi at T."""
    factor = 1 + x["excess"]
    g = factor * x["room"] if "room" in x else x["gamma"]
    b, d, value, possible = factor / (x["mu"] * x["B"]), x["sign"] * x["size"], x["D0"], True
    for t, part in enumerate(x["part"]):
        eta = b / (t + g)
        most = (1 - eta * x["mu"] * x["B"]) * value + eta**2 * x["C"] + eta * d
        possible = possible and most >= 0 and 0 <= part <= 1
        value = part * most
    met = {
        "beta > 1/(mu B), gamma > 0, C >= 0, B >= 1": b * x["mu"] * x["B"] > 1 and min(g, x["C"], x["B"] - 1) >= 0,
        "0 <= Delta_(t+1) <= the recursion": possible,
        "beta mu B <= gamma, where it is asked": "room" not in x or b * x["mu"] * x["B"] <= g,
    }
    T = Fraction(len(x["part"]))
    found = {"beta": b, "gamma": g, "mu": x["mu"], "B": x["B"], "C": x["C"], "D": d, "D0": x["D0"], "T": T}
    return met, {**found, "lhs": (T + g) * value}


def sequence_fixed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with psi taken at t = 0."""
    met, found = sequence_exact(x)
    return met, {**found, "T": Fraction(0)}


def _sequences(signs: tuple[float, ...], *, room: bool = False, fixed: bool = False) -> Family:
    def at(T: float) -> Case:
        step = LogScale("room", 1.0, 1e4, at=(1.0,)) if room else LogScale("gamma", 1e-2, 1e4, at=(1.0, 4.0))
        drawn = (step, Choice("sign", signs), Uniform("part", 0.0, 1.0, (int(T),), at=(0.0, 1.0, 1.0, 1.0)))
        check = ExactCheck(sequence_fixed_exact, (sequence_exact,)) if fixed else ExactCheck(sequence_exact)
        return Case(
            f"{int(T)} steps",
            Space((*_SCALARS, *drawn)),
            lambda x: _sequence(x, fixed),
            check,
            cost=max(1.0, T / 20),
            symmetries=(_SCALAR_UNITS,),
        )

    return Family("sequences that obey the recursion", (Size("T", 1, 300, 2, ladder=False),), at)


def _below(bound: Bound, *cases: Family) -> Inequality:
    return Inequality(bound, cases, degrees=(0, 2))


_ANY = (-1.0, 0.0, 1.0)
C13 = Claim(
    id="RA-P-C1.3",
    kind=Kind.INEQUALITY,
    source=_WHERE + ", «By induction we get»",
    title="The induction",
    statement=r"\forall t,\ \Delta_t\le\frac\psi{t+\gamma}",
    says="A sequence that obeys the recursion with ηₜ = β/(t + γ) stays below ψ/(t + γ).",
    assumes=("0 <= Δₜ₊₁ <= (1 − ηₜμB)Δₜ + ηₜ²C + ηₜD for all t", "ηₜ = β/(t + γ), β > 1/(μB), γ > 0", "B >= 1, C >= 0"),
    readings=(
        Reading("ψ at t, D of any sign", "D = 2Γ(ρ̃ − ρ̄) may be negative.", _below(PSI, _sequences(_ANY))),
        Reading("ψ at t, D >= 0", "As on a run that goes on for ever.", _below(PSI, _sequences((0.0, 1.0)))),
        Reading(
            "ψ one number, D >= 0",
            "ψ with t = 0 in it.",
            _below(PSI, _sequences((0.0, 1.0), fixed=True)),
        ),
        Reading(
            "ψ at t, D >= 0, ηₜμB <= 1",
            "βμB <= γ: no step overshoots.",
            _below(PSI, _sequences((0.0, 1.0), room=True)),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "the start dropped from ψ",
            _below(
                Bound((beta**2 * C + D * beta * (T + gamma)) / (beta * mu * B - 1)), _sequences((0.0, 1.0), room=True)
            ),
            "with C and D small and γ large Δ₁ is nearly Δ₀",
        ),
        Canary(
            "β in place of β²",
            Inequality(
                Bound(sp.Max(gamma * D0, (beta * C + D * beta * (T + gamma)) / (beta * mu * B - 1))),
                (_sequences((0.0, 1.0), room=True),),
            ),
            "for β > 1 and D, Δ₀ small the true limit of tΔₜ is β²C/(βμB − 1)",
        ),
    ),
    tight="D = 0 and t → ∞, where tΔₜ → β²C/(βμB − 1)",
    depends_on=("RA-P-C1.1", "RA-P-C1.2"),
    verdict_words=(
        "The step of the induction uses three things that are not said. ψ must be allowed to grow with t, since it contains t; D must not be negative, "
        "or ψ shrinks faster than the sequence; and 1 − ηₜμB must not be negative, since otherwise Δₜ <= ψ/(t + γ) cannot be put "
        "into the recursion: after one overshooting step Δ₁ may be β²C/γ² + βD/γ, however large B is, and ψ falls as 1/B. The last one is "
        "not far-fetched, since B grows with ρ̄, which Remark 5 calls arbitrarily big; with β = 1/μ, γ = 4L/μ it asks for "
        "3ρ̄/8 <= 4L/μ − 1. With the three conditions the induction is right."
    ),
)

CLAIMS: tuple[Claim, ...] = (C12, C13)
