"""EA-E10, E11a, E11b: from v to the printed bound, with the signs of B and Γ − Ω tracked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.exp_alpha.moment_steps import A9, DEGREES, run_family, run_moments, run_moments_exact
from paper_checks.exp_alpha.theorem1 import BOUND
from validation import (
    Bound,
    Canary,
    Claim,
    ExactCheck,
    Family,
    Identity,
    Inequality,
    Instance,
    Kind,
    Reading,
    symbols,
)

__all__ = ["CLAIMS"]

L, mu, gamma, T, E, eta, noise, G2, Omega, Gamma, first, after, delta0 = symbols(
    "L mu gamma T E eta noise G2 Omega Gamma first after delta0"
)
B = sp.Symbol("B", real=True)  # negative where Γ < Ω
_B_BAR = noise + 8 * (E - 1) * G2 + 6 * L * Omega


def _runs(key: str) -> Family:
    """Runs with the steps of A.9; `key` chooses what the left side is."""
    functions: dict[str, Callable[..., Any]] = {
        "v": largest_exact,
        "v_all": largest_all_exact,
        "eleven": eleven_exact,
    }

    def measure(x: Instance) -> Mapping[str, Any]:
        found = run_moments(x)
        omega = found["Omega_all"] if key == "v_all" else found["Omega"]
        sums = found["noise"] + 8 * (found["E"] - 1) * found["G2"] + 6 * found["L"] * omega
        total = sums + found["mu"] * (found["gamma"] + found["T"]) * (found["Gamma"] - omega)
        scale = found["L"] / (2 * (found["gamma"] + found["T"]))
        lhs = {
            "v": np.maximum(4 * total / found["mu"] ** 2, found["gamma"] * found["first"]),
            "v_all": np.maximum(4 * total / found["mu"] ** 2, found["gamma"] * found["first"]),
            "eleven": scale * (4 * total / found["mu"] ** 2 + found["gamma"] * found["first"]),
        }[key]
        size = (found["L"] if key == "eleven" else found["gamma"]) * found["reach"]
        return {**found, "lhs": lhs, "B": total, "delta0": found["first"], "magnitude": size}

    exact = ExactCheck(functions[key], (run_moments_exact, constant_b))
    return run_family(f"runs, {key}", measure, exact, kind=A9, most=(100, 30, 100), usual=(2, 2, 4))


def constant_b(found: Mapping[str, Any], Omega: Any) -> Any:
    """The B of A.9 with eta_t of the step t = T."""
    bar = found["noise"] + 8 * (found["E"] - 1) * found["G2"] + 6 * found["L"] * Omega
    return bar + found["mu"] * (found["gamma"] + found["T"]) * (found["Gamma"] - Omega)


def largest_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """v = max(4 B/mu^2, gamma Delta_0), Omega over the run."""
    met, found = run_moments_exact(x)
    B = constant_b(found, found["Omega"])
    return met, {**found, "lhs": max(4 * B / found["mu"] ** 2, found["gamma"] * found["first"]), "B": B}


def largest_all_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """v = max(4 B/mu^2, gamma Delta_0), Omega over all t >= 0, the last weights kept for ever."""
    met, found = run_moments_exact(x)
    B = constant_b(found, found["Omega_all"])
    return met, {**found, "lhs": max(4 * B / found["mu"] ** 2, found["gamma"] * found["first"]), "B": B}


def eleven_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The second line of (11) at t = T."""
    met, found = run_moments_exact(x)
    inside = 4 * constant_b(found, found["Omega"]) / found["mu"] ** 2 + found["gamma"] * found["first"]
    lhs = found["L"] * inside / (2 * (found["gamma"] + found["T"]))
    return met, {**found, "lhs": lhs, "delta0": found["first"]}


_SUM = Bound(
    4 * B / mu**2 + gamma * first,
    again=lambda B, mu, gamma, first: (2 / mu) ** 2 * B + first * gamma,
    degrees={**DEGREES, "B": (2, -2)},
)
_SUM_POSITIVE = Bound(
    4 * sp.Max(B, 0) / mu**2 + gamma * first,
    again=lambda B, mu, gamma, first: np.where(B > 0, 4 * B / mu**2, 0.0) + first * gamma,
    degrees={**DEGREES, "B": (2, -2)},
)

E10 = Claim(
    id="EA-E10",
    kind=Kind.INEQUALITY,
    source="A.9, (10)",
    title="The maximum v below the sum",
    statement=(
        r"v=\max\Big\{\frac{\beta^2B}{\beta\mu-1},\gamma\Delta_0\Big\}\le\frac{\beta^2B}{\beta\mu-1}+\gamma\Delta_0"
        r"\le\frac{4B}{\mu^2}+\gamma\Delta_0,\qquad\beta=\frac2\mu"
    ),
    says="The larger of two terms is at most their sum.",
    assumes=("β = 2/μ, γ = max{8L/μ, E} − 1", "B = B̄ + (2/ηₜ)(Γ − Ω) measured on runs, weights fixed in advance"),
    readings=(
        Reading(
            "Γ and Ω over the run",
            "max and min over the steps done, t < T.",
            Inequality(_SUM, (_runs("v"),), degrees=(0, 2)),
        ),
        Reading(
            "Γ and Ω over all t >= 0",
            "The last weights kept for ever; Ω then is at most the infimum the run tends to.",
            Inequality(_SUM, (_runs("v_all"),), degrees=(0, 2)),
        ),
        Reading(
            "the second inequality",
            "With β = 2/μ it is an equality.",
            Identity((2 / mu) ** 2 * B / (2 / mu * mu - 1), 4 * B / mu**2),
        ),
        Reading(
            "max{B, 0} in place of B",
            "On the sum's side, Γ and Ω over the run.",
            Inequality(_SUM_POSITIVE, (_runs("v"),), degrees=(0, 2)),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "γΔ₀ dropped",
            Inequality(Bound(4 * B / mu**2, degrees=_SUM.degrees), (_runs("v_all"),), degrees=(0, 2)),
            "at E = 1 without noise and with identical clients B = 0",
        ),
        Canary(
            "β³ in place of β²",
            Identity((2 / mu) ** 3 * B / (2 / mu * mu - 1), 4 * B / mu**2, sample=(Fraction(1), Fraction(3))),
            "the sides differ by the factor 2/μ",
        ),
    ),
    tight="B = 0 or Δ₀ = 0",
    depends_on=("EA-E8d", "EA-S5", "EA-D5"),
    verdict_words=(
        "A maximum is below the sum only if neither term is negative. B contains (2/ηₜ)(Γ − Ω), and with Ω as the minimum "
        "over a finite run Γ < Ω is ordinary: for one client Γ = 0 and Ω > 0 until the run ends, and 2Ω/ηₜ = μ(γ + t)Ω "
        "outweighs 6LΩ for the γ of A.9, so B is negative and v = γΔ₀ exceeds the sum. With Γ and Ω over all t >= 0, as the "
        "theorem's «∀t >= 0» may be meant, Ω is at most Γ when the last weights are kept, and the line holds. With max{B, 0} "
        "it holds for any horizon. The theorem itself may still hold where this step does not (EA-T1)."
    ),
)

_SECOND = L / (gamma + T) * (2 / mu**2 * (_B_BAR + 2 / eta * (Gamma - Omega)) + gamma / 2 * delta0)
_INSERTED = _SECOND.subs(eta, 2 / (mu * (gamma + T)))
_SAMPLE = (Fraction(2), Fraction(3))

E11A = Claim(
    id="EA-E11a",
    kind=Kind.IDENTITY,
    source="A.9, (11), first line to second",
    title="B written out",
    statement=(
        r"\frac L2\frac1{\gamma+t}\Big[\frac{4B}{\mu^2}+\gamma\Delta_0\Big]=\frac L{\gamma+t}\Big\{\frac2{\mu^2}\Big[\max_t\sum_i"
        r"(\rho_i^{t+1})^2\sigma_i^2+8(E-1)G^2+6L\Omega+\frac2{\eta_t}(\Gamma-\Omega)\Big]+\frac\gamma2\Delta_0\Big\}"
    ),
    says="The constant B is written out.",
    assumes=("T stands for t",),
    readings=(
        Reading(
            "as printed",
            "For every value of the symbols, Γ − Ω of either sign.",
            Identity(
                L / 2 / (gamma + T) * (4 * (_B_BAR + 2 / eta * (Gamma - Omega)) / mu**2 + gamma * delta0), _SECOND
            ),
        ),
    ),
    canaries=(
        Canary(
            "γ in place of γ/2",
            Identity(
                L / 2 / (gamma + T) * (4 * (_B_BAR + 2 / eta * (Gamma - Omega)) / mu**2 + gamma * delta0),
                _SECOND + L / (gamma + T) * gamma / 2 * delta0,
                sample=_SAMPLE,
            ),
            "the factor 1/2 in front belongs to Δ₀ as well",
        ),
    ),
    depends_on=("EA-E9", "EA-E10", "EA-S5"),
    verdict_words="The factor 1/2 is multiplied in, and B is written out as it is defined; exact.",
)

E11B = Claim(
    id="EA-E11b",
    kind=Kind.INEQUALITY,
    source="A.9, (11), last line",
    title="The step size put into the bound",
    statement=(
        r"\frac L{\gamma+t}\Big\{\frac2{\mu^2}\Big[\bar B+\frac2{\eta_t}(\Gamma-\Omega)\Big]+\frac\gamma2\Delta_0\Big\}="
        r"\frac L{(\gamma+t)}\Big(\frac{2\bar B}{\mu^2}+\frac\gamma2\Delta_0\Big)+\frac L\mu(\Gamma-\Omega)"
    ),
    says="With ηₜ = 2/(μ(γ + t)) the heterogeneity term becomes (L/μ)(Γ − Ω).",
    assumes=("ηₜ = 2/(μ(γ + t)), the same t in both places", "T stands for t"),
    readings=(
        Reading(
            "as printed, an equality",
            "For every value of the symbols.",
            Identity(_INSERTED, BOUND.expression, sample=_SAMPLE),
        ),
        Reading(
            "as an upper bound",
            "The last line need only be at least the one before; measured on runs with the steps of A.9.",
            Inequality(BOUND, (_runs("eleven"),), degrees=(1, 0)),
        ),
        Reading(
            "2L/μ in place of L/μ",
            "(L/(γ + t))·(2/μ²)·(2/ηₜ) = 2L/μ.",
            Identity(_INSERTED, BOUND.expression + L / mu * (Gamma - Omega)),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "2L/μ and 2Δ₀",
            Identity(
                _INSERTED,
                BOUND.expression + L / mu * (Gamma - Omega) + L / (gamma + T) * gamma / 2 * delta0,
                sample=_SAMPLE,
            ),
            "the Δ₀ terms then differ by a factor 2",
        ),
    ),
    tight="Γ = Ω",
    depends_on=("EA-E11a", "EA-D8"),
    verdict_words=(
        "Inserting ηₜ gives (L/(γ + t))·(2/μ²)·μ(γ + t)(Γ − Ω) = (2L/μ)(Γ − Ω); the line prints (L/μ)(Γ − Ω). A factor 2 is "
        "lost. Where Γ > Ω, the case of weights that are not proportional, the printed line is smaller than the one before "
        "it and no bound follows from that one; where Γ <= Ω it is larger and harmless. With 2L/μ the equality is exact. The "
        "halved term of Theorem 1 does follow if Γ − Ω is kept out of B and induction is done on Δₜ − 2(Γ − Ω)/μ (EA-T1)."
    ),
)

CLAIMS: tuple[Claim, ...] = (E10, E11A, E11B)
