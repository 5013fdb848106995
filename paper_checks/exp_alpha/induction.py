"""A.9, (8): the induction, from Δₜ <= v/(γ + t) to the next step, and which step's B it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.drawing import drawn, positive, ranging
from paper_checks.exp_alpha.notation import NOTATION, Coordinates, Plain, Seen
from validation import Case, Choice, Instance, Integer, LogScale, Signed, Switch, eq, identity, largest, le, lt
from validation.world import (
    Domain,
    Parameter,
    VectorInequality,
    World,
    at,
    mutant,
    nowhere,
    numbers,
    reading,
    square,
    step,
    vectors,
)

__all__ = ["CLAIMS"]

kappa, t, eta, gamma, beta, mu, Delta, v, tau, B = NOTATION.symbols("kappa t eta gamma beta mu Delta v tau B")
delta0, B_bar, difference, surplus, length = NOTATION.symbols("delta0 B_bar difference surplus length")
portion, T, after, B_first, B_last, B_most = NOTATION.symbols("portion T after B_first B_last B_most")
root = vectors("root")

_LINE1 = (1 - beta / tau * mu) * Delta + beta**2 / tau**2 * B
_LINE2 = (1 - beta / tau * mu) * v / tau + beta**2 / tau**2 * B
_REGROUPED = (tau - 1 - beta * mu + 1) / tau**2 * v + beta**2 / tau**2 * B
_LINE3 = (tau - 1) / tau**2 * v + (beta**2 / tau**2 * B - (beta * mu - 1) / tau**2 * v)

# The same letters by what is drawn: β = (1 + surplus)/μ, γ from η₁ = β/(γ + 1) = length/L; B and v of step t.
_DEFINED = {beta: (1 + surplus) / mu, gamma: beta * kappa * mu / length - 1, tau: gamma + t}
_DEFINED |= {B: B_bar + 2 * tau / beta * difference, v: largest(beta**2 * B / surplus, gamma * delta0)}
_DEFINED |= {Delta: portion * v / tau}
_NEXT_B = B + 2 / beta * difference
_NEXT_V = largest(beta**2 * _NEXT_B / surplus, gamma * delta0)


def _constants(first: float, defined: Mapping[Any, Any] = _DEFINED) -> World:
    """One step of the induction: β > 1/μ, η₁ up to `first`/L, any B̄, Γ − Ω, Δ₀, t, and Δₜ up to v/(γ + t)."""
    return numbers(
        NOTATION,
        f"β > 1/μ, η₁ <= {first:g}/L, any B̄, Γ − Ω, Δ₀, t",
        LogScale("mu", 1e-2, 1e2, at=(1.0,)),
        LogScale("kappa", 1.0, 1e4, at=(1.0, 10.0)),
        LogScale("surplus", 1e-4, 1e2, at=(1.0,)),
        LogScale("length", 1e-4, first, at=(first,)),
        Integer("t", 0, 10_000, at=(1,)),
        LogScale("B_bar", 1e-3, 1e3, at=(1.0,)),
        Signed("difference", 1e-5, 1e3),
        LogScale("delta0", 1e-6, 1e3, at=(1e-6, 1.0)),
        Choice("portion", (0.0, 0.5, 1.0)),
        where=(lt(0, mu), le(1, kappa), lt(0, surplus), lt(0, gamma), lt(0, delta0), lt(0, B_bar)),
    ).defining(defined)


_STEP = _constants(0.25)

E8A = step(
    "EA-E8a",
    "A.9, (8), first line",
    "The step size put into the recursion",
    printed=r"""(1-\eta_t\mu)\Delta_t+\eta_t^2B=\Big(1-\frac\beta{t+\gamma}\mu\Big)\Delta_t+\frac{\beta^2}{(t+
        \gamma)^2}B""",
    plainly="The recursion with ηₜ = β/(t + γ).",
    assumes=["ηₜ = β/(t + γ)", "τ stands for t + γ"],
    says=eq(((1 - eta * mu) * Delta + eta**2 * B).subs(eta, beta / tau), _LINE1),
    readings=[reading("as printed", "B of either sign.")],
    mutants=[
        mutant(
            "β in place of β²",
            eq(((1 - eta * mu) * Delta + eta**2 * B).subs(eta, beta / tau), _LINE1.subs(B, B / beta)),
            "η² = β²/(t + γ)²",
        )
    ],
    rests_on=["EA-E7"],
    verdict="A substitution, and exact.",
)

E8B = step(
    "EA-E8b",
    "A.9, (8), second line",
    "The induction hypothesis put in",
    printed=r"""\Big(1-\frac{\beta\mu}{t+\gamma}\Big)\Delta_t+\frac{\beta^2B}{(t+\gamma)^2}\le\Big(1-
        \frac{\beta\mu}{t+\gamma}\Big)\frac v{\gamma+t}+\frac{\beta^2B}{(t+\gamma)^2}=\frac{t+\gamma-1-\beta\mu+1}{(t+
        \gamma)^2}v+\frac{\beta^2B}{(t+\gamma)^2}""",
    plainly="Δₜ is replaced by its bound v/(γ + t), and the factor of v is regrouped.",
    assumes=["Δₜ <= v/(γ + t)", "β > 1/μ, η₁ = β/(γ + 1) <= 1/(4L), as A.9 asks", "τ stands for t + γ"],
    says=le(_LINE1, _LINE2),
    world=_STEP,
    readings=[
        reading("the inequality", "The factor 1 − βμ/(t + γ) must not be negative.", part="the inequality"),
        reading(
            "the regrouping", "For every value of the symbols.", identity(_LINE2, _REGROUPED), part="the regrouping"
        ),
    ],
    mutants=[
        mutant(
            "γ = L/μ, as in Theorem 1",
            None,
            "for L < βμ² the factor 1 − βμ/(t + γ) is negative at t = 0, and Δ₀ may be below v/γ",
            world=_constants(0.25, {**_DEFINED, gamma: kappa}),
        ),
        mutant("η₁ up to 4/L", None, "for L = μ the factor 1 − βμ/γ is then negative", world=_constants(4.0)),
        mutant("+ 1 forgotten", identity(_LINE2, _REGROUPED - v / tau**2), "the sides differ by v/(t + γ)²"),
    ],
    tight="Δₜ = v/(γ + t)",
    rests_on=["EA-E8a", "EA-S1"],
    verdict="""The replacement needs 1 − βμ/(t + γ) >= 0. What A.9 asks of the steps, η₁ <= 1/(4L), gives γ >= 4βL − 1,
        so the factor is positive. With the theorem's γ = L/μ it is negative at t = 0 for L < 2μ, and the line would
        be false there. The regrouping is exact.""",
)

E8C = step(
    "EA-E8c",
    "A.9, (8), third line",
    "The bracket that is not positive",
    printed=r"""\frac{t+\gamma-1-\beta\mu+1}{(t+\gamma)^2}v+\frac{\beta^2B}{(t+\gamma)^2}=\frac{t+\gamma-1}{(t+
        \gamma)^2}v+\Big[\frac{\beta^2B}{(t+\gamma)^2}-\frac{\beta\mu-1}{(t+\gamma)^2}v\Big],\quad[\cdot]\le0""",
    plainly="The right side is split so that the rest is not positive by the definition of v.",
    assumes=[
        "v = max{β²B/(βμ − 1), γΔ₀}",
        "βμ > 1; B one number in v and in the line, of either sign",
        "where a single letter τ is shown, it is t + γ",
    ],
    says=identity(_REGROUPED, _LINE3),
    world=_STEP,
    readings=[
        reading("the split", "For every value of the symbols.", part="the split"),
        reading(
            "the sign of the bracket",
            "For B of either sign.",
            le(beta**2 * B / tau**2, surplus * v / tau**2),
            part="the sign of the bracket",
        ),
    ],
    mutants=[
        mutant("βμ in place of βμ − 1", identity(_REGROUPED, _LINE3 - v / tau**2), "the sides differ by v/(t + γ)²"),
        mutant(
            "v of one step, B of the next",
            le(beta**2 * _NEXT_B / tau**2, surplus * v / tau**2),
            "B contains 2(Γ − Ω)/ηₜ, which grows with t where Γ > Ω",
        ),
    ],
    tight="v = β²B/(βμ − 1)",
    rests_on=["EA-E8b", "EA-S1"],
    verdict="""Exact algebra, and the bracket is (β²B − (βμ − 1)v)/(t + γ)² <= 0 because v is at least β²B/(βμ − 1);
        also for negative B. At β = 1/μ, which the text admits, v is undefined (EA-S1). B is taken here as one number;
        what its dependence on t does is told at EA-E8d and EA-S5.""",
)

_AT_LEAST = Switch("Γ >= Ω", "Γ − Ω is not negative", lambda x: {**x, "difference": np.abs(x["difference"])})
_STEPS_E8 = Domain((Parameter("tau"),))


def _factor(more: int) -> VectorInequality:
    return VectorInequality((tau - 1) / tau**2 * square(root), square(root) / (tau + more), _STEPS_E8)


E8D = step(
    "EA-E8d",
    "A.9, (8), last line",
    "The induction closed",
    printed=r"""\frac{t+\gamma-1}{(t+\gamma)^2}v\le\frac v{t+\gamma+1},\qquad\Delta_0\le\frac v\gamma,\qquad\Delta_t
        \le\frac v{\gamma+t}\Rightarrow\Delta_{t+1}\le\frac v{\gamma+t+1}""",
    plainly="The factor is at most 1/(t + γ + 1), the base case holds, and so does Δₜ <= v/(γ + t) for all t.",
    assumes=[
        "v = max{β²B/(βμ − 1), γΔ₀}, β > 1/μ, η₁ <= 1/(4L)",
        "B = B̄ + (2/ηₜ)(Γ − Ω), Γ − Ω of either sign",
        "v >= 0 is written as a squared length in the first reading; τ stands for t + γ",
    ],
    says=_factor(1),
    world=_STEP,
    open={"B": nowhere("B contains ηₜ and carries no index: one number for the run, or each step's own")},
    readings=[
        reading("the factor", "(τ − 1)(τ + 1) <= τ², for every τ > 0.", part="the factor"),
        reading("the base case", "Δ₀ <= v/γ by the second entry of v.", le(delta0, v / gamma), part="the base"),
        reading(
            "one step, one B",
            "One step, B and v one number each.",
            le(_LINE1, v / (tau + 1)),
            part="the step",
            options={"B": "one number"},
        ),
        reading(
            "carried on, v of each step",
            """B and v belong to their step, since B contains 1/ηₜ: what step t gives, v/(γ + t + 1), has to serve as
                hypothesis of step t + 1, with its v: v/(t + γ + 1) against the same with the v of step t + 1. Δₜ does
                not enter.""",
            le(v / (tau + 1), _NEXT_V / (tau + 1)),
            world=replace(_STEP, switches=(_AT_LEAST,)),
            part="the step",
            options={"B": "of its step"},
        ),
    ],
    mutants=[
        mutant("t + γ + 2 in place of t + γ + 1", _factor(2), "(τ − 1)(τ + 2) = τ² + τ − 2 > τ² for τ > 2"),
        mutant(
            "base case from β²B/(βμ − 1) alone",
            le(delta0, beta**2 * B / surplus / gamma),
            "for B near 0 or negative it is below γΔ₀",
        ),
    ],
    tight="τ → ∞ for the factor; Δ₀ = v/γ for the base",
    rests_on=["EA-E8c", "EA-S5"],
    verdict="""The factor and the base case are right for every t and γ, and with one number B the induction closes. But
        B, as A.9 prints it, contains 2(Γ − Ω)/ηₜ = (2/β)(γ + t)(Γ − Ω), and v with it. Where Γ < Ω, the ordinary case
        of a finite run with proportional weights, v falls from step to step, so that what one step proves is not the
        hypothesis of the next; where Γ >= Ω it grows and the induction goes on. The paper does not say which step's B
        is meant; with the largest of the run all is well (EA-S5).""",
)


def recursion(x: Instance, *, T: int) -> Seen:
    """Δₜ₊₁ = (1 − ηₜμ)Δₜ + ηₜ²Bₜ, the equality of (7), with Bₜ = B̄ + (2/ηₜ)(Γ − Ω)."""
    value = least = x["delta0"]
    parts = []
    for t in range(T + 1):
        step = 2 / (x["mu"] * (x["gamma"] + t))
        parts.append(x["B_bar"] + 2 / step * x["difference"])
        if t < T:
            value = (1 - step * x["mu"]) * value + step**2 * parts[-1]
            least = np.minimum(least, value)
    found = {"after": value, "B_first": parts[0], "B_last": parts[-1], "B_most": np.max(parts, axis=0)}
    found |= {"mu": x["mu"], "gamma": x["gamma"], "T": np.full(len(value), float(T)), "delta0": x["delta0"]}
    return {**found, "admissible": least >= 0}


def recursion_exact(x: Seen, *, T: int) -> Plain:
    """Delta_(t+1) = (1 - eta_t mu) Delta_t + eta_t^2 B_t with B_t = B_bar + (2/eta_t)(Gamma - Omega)."""
    values, parts = [x["delta0"]], []
    for t in range(T + 1):
        eta = 2 / (x["mu"] * (x["gamma"] + t))
        parts.append(x["B_bar"] + 2 * x["difference"] / eta)
        values.append(values[t] - eta * x["mu"] * values[t] + eta * eta * parts[t])
    met = {"gamma >= 7, as max(8 L/mu, E) - 1 is": x["gamma"] >= 7}
    met |= {"mu, B_bar > 0": x["mu"] > 0 and x["B_bar"] > 0, "every Delta_t >= 0": min(values[: T + 1]) >= 0}
    found = {"after": values[T], "B_first": parts[0], "B_last": parts[T], "B_most": max(parts)}
    return met, {**found, "mu": x["mu"], "gamma": x["gamma"], "T": Fraction(T), "delta0": x["delta0"]}


def _at(T: int) -> Case:
    of: Coordinates = (positive("mu"), LogScale("gamma", 7.0, 1e4, at=(7.0, 100.0)), positive("B_bar", decades=3))
    of += (Signed("difference", 1e-5, 1e3), LogScale("delta0", 1e-6, 1e3, at=(1e-6, 1.0)))
    return drawn(f"{T} steps", of, recursion, recursion_exact, cost=max(1.0, T / 30), T=T)


_RECURSION = ranging("the recursion", _at, T=(1, 1000, 10), ladder="T")
_AT_MOST = Switch("Γ <= Ω", "Γ − Ω is not positive", lambda x: {**x, "difference": -np.abs(x["difference"])})


def _induced(constant: Any) -> Any:
    return le(after, largest(4 * constant / mu**2, gamma * delta0) / (gamma + T))


S5 = step(
    "EA-S5",
    "A.9, (7)–(11)",
    "B as a constant of the induction",
    printed=r"""B=\max_t\sum_i(\rho_i^{t+1})^2\sigma_i^2+8(E-1)G^2+6L\Omega+\frac2{\eta_t}(\Gamma-\Omega):
        \quad\Delta_{t+1}\le(1-\eta_t\mu)\Delta_t+\eta_t^2B\ \Rightarrow\ \Delta_t\le\frac v{\gamma+t},\ v=
        \max\Big\{\frac{4B}{\mu^2},\gamma\Delta_0\Big\}""",
    plainly="One number B carries the recursion (7) through the induction (8) to the bound (11).",
    assumes=[
        "ηₜ = 2/(μ(γ + t)), γ >= 7",
        "B̄ > 0, Γ − Ω of either sign",
        "the recursion (7) with equality, all Δₜ >= 0",
    ],
    says=_induced(B_most),
    world=_RECURSION,
    open={"step_of_B": nowhere("B contains ηₜ and carries no index")},
    readings=[
        reading(
            "B at the first step",
            "The constant taken where the induction starts.",
            _induced(B_first),
            world=replace(_RECURSION, switches=(_AT_MOST,)),
            options={"step_of_B": "the first"},
        ),
        reading(
            "B at the step of the bound",
            "As (11) inserts it: ηₜ at t = T.",
            _induced(B_last),
            world=replace(_RECURSION, switches=(_AT_LEAST,)),
            options={"step_of_B": "the bound's own"},
        ),
        reading("the largest B of the run", "A constant that serves every step.", options={"step_of_B": "the largest"}),
    ],
    mutants=[
        mutant(
            "γΔ₀ dropped from v",
            le(after, 4 * B_most / mu**2 / (gamma + T)),
            "for B̄ and Γ − Ω near 0 the initial distance is left, and a step keeps part of it",
            at(mu=1, gamma=10, B_bar=1, difference=0, delta0=1),
        ),
        mutant(
            "4B/μ² dropped from v",
            le(after, gamma * delta0 / (gamma + T)),
            "from Δ₀ near 0 the noise alone makes Δ₁ positive",
            at(mu=1, gamma=7, B_bar=1, difference=0, delta0="1/2"),
        ),
        mutant(
            "half of 4B/μ²",
            _induced(B_most / 2),
            "for Γ = Ω and T large Δ_T(γ + T) tends to 4B̄/μ²",
            at(mu=1, gamma=8, B_bar=10, difference=0, delta0=1),
        ),
    ],
    tight="the largest B with Γ = Ω, as T grows",
    rests_on=["EA-L1", "EA-L2", "EA-L3"],
    verdict="""B contains 2(Γ − Ω)/ηₜ = μ(γ + t)(Γ − Ω), which grows or falls with t, yet (8) treats it as one number
        and (11) inserts the step of the last t. With the largest B of the run the induction goes through. With the B of
        the first step it fails when Γ > Ω, and with the B of the last step, the one that gives the printed (11), when Γ
        < Ω: v then shrinks from step to step while the distances do not. Γ < Ω is the ordinary case of a finite run
        with proportional weights (EA-T1b). For Γ >= Ω the printed use is right.""",
)

CLAIMS = (E8A, E8B, E8C, E8D, S5)
