"""EA-S5: the B of A.9 as a constant of the induction, though it contains 1/ηₜ."""

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
    Kind,
    LogScale,
    Reading,
    Signed,
    Size,
    Space,
    Switch,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

mu, gamma, T, delta0 = symbols("mu gamma T delta0")
B = sp.Symbol("B", real=True)  # may be negative where Γ < Ω


def induced_again(B: Any, mu: Any, gamma: Any, T: Any, delta0: Any) -> Any:
    """v/(γ + T) with β = 2/μ, once more."""
    return np.maximum(4 * B / (mu * mu * (gamma + T)), delta0 * gamma / (gamma + T))


INDUCED = Bound(
    sp.Max(4 * B / mu**2, gamma * delta0) / (gamma + T),
    again=induced_again,
    degrees={"B": (2, -2), "mu": (1, -2), "gamma": (0, 0), "T": (0, 0), "delta0": (0, 2)},
)


def _recursion(x: Instance) -> Mapping[str, Any]:
    """Δₜ₊₁ = (1 − ηₜμ)Δₜ + ηₜ²Bₜ, the equality of (7), Bₜ = B̄ + (2/ηₜ)(Γ − Ω); `which` B enters v."""
    n_steps, mu_, g = int(x["n_steps"][0]), x["mu"], x["gamma"]
    value, least = x["delta0"], x["delta0"]
    parts = []
    for t in range(n_steps + 1):
        eta = 2 / (mu_ * (g + t))
        parts.append(x["B_bar"] + 2 / eta * x["difference"])
        if t < n_steps:
            value = (1 - eta * mu_) * value + eta**2 * parts[-1]
            least = np.minimum(least, value)
    chosen = [parts[0], parts[-1], np.max(parts, axis=0)]
    return {
        "lhs": value,
        "B": np.choose(x["which"].astype(int), chosen),
        "mu": mu_,
        "gamma": g,
        "T": x["n_steps"],
        "delta0": x["delta0"],
        "admissible": least >= 0,
        "magnitude": x["delta0"] + (x["B_bar"] / mu_**2 + np.abs(x["difference"]) / mu_),
    }


def recursion_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Delta_(t+1) = (1 - eta_t mu) Delta_t + eta_t^2 B_t with B_t = B_bar + (2/eta_t)(Gamma - Omega)."""
    value, values, parts, n = x["delta0"], [x["delta0"]], [], int(x["n_steps"])
    for t in range(n + 1):
        eta = 2 / (x["mu"] * (x["gamma"] + t))
        parts.append(x["B_bar"] + 2 * x["difference"] / eta)
        if t < n:
            value = value - eta * x["mu"] * value + eta * eta * parts[t]
            values.append(value)
    hypotheses = {
        "gamma >= 7, as max(8 L/mu, E) - 1 is": x["gamma"] >= 7,
        "mu, B_bar > 0": x["mu"] > 0 and x["B_bar"] > 0,
        "every Delta_t >= 0": min(values) >= 0,
    }
    which = int(x["which"])
    constants = {
        "lhs": value,
        "B": parts[0] if which == 0 else parts[n] if which == 1 else max(parts),
        "mu": x["mu"],
        "gamma": x["gamma"],
        "T": Fraction(n),
        "delta0": x["delta0"],
    }
    return hypotheses, constants


def _case(which: int) -> Callable[..., Case]:
    def at(T: float) -> Case:
        drawn = Space(
            (
                LogScale("mu", 1e-2, 1e2, at=(1.0,)),
                LogScale("gamma", 7.0, 1e4, at=(7.0, 100.0)),
                LogScale("B_bar", 1e-3, 1e3, at=(1.0,)),
                Signed("difference", 1e-5, 1e3),
                LogScale("delta0", 1e-6, 1e3, at=(1e-6, 1.0)),
                Choice("n_steps", (float(T),)),
                Choice("which", (float(which),)),
            )
        )
        same = (units({"mu": (1, -2), "B_bar": (2, -2), "difference": (1, 0), "delta0": (0, 2)}),)
        name = f"{int(T)} steps, {('B at t = 0', 'B at t = T', 'the largest B')[which]}"
        return Case(name, drawn, _recursion, ExactCheck(recursion_exact), cost=max(1.0, T / 30), symmetries=same)

    return at


def _family(which: int) -> Family:
    return Family(("first", "last", "largest")[which], (Size("T", 1, 1000, 10, ladder=True),), _case(which))


_AT_LEAST = Switch("Γ >= Ω", "Γ − Ω is not negative", lambda x: {**x, "difference": np.abs(x["difference"])})
_AT_MOST = Switch("Γ <= Ω", "Γ − Ω is not positive", lambda x: {**x, "difference": -np.abs(x["difference"])})

S5 = Claim(
    id="EA-S5",
    kind=Kind.INEQUALITY,
    source="A.9, (7)–(11)",
    title="B as a constant of the induction",
    statement=(
        r"B=\max_t\sum_i(\rho_i^{t+1})^2\sigma_i^2+8(E-1)G^2+6L\Omega+\frac2{\eta_t}(\Gamma-\Omega):\quad"
        r"\Delta_{t+1}\le(1-\eta_t\mu)\Delta_t+\eta_t^2B\ \Rightarrow\ \Delta_t\le\frac v{\gamma+t},\ "
        r"v=\max\Big\{\frac{4B}{\mu^2},\gamma\Delta_0\Big\}"
    ),
    says="One number B carries the recursion (7) through the induction (8) to the bound (11).",
    assumes=(
        "ηₜ = 2/(μ(γ + t)), γ >= 7",
        "B̄ > 0, Γ − Ω of either sign",
        "the recursion (7) with equality, all Δₜ >= 0",
    ),
    readings=(
        Reading(
            "B at the first step",
            "The constant of the induction taken where it starts, t = 0.",
            Inequality(INDUCED, (_family(0),), switches=(_AT_MOST,), degrees=(0, 2)),
        ),
        Reading(
            "B at the step of the bound",
            "As (11) inserts it: ηₜ of the last step, t = T.",
            Inequality(INDUCED, (_family(1),), switches=(_AT_LEAST,), degrees=(0, 2)),
        ),
        Reading(
            "the largest B of the run",
            "A constant that serves every step.",
            Inequality(INDUCED, (_family(2),), degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "γΔ₀ dropped from v",
            Inequality(Bound(4 * B / mu**2 / (gamma + T)), (_family(2),)),
            "for B̄ and Γ − Ω near 0 only the initial distance is left, and a step keeps part of it",
        ),
        Canary(
            "4B/μ² dropped from v",
            Inequality(Bound(gamma * delta0 / (gamma + T)), (_family(2),)),
            "from Δ₀ near 0 the noise alone makes Δ₁ positive",
        ),
        Canary(
            "half of 4B/μ²",
            Inequality(Bound(sp.Max(2 * B / mu**2, gamma * delta0) / (gamma + T)), (_family(2),)),
            "for Γ = Ω and T large Δ_T(γ + T) tends to 4B̄/μ²",
        ),
    ),
    tight="the largest B with Γ = Ω, as T grows",
    depends_on=("EA-L1", "EA-L2", "EA-L3"),
    verdict_words=(
        "B contains 2(Γ − Ω)/ηₜ = μ(γ + t)(Γ − Ω), which grows or falls with t, yet (8) treats it as one number and (11) "
        "inserts the step of the last t. With the largest B of the run the induction goes through. With the B of the first "
        "step it fails when Γ > Ω, and with the B of the last step, the one that gives the printed (11), when Γ < Ω: "
        "v then shrinks from step to step while the distances do not. Γ < Ω is the ordinary case of a finite run with "
        "proportional weights (EA-T1b). For Γ >= Ω the printed use is right."
    ),
)

CLAIMS: tuple[Claim, ...] = (S5,)
