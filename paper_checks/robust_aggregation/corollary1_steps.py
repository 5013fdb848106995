"""The ends of the proof of Corollary 1 (A.3): the recursion renamed, and the substitution of β and γ into ψ."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.robust_aggregation.corollary1 import BOUND as COROLLARY
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
    Integer,
    Kind,
    LogScale,
    Reading,
    Space,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

eta, mu, L, E, G2, sigma2, rho, rho_best, Gamma, Delta, D0 = symbols("eta mu L E G2 sigma2 rho rho_best Gamma Delta D0")
beta, gamma, B, C, D, T, tau = symbols("beta gamma B C D T tau")
_WHERE = "Proof of Corollary 1 (A.3)"
_B = 1 + sp.Rational(3, 8) * rho
_C = 32 * E**2 * G2 + 6 * rho * L * Gamma + sigma2
_D = 2 * Gamma * (rho_best - rho)
_EIGHT = (
    (1 - eta * mu * (1 + 3 * rho / 8)) * Delta
    + eta**2 * (32 * E**2 * G2 + 6 * rho * L * Gamma + sigma2)
    + 2 * eta * Gamma * (rho_best - rho)
)


def _renamed(b: Any = _B, c: Any = _C, d: Any = _D) -> Identity:
    return Identity(_EIGHT, (1 - eta * mu * b) * Delta + eta**2 * c + eta * d, sample=(Fraction(1), Fraction(2)))


C11 = Claim(
    id="RA-P-C1.1",
    kind=Kind.IDENTITY,
    source=_WHERE + ", first display",
    title="The recursion with B, C and D",
    statement=(
        r"\Delta_{t+1}\le(1-\eta_t\mu B)\Delta_t+\eta_t^2C+\eta_tD,\quad B=1+\tfrac38\overline\rho,\ "
        r"C=32E^2G^2+6\overline\rho L\Gamma+\sigma^2,\ D=2\Gamma(\tilde\rho-\overline\rho)"
    ),
    says="With these B, C and D the recursion is Theorem 1.",
    assumes=("Theorem 1, Δₜ = E‖wₜ − w*‖²",),
    readings=(Reading("as printed", "The right side of (8) and this one are the same expression.", _renamed()),),
    canaries=(
        Canary("3/4 in B", _renamed(b=1 + 3 * rho / 4), "the sides then differ by (3/8)ημρ̄Δ"),
        Canary("D without its 2", _renamed(d=_D / 2), "the sides then differ by ηΓ(ρ̃ − ρ̄)"),
    ),
    depends_on=("RA-T1",),
    verdict_words=(
        "Only names are given. The recursion itself is Theorem 1's and is no truer than that; the C of the proof has E, "
        "where the corollary prints τ."
    ),
)


def _substituted(x: Instance) -> Mapping[str, Any]:
    L_, mu_ = x["L"], x["L"] * x["part"]
    best = x["rho"] * x["times"]
    g = 4 * L_ / mu_
    first = x["T"] + g
    c = 32 * x["E"] ** 2 * x["G2"] + 6 * x["rho"] * L_ * x["Gamma"] + x["sigma2"]
    d = 2 * x["Gamma"] * (best - x["rho"])
    psi = np.maximum(g * x["D0"], (c / mu_**2 + d * first / mu_) / (3 * x["rho"] / 8))
    return {
        **{name: x[name] for name in ("L", "T", "G2", "sigma2", "Gamma", "D0", "rho")},
        "lhs": L_ / 2 * psi / first,
        "mu": mu_,
        "tau": x["E"] if x["tau_is_E"][0] > 0 else np.ones_like(L_),
        "rho_best": best,
    }


def substituted_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(L/2) psi/(T + gamma) with beta = 1/mu, gamma = 4L/mu."""
    L, mu, rho, best, Gamma = x["L"], x["L"] * x["part"], x["rho"], x["rho"] * x["times"], x["Gamma"]
    gamma, beta, B = 4 * L / mu, 1 / mu, 1 + rho * Fraction(3, 8)
    C, D = 32 * x["E"] ** 2 * x["G2"] + 6 * rho * L * Gamma + x["sigma2"], 2 * Gamma * (best - rho)
    psi = max(gamma * x["D0"], (beta**2 * C + D * beta * (x["T"] + gamma)) / (beta * mu * B - 1))
    met = {"0 < mu <= L": 0 < mu <= L, "rho > 0": rho > 0}
    found = {name: Fraction(x[name]) for name in ("L", "T", "G2", "sigma2", "Gamma", "D0", "rho")}
    found |= {"mu": mu, "tau": x["E"] if x["tau_is_E"] > 0 else Fraction(1), "rho_best": best}
    return met, {**found, "lhs": L / 2 * psi / (x["T"] + gamma)}


def _substitution(low: float, *, tau_is_E: bool = True) -> Case:
    space = Space(
        (
            LogScale("L", 1e-2, 1e2, at=(1.0,)),
            LogScale("part", 1e-4, 1.0, at=(1e-4, 0.1, 1.0)),
            LogScale("rho", 1e-3, 1e3, at=(1.0,)),
            LogScale("times", low, 1e3, at=(low, 1.0)),
            *(LogScale(name, 1e-6, 1e3, at=(1e-6, 1.0)) for name in ("G2", "sigma2", "Gamma", "D0")),
            Integer("E", 1, 300, at=(2,)),
            Integer("T", 0, 1_000_000, at=(1, 100)),
            Choice("tau_is_E", (float(tau_is_E),)),
        )
    )
    same = units({"L": (1, -2), "G2": (2, -2), "sigma2": (2, -2), "Gamma": (1, 0), "D0": (0, 2)})
    return Case("all constants", space, _substituted, ExactCheck(substituted_exact), symmetries=(same,))


def _at_most(bound: Bound, case: Case) -> Inequality:
    return Inequality(bound, (case,), degrees=(1, 0), trivial="both sides bound the same left side")


_SUM = {beta: 1 / mu, gamma: 4 * L / mu, B: _B, C: _C.subs(E, tau), D: _D}
_AS_SUM = (L / 2 * (gamma * D0 + (beta**2 * C + D * beta * (T + gamma)) / (beta * mu * B - 1)) / (T + gamma)).subs(_SUM)

C15 = Claim(
    id="RA-P-C1.5",
    kind=Kind.INEQUALITY,
    source="Corollary 1 from A.3",
    title="From ψ to V and E",
    statement=(
        r"\beta=\tfrac1\mu,\ \gamma=\tfrac{4L}\mu:\quad\frac L2\frac\psi{T+\gamma}\le\frac1{T+\gamma}V(\overline\rho,\tilde\rho)"
        r"+E(\overline\rho,\tilde\rho)"
    ),
    says="With β = 1/μ and γ = 4L/μ the bound by ψ is at most V/(T + γ) + E.",
    assumes=("ψ as in A.3 at t = T, B, C, D as there", "ρ̄ > 0, so that β = 1/μ > 1/(μB)"),
    readings=(
        Reading("any ρ̃", "τ = E, ρ̃ below, at and above ρ̄.", _at_most(COROLLARY, _substitution(1e-3))),
        Reading(
            "ρ̃ >= ρ̄",
            "τ = E; the maximum is then at most the sum.",
            _at_most(COROLLARY, _substitution(1.0)),
            repair="condition",
        ),
        Reading(
            "the sum in place of the maximum",
            "γ‖w₀ − w*‖² + (β²C + Dβ(T + γ))/(βμB − 1) gives exactly V and E, τ = E.",
            Identity(_AS_SUM, COROLLARY.expression, sample=(Fraction(1), Fraction(2))),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "τ = 1, ρ̃ >= ρ̄",
            _at_most(COROLLARY, _substitution(1.0, tau_is_E=False)),
            "for E = 300 the C of the proof has 300² times the gradient term",
        ),
        Canary(
            "4 in place of 8 in E",
            _at_most(Bound(COROLLARY.expression - 4 * L * Gamma / (3 * mu) * (rho_best / rho - 1)), _substitution(1.0)),
            "for T large and D > 0 both sides are their constant parts, 8LΓ/(3μ)(ρ̃/ρ̄ − 1) on the left",
        ),
    ),
    tight="‖w₀ − w*‖ → 0 and ρ̃ >= ρ̄, where the maximum is its second number",
    depends_on=("RA-P-C1.2", "RA-D7"),
    verdict_words=(
        "V and E are what comes out if the maximum in ψ is replaced by the sum of its two numbers, with τ = E. That is an upper bound as long as both "
        "numbers are positive, hence for ρ̃ >= ρ̄. For ρ̃ < ρ̄ the second number can be negative, the sum is then below the maximum, and the "
        "bound with V and E claims more than (19)."
    ),
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (C11, C15)
