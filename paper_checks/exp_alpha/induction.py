"""EA-E8a–E8d: the induction (8) from the recursion to Δₜ <= v/(γ + t), line by line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sympy import Max

from paper_checks.exp_alpha.notation import NOTATION
from validation import Choice, Claim, Integer, LogScale, Signed, Switch
from validation.statement.domain import Domain, Parameter
from validation.statement.gram import VectorInequality
from validation.statement.says import eq, identity, le, lt
from validation.statement.vectors import square, vectors
from validation.world.stated import but, stated
from validation.world.world import World, numbers

__all__ = ["CLAIMS"]

beta, mu, eta, Delta, v, tau, B = NOTATION.symbols("beta mu eta Delta v tau B")
kappa, t, gamma, delta0, B_bar, difference = NOTATION.symbols("kappa t gamma delta0 B_bar difference")
surplus, length, portion = NOTATION.symbols("surplus length portion")
_LINE1 = (1 - beta / tau * mu) * Delta + beta**2 / tau**2 * B
_LINE2 = (1 - beta / tau * mu) * v / tau + beta**2 / tau**2 * B
_REGROUPED = (tau - 1 - beta * mu + 1) / tau**2 * v + beta**2 / tau**2 * B
_LINE3 = (tau - 1) / tau**2 * v + (beta**2 / tau**2 * B - (beta * mu - 1) / tau**2 * v)

# The same letters by what is drawn: β = (1 + surplus)/μ, γ from η₁ = β/(γ + 1) = length/L; B and v of step t.
_DEFINED = {
    beta: (1 + surplus) / mu,
    gamma: beta * kappa * mu / length - 1,
    tau: gamma + t,
    B: B_bar + 2 * tau / beta * difference,
    v: Max(beta**2 * B / surplus, gamma * delta0),
    Delta: portion * v / tau,
}
_NEXT_B = B + 2 / beta * difference
_NEXT_V = Max(beta**2 * _NEXT_B / surplus, gamma * delta0)


def _constants(first: float) -> World:
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
    ).defining(_DEFINED)


_STEP = _constants(0.25)

E8A = stated(
    r"""EA-E8a (step; A.9, (8), first line): The step size put into the recursion
    Print: (1-\eta_t\mu)\Delta_t+\eta_t^2B=\Big(1-\frac\beta{t+\gamma}\mu\Big)\Delta_t+\frac{\beta^2}{(t+\gamma)^2}B
    Plainly: The recursion with ηₜ = β/(t + γ).
    Assumes: ηₜ = β/(t + γ) | τ stands for t + γ
    Reading: as printed | B of either sign.
    Mutant: β in place of β² | η² = β²/(t + γ)²
    Rests on: EA-E7, EA-D8
    Verdict: A substitution, and exact.""",
    says=eq(((1 - eta * mu) * Delta + eta**2 * B).subs(eta, beta / tau), _LINE1),
    mutants={
        "β in place of β²": eq(((1 - eta * mu) * Delta + eta**2 * B).subs(eta, beta / tau), _LINE1.subs(B, B / beta))
    },
)

_THEOREM = numbers(
    NOTATION,
    "γ = L/μ, β = 2/μ",
    LogScale("kappa", 1.0, 1e4, at=(1.0, 2.0)),
    Integer("t", 0, 100, at=(1,)),
    LogScale("v", 1e-2, 1e2, at=(1.0,)),
    Choice("portion", (0.0, 0.5, 1.0)),
    where=(le(1, kappa), le(0, t), lt(0, v)),
)
_THEIRS = (1 - 2 / (kappa + t)) / (kappa + t) * v  # (1 − βμ/(t + γ))·v/(γ + t) with the steps of Theorem 1

E8B = stated(
    r"""EA-E8b (step; A.9, (8), second line): The induction hypothesis put in
    Print: \Big(1-\frac{\beta\mu}{t+\gamma}\Big)\Delta_t+\frac{\beta^2B}{(t+\gamma)^2}
        \le\Big(1-\frac{\beta\mu}{t+\gamma}\Big)\frac v{\gamma+t}+\frac{\beta^2B}{(t+\gamma)^2}
        =\frac{t+\gamma-1-\beta\mu+1}{(t+\gamma)^2}v+\frac{\beta^2B}{(t+\gamma)^2}
    Plainly: Δₜ is replaced by its bound v/(γ + t), and the factor of v is regrouped.
    Assumes: Δₜ <= v/(γ + t) | β > 1/μ, η₁ = β/(γ + 1) <= 1/(4L), as A.9 asks | τ stands for t + γ
    Reading: the inequality | The factor 1 − βμ/(t + γ) must not be negative. | part: the inequality
    Reading: the regrouping | For every value of the symbols. | part: the regrouping
    Mutant: the steps of Theorem 1 | with γ = L/μ and L = μ the factor 1 − βμ/(t + γ) is −1 at t = 0
    Mutant: η₁ up to 4/L | for L = μ the factor 1 − βμ/γ is then negative
    Mutant: + 1 forgotten | the sides differ by v/(t + γ)²
    Tight: Δₜ = v/(γ + t)
    Rests on: EA-E8a, EA-S1
    Verdict: The replacement needs 1 − βμ/(t + γ) >= 0. What A.9 asks of the steps, η₁ <= 1/(4L), gives γ >= 4βL −
        1, so the factor is at least 2/3. With the theorem's γ = L/μ it is negative at t = 0 for L < 2μ, and the
        line would be false there. The regrouping is exact.""",
    says=le(_LINE1, _LINE2),
    world=_STEP,
    readings={"the regrouping": identity(_LINE2, _REGROUPED)},
    mutants={
        "the steps of Theorem 1": but(le(portion * _THEIRS, _THEIRS), world=_THEOREM),
        "η₁ up to 4/L": _constants(4.0),
        "+ 1 forgotten": identity(_LINE2, _REGROUPED - v / tau**2),
    },
)

E8C = stated(
    r"""EA-E8c (step; A.9, (8), third line): The bracket that is not positive
    Print: \frac{t+\gamma-1-\beta\mu+1}{(t+\gamma)^2}v+\frac{\beta^2B}{(t+\gamma)^2}
        =\frac{t+\gamma-1}{(t+\gamma)^2}v+\Big[\frac{\beta^2B}{(t+\gamma)^2}-\frac{\beta\mu-1}{(t+\gamma)^2}v\Big],
        \quad[\cdot]\le0
    Plainly: The right side is split so that the rest is not positive by the definition of v.
    Assumes: v = max{β²B/(βμ − 1), γΔ₀} | βμ > 1; B the same number in v and in the line, of either sign | τ stands
        for t + γ
    Reading: the split | For every value of the symbols. | part: the split
    Reading: the sign of the bracket | For B of either sign. | part: the sign of the bracket
    Mutant: βμ in place of βμ − 1 | the sides differ by v/(t + γ)²
    Mutant: v of one step, B of the next | B contains 2(Γ − Ω)/ηₜ, which grows with t where Γ > Ω
    Tight: v = β²B/(βμ − 1)
    Rests on: EA-E8b, EA-S1
    Verdict: Exact algebra, and the bracket is (β²B − (βμ − 1)v)/(t + γ)² <= 0 because v is at least β²B/(βμ − 1);
        also for negative B. At β = 1/μ, which the text admits, v is undefined (EA-S1). B is taken here as one
        number; what its dependence on t does is told at EA-E8d and EA-S5.""",
    says=identity(_REGROUPED, _LINE3),
    world=_STEP,
    readings={"the sign of the bracket": le(beta**2 * B / tau**2, surplus * v / tau**2)},
    mutants={
        "βμ in place of βμ − 1": identity(_REGROUPED, _LINE3 - v / tau**2),
        "v of one step, B of the next": le(beta**2 * _NEXT_B / tau**2, surplus * v / tau**2),
    },
)

root = vectors("root")
_AT_LEAST = Switch("Γ >= Ω", "Γ − Ω is not negative", lambda x: {**x, "difference": np.abs(x["difference"])})
_STEPS = Domain((Parameter("tau"),))


def _factor(more: int) -> VectorInequality:
    return VectorInequality((tau - 1) / tau**2 * square(root), square(root) / (tau + more), _STEPS)


E8D = stated(
    r"""EA-E8d (step; A.9, (8), last line): The induction closed
    Print: \frac{t+\gamma-1}{(t+\gamma)^2}v\le\frac v{t+\gamma+1},\qquad\Delta_0\le\frac v\gamma,\qquad\Delta_t
        \le\frac v{\gamma+t}\Rightarrow\Delta_{t+1}\le\frac v{\gamma+t+1}
    Plainly: The factor is at most 1/(t + γ + 1), the base case holds, and so does Δₜ <= v/(γ + t) for all t.
    Assumes: v = max{β²B/(βμ − 1), γΔ₀}, β > 1/μ, η₁ <= 1/(4L) | B = B̄ + (2/ηₜ)(Γ − Ω), Γ − Ω of either sign | v >=
        0 is written as a squared length in the first reading; τ stands for t + γ
    Open (nowhere) B: B contains ηₜ and carries no index: one number for the run, or each step's own
    Reading: the factor | (τ − 1)(τ + 1) <= τ², for every τ > 0. | part: the factor
    Reading: the base case | Δ₀ <= v/γ by the second entry of v. | part: the base
    Reading: one step, one B | One step of the induction, B and v one number each. | part: the step | option B = one
        number
    Reading: carried on, v of each step | B and v belong to their step, since B contains 1/ηₜ: what step t gives,
        v/(γ + t + 1), has to serve as the hypothesis of step t + 1, with that step's v. | part: the step | option B
        = of its step
    Mutant: t + γ + 2 in place of t + γ + 1 | (τ − 1)(τ + 2) = τ² + τ − 2 > τ² for τ > 2
    Mutant: base case from β²B/(βμ − 1) alone | for B near 0 or negative it is below γΔ₀
    Tight: τ → ∞ for the factor; Δ₀ = v/γ for the base
    Rests on: EA-E8c, EA-S5
    Verdict: The factor and the base case are right for every t and γ, and with one number B the induction closes.
        But B, as A.9 prints it, contains 2(Γ − Ω)/ηₜ = (2/β)(γ + t)(Γ − Ω), and v with it. Where Γ < Ω, the
        ordinary case of a finite run with proportional weights, v falls from step to step, so that what one step
        proves is not the hypothesis of the next; where Γ >= Ω it grows and the induction goes on. The paper does
        not say which step's B is meant; with the largest of the run all is well (EA-S5).""",
    says=_factor(1),
    world=_STEP,
    readings={
        "the base case": le(delta0, v / gamma),
        "one step, one B": le(_LINE1, v / (tau + 1)),
        "carried on, v of each step": but(le(v / tau, _NEXT_V / tau), world=replace(_STEP, switches=(_AT_LEAST,))),
    },
    mutants={
        "t + γ + 2 in place of t + γ + 1": _factor(2),
        "base case from β²B/(βμ − 1) alone": le(delta0, beta**2 * B / surplus / gamma),
    },
)

CLAIMS: tuple[Claim, ...] = (E8A, E8B, E8C, E8D)
