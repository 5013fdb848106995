"""EA-S5, EA-D6: the constants B and B̄: one number for the induction though it contains 1/ηₜ, and never negative."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Max

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.runs import runs
from validation import Case, Claim, Family, Instance, LogScale, Signed, Size, Space, Switch, units
from validation.statement.says import identity, le
from validation.world.stated import but, stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]

mu, gamma, T, E, L, eta, delta0 = NOTATION.symbols("mu gamma T E L eta delta0")
noise, G2, Omega, Gamma = NOTATION.symbols("noise G2 Omega Gamma")
after, B_first, B_last, B_most = NOTATION.symbols("after B_first B_last B_most")


def recursion(x: Instance, *, T: int) -> Mapping[str, Any]:
    """Δₜ₊₁ = (1 − ηₜμ)Δₜ + ηₜ²Bₜ, the equality of (7), with Bₜ = B̄ + (2/ηₜ)(Γ − Ω)."""
    value = least = x["delta0"]
    parts = []
    for t in range(T + 1):
        step = 2 / (x["mu"] * (x["gamma"] + t))
        parts.append(x["B_bar"] + 2 / step * x["difference"])
        if t < T:
            value = (1 - step * x["mu"]) * value + step**2 * parts[-1]
            least = np.minimum(least, value)
    return {
        "after": value,
        "B_first": parts[0],
        "B_last": parts[-1],
        "B_most": np.max(parts, axis=0),
        "mu": x["mu"],
        "gamma": x["gamma"],
        "T": np.full(len(value), float(T)),
        "delta0": x["delta0"],
        "admissible": least >= 0,
        "magnitude": x["delta0"] + (x["B_bar"] / x["mu"] ** 2 + np.abs(x["difference"]) / x["mu"]),
    }


def recursion_exact(x: Mapping[str, Any], *, T: int) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Delta_(t+1) = (1 - eta_t mu) Delta_t + eta_t^2 B_t with B_t = B_bar + (2/eta_t)(Gamma - Omega)."""
    values, parts = [x["delta0"]], []
    for t in range(T + 1):
        eta = 2 / (x["mu"] * (x["gamma"] + t))
        parts.append(x["B_bar"] + 2 * x["difference"] / eta)
        values.append(values[t] - eta * x["mu"] * values[t] + eta * eta * parts[t])
    met = {
        "gamma >= 7, as max(8 L/mu, E) - 1 is": x["gamma"] >= 7,
        "mu, B_bar > 0": x["mu"] > 0 and x["B_bar"] > 0,
        "every Delta_t >= 0": min(values[: T + 1]) >= 0,
    }
    found = {"after": values[T], "B_first": parts[0], "B_last": parts[T], "B_most": max(parts)}
    return met, {**found, "mu": x["mu"], "gamma": x["gamma"], "T": Fraction(T), "delta0": x["delta0"]}


def _at(T: float) -> Case:
    drawn = Space(
        (
            LogScale("mu", 1e-2, 1e2, at=(1.0,)),
            LogScale("gamma", 7.0, 1e4, at=(7.0, 100.0)),
            LogScale("B_bar", 1e-3, 1e3, at=(1.0,)),
            Signed("difference", 1e-5, 1e3),
            LogScale("delta0", 1e-6, 1e3, at=(1e-6, 1.0)),
        )
    )
    same = (units({"mu": (1, -2), "B_bar": (2, -2), "difference": (1, 0), "delta0": (0, 2)}),)
    cost = max(1.0, T / 30)
    return case(f"{int(T)} steps", drawn, recursion, recursion_exact, cost=cost, symmetries=same, T=int(T))


_RECURSION = World(NOTATION, (Family("the recursion", (Size("T", 1, 1000, 10, ladder=True),), _at),))
_AT_LEAST = Switch("Γ >= Ω", "Γ − Ω is not negative", lambda x: {**x, "difference": np.abs(x["difference"])})
_AT_MOST = Switch("Γ <= Ω", "Γ − Ω is not positive", lambda x: {**x, "difference": -np.abs(x["difference"])})


def _induced(constant: Any) -> Any:
    return le(after, Max(4 * constant / mu**2, gamma * delta0) / (gamma + T))


S5 = stated(
    r"""EA-S5 (step; A.9, (7)–(11)): B as a constant of the induction
    Print: B=\max_t\sum_i(\rho_i^{t+1})^2\sigma_i^2+8(E-1)G^2+6L\Omega+\frac2{\eta_t}(\Gamma-\Omega):
        \quad\Delta_{t+1}\le(1-\eta_t\mu)\Delta_t+\eta_t^2B\ \Rightarrow\ \Delta_t\le\frac v{\gamma+t},\ v
        =\max\Big\{\frac{4B}{\mu^2},\gamma\Delta_0\Big\}
    Plainly: One number B carries the recursion (7) through the induction (8) to the bound (11).
    Assumes: ηₜ = 2/(μ(γ + t)), γ >= 7 | B̄ > 0, Γ − Ω of either sign | the recursion (7) with equality, all Δₜ >= 0
    Open (nowhere) step_of_B: B contains ηₜ and carries no index
    Reading: B at the first step | The constant of the induction taken where it starts, t = 0. | option step_of_B =
        the first
    Reading: B at the step of the bound | As (11) inserts it: ηₜ of the last step, t = T. | option step_of_B = the
        bound's own
    Reading: the largest B of the run | A constant that serves every step. | option step_of_B = the largest
    Mutant: γΔ₀ dropped from v | for B̄ and Γ − Ω near 0 only the initial distance is left, and a step keeps part of
        it
    Mutant: 4B/μ² dropped from v | from Δ₀ near 0 the noise alone makes Δ₁ positive
    Mutant: half of 4B/μ² | for Γ = Ω and T large Δ_T(γ + T) tends to 4B̄/μ²
    Tight: the largest B with Γ = Ω, as T grows
    Rests on: EA-L1, EA-L2, EA-L3
    Verdict: B contains 2(Γ − Ω)/ηₜ = μ(γ + t)(Γ − Ω), which grows or falls with t, yet (8) treats it as one number
        and (11) inserts the step of the last t. With the largest B of the run the induction goes through. With the
        B of the first step it fails when Γ > Ω, and with the B of the last step, the one that gives the printed
        (11), when Γ < Ω: v then shrinks from step to step while the distances do not. Γ < Ω is the ordinary case of
        a finite run with proportional weights (EA-T1b). For Γ >= Ω the printed use is right.""",
    says=_induced(B_most),
    world=_RECURSION,
    readings={
        "B at the first step": but(_induced(B_first), world=replace(_RECURSION, switches=(_AT_MOST,))),
        "B at the step of the bound": but(_induced(B_last), world=replace(_RECURSION, switches=(_AT_LEAST,))),
    },
    mutants={
        "γΔ₀ dropped from v": le(after, 4 * B_most / mu**2 / (gamma + T)),
        "4B/μ² dropped from v": le(after, gamma * delta0 / (gamma + T)),
        "half of 4B/μ²": _induced(B_most / 2),
    },
)

_ANY_K = (0.0, 1.0, 5.0)


def _any_run(gamma: Any, drawn: tuple[float, ...] = _ANY_K) -> World:
    words = "γ = L/μ" if gamma == "L/μ" else "γ of A.9"
    return runs(words, gamma=gamma, drawn=drawn, most=(100, 30, 60), usual=(2, 2, 4))


_BOTH = World(NOTATION, (*_any_run("L/μ").cases, *_any_run("A.9").cases))
_BAR = noise + 8 * (E - 1) * G2 + 6 * L * Omega
_A9_B = _BAR + 2 / eta * (Gamma - Omega)

D6 = stated(
    r"""EA-D6 (definition; Theorem 1 (Sec. 3.2), again in A.9 and Theorem 2): The constant B̄
    Print: \bar B=\max_t\Big(\sum_i(\rho_i^{t+1})^2\sigma_i^2\Big)+8(E-1)G^2+6L\Omega
    Plainly: B̄ is defined and not negative on every run, and is the B of the proof without its last term.
    Assumes: second moments of the stochastic gradients finite at the points visited, G² their largest | Ω over the
        steps done, in expectation; weights on the simplex
    Reading: not negative | On runs with either γ, everyone present or K drawn. | part: not negative
    Reading: the two prints agree | A.9's B minus (2/ηₜ)(Γ − Ω) is the theorem's B̄. | part: the two prints agree
    Mutant: A.9's B in its place | for one client Γ = 0 < Ω, and 2Ω/ηₜ = μ(γ + t)Ω is more than 6LΩ
    Mutant: E − 2 in place of E − 1 | one noiseless quadratic client with E = 1 has 6LΩ <= 3G², less than 8G²
    Mutant: 3LΩ in place of 6LΩ | A.9 prints 6LΩ
    Rests on: EA-A3, EA-A4, EA-D5
    Verdict: A sum of three terms that are not negative, the same in both places where it is printed. It is a number
        of one run, not of the problem: Ω is a minimum over the models visited and G² has to be taken there too,
        because strongly convex clients have no bounded gradients on the whole space. The B of the proof, with
        (2/ηₜ)(Γ − Ω) added, may be negative (EA-E10).""",
    says=le(0, _BAR),
    world=_BOTH,
    readings={"the two prints agree": identity(_A9_B - 2 / eta * (Gamma - Omega), _BAR)},
    mutants={
        "A.9's B in its place": but(le(0, _A9_B), world=_any_run("A.9", ())),
        "E − 2 in place of E − 1": but(le(0, _BAR - 8 * G2), world=_any_run("A.9")),
        "3LΩ in place of 6LΩ": identity(_A9_B - 2 / eta * (Gamma - Omega), _BAR - 3 * L * Omega),
    },
)

CLAIMS: tuple[Claim, ...] = (S5, D6)
