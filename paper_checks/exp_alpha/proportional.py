"""EA-T1b, EA-A13: proportional weights, and whether Ω then equals Γ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.runs import line_space, on_the_line
from paper_checks.exp_alpha.theorem1 import vanishing
from theory.worlds.line_run import line_run, line_run_exact
from validation import Claim, Instance, Signed, Switch
from validation.statement.says import le
from validation.world.stated import but, stated
from validation.world.world import World, case

__all__ = ["CLAIMS", "over_the_optimum"]

L, E, T, noise, G2, Omega, Gamma, first = NOTATION.symbols("L E T noise G2 Omega Gamma first")
best_value, together, each = NOTATION.symbols("best_value together each")


def shrinking_again(L: Any, mu: Any, gamma: Any, T: Any, E: Any, noise: Any, G2: Any, Gamma: Any, first: Any) -> Any:
    """What F(W̄ᵗ) − F* falls below, over 0 <= t < T, once more."""
    sums = noise + 6 * L * Gamma + 8 * G2 * (E - 1) ** 2
    return L * (4 * sums + mu**2 * gamma * first) / (2 * mu**2 * (gamma + T - 1))


def over_the_optimum(x: Instance, **chosen: Any) -> Mapping[str, Any]:
    """A run, and F(W*) as half the mean squared distance of the minimisers from their weighted mean."""
    weight, m = x["share"] * x["curvature"], x["optimum"]
    squares, mean = (weight * m**2).sum(axis=1), (weight * m).sum(axis=1)
    value = 0.5 * (squares - mean**2 / weight.sum(axis=1))
    found = line_run(x, **chosen)
    sizes = {**found["sizes"], "best_value": (x["curvature"] * m**2).max(axis=1)}
    return {**found, "best_value": value, "sizes": sizes}


def over_the_optimum_exact(x: Mapping[str, Any], **chosen: Any) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """A run, and F(W*) = sum_i rho_i F_i(W*), all F_i* = 0."""
    met, found = line_run_exact(x, **chosen)
    h, m, p = x["curvature"], x["optimum"], x["share"]
    clients = range(len(p))
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    return met, {**found, "best_value": sum(p[i] * h[i] * (best - m[i]) ** 2 for i in clients) / 2}


_RUNS = World(NOTATION, on_the_line(rows=None))
_STARTS_THERE = Switch(
    "one optimum for all, where the run starts, no noise",
    "the run starts at W* and stays",
    lambda x: {
        **x,
        "optimum": np.broadcast_to(x["start"][:, None], x["optimum"].shape),
        "noisy": np.zeros_like(x["noisy"]),
    },
)
_FINITE = replace(_RUNS, switches=(_STARTS_THERE,))
_VALUED = on_the_line(rows=None, observe=over_the_optimum, plain=over_the_optimum_exact, uses=(line_run_exact,))
_NEVER_MORE = le(Omega - Gamma, 0)


def _below(b: Any, start: Any = first) -> Any:
    return le(Omega - Gamma, vanishing(b, start).subs(T, T - 1))


_B = noise + 8 * (E - 1) ** 2 * G2 + 6 * L * Gamma
_FALLS = replace(_below(_B), again=shrinking_again)

T1B = stated(
    r"""EA-T1b (remark; Sec. 3.2, A.13): Proportional weights have Ω = Γ
    Print: \rho_i^t=\rho_i
        =\tfrac{|\Xi_i|}{\sum_j|\Xi_j|}\ \Rightarrow\ \Omega=\Gamma=\sum_i\rho_i(F_i(\mathbf W^*)
        -F_i(\mathbf W_i^*))
    Plainly: With proportional weights Ω equals Γ, and the non-vanishing error of Theorem 1 is zero.
    Assumes: A1–A4, the step sizes of A.9 | proportional weights at every t | Ω and Γ of Theorem 1
    Open (twice) range_of_t: Theorem 1 defines Ω with «∀t ≥ 0»; A.13 prints min_t with no range, and for a run that
        ends at T (as in EA-E10)
    Reading: the minimum over the run, 0 <= t < T | Ω − Γ of a finite run, exactly; never negative, since W*
        minimises F. | option range_of_t = the steps of the run
    Reading: the infimum over all t >= 0 | Ω − Γ over t < T lies below a bound that vanishes as T grows, so that the
        infimum is Γ. | option range_of_t = all t >= 0
    Mutant: initial distance dropped | one client, no noise, away from its optimum: the left side is positive and G²
        alone, E = 1, is not counted
    Mutant: noise and drift dropped | from W* with noise the gap is positive after a step, and from W* the right
        side is 0
    Tight: the finite gap is zero only for runs that visit W*
    Verdict: Σρᵢ(Fᵢ(W̄ᵗ) − Fᵢ*) = F(W̄ᵗ) − F(W*) + Γ, so Ω − Γ is the smallest optimality gap met so far. It is
        positive for every finite run that does not hit W*, and Theorem 1's error term is then negative rather than
        zero. Over all t >= 0, which the theorem also prints, and with the minimum read as an infimum, it is zero:
        the gap falls below the rate of FedAvg with proportional weights on everything that was tried.""",
    says=_NEVER_MORE,
    world=_FINITE,
    readings={"the infimum over all t >= 0": but(_FALLS, world=_RUNS)},
    mutants={
        "initial distance dropped": but(_below(_B, 0), world=_RUNS),
        "noise and drift dropped": but(_below(0), world=_RUNS),
    },
)


def one_point(x: Instance) -> Mapping[str, Any]:
    """Σρᵢ Fᵢ(w) less ΣρᵢFᵢ* (`together`), and Σρᵢ(Fᵢ(w) − Fᵢ*) (`each`), at the start."""
    at = 0.5 * x["curvature"] * (x["start"][:, None] - x["optimum"]) ** 2 + x["floor"]
    both = (x["share"] * at).sum(axis=1) - (x["share"] * x["floor"]).sum(axis=1)
    sizes = dict.fromkeys(("together", "each"), np.abs(at).max(axis=1))
    return {"together": both, "each": (x["share"] * (at - x["floor"])).sum(axis=1), "sizes": sizes}


def one_point_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum rho_i F_i(w) less sum rho_i F_i* (together), and sum rho_i (F_i(w) - F_i*) (each), at the start."""
    p, floor = x["share"], x["floor"]
    at = [h * (x["start"] - m) ** 2 / 2 + f for h, m, f in zip(x["curvature"], x["optimum"], floor, strict=True)]
    both = sum(a * b for a, b in zip(p, at, strict=True)) - sum(a * b for a, b in zip(p, floor, strict=True))
    apart = sum(a * (b - f) for a, b, f in zip(p, at, floor, strict=True))
    return {"shares on the simplex": sum(p) == 1}, {"together": both, "each": apart}


_POINTS = World(
    NOTATION,
    tuple(
        case(f"{n} clients with floors", line_space(n, Signed("floor", 1e-3, 1e2, (n,))), one_point, one_point_exact)
        for n in (1, 2, 3)
    ),
)

A13 = stated(
    r"""EA-A13 (step; A.13): The chain of equalities for Ω and Γ
    Print: \Omega=\min_t\sum_i\rho_i(F_i(\bar{\mathbf W}^t)-F_i^*)
        =\min_t\Big[\sum_i\rho_iF_i(\bar{\mathbf W}^t)\Big]-\sum_i\rho_iF_i^*
        =\sum_i\rho_iF_i(\mathbf W^*)-\sum_i\rho_iF_i^*,\quad\Gamma=\max_t\sum_i\rho_i(F_i(\mathbf W^*)-F_i^*)
        =\sum_i\rho_iF_i(\mathbf W^*)-\sum_i\rho_iF_i^*
    Plainly: With proportional weights both Ω and Γ equal the value of F at its optimum over the weighted local
        optima.
    Assumes: A1–A4, the step sizes of A.9 | proportional weights at every t
    Open (twice) range_of_t: Theorem 1 defines Ω with «∀t ≥ 0»; A.13 (as A.9 and Lemma 1) prints min_t and max_t
        with no range, for a run that ends at T
    Reading: first sign of Ω | The constant Σρᵢ Fᵢ* taken out of the sum. | part: first sign of Ω
    Reading: second sign of Ω, t < T | The minimum over a finite run reaches F(W*). | part: second sign of Ω |
        option range_of_t = the steps of the run
    Reading: second sign of Ω, all t >= 0 | The infimum: the gap lies below a bound that vanishes. | part: second
        sign of Ω | option range_of_t = all t >= 0 | because: min read as an infimum
    Reading: sign of Γ | The maximum over t of what does not depend on t. | part: sign of Γ
    Mutant: initial distance dropped | one client, no noise, away from its optimum: the left side is positive and G²
        alone, E = 1, is not counted
    Mutant: noise and drift dropped | from W* with noise the gap is positive after a step, and from W* the right
        side is 0
    Tight: the first sign and Γ's are identities
    Rests on: EA-T1b
    Repeats: EA-T1b
    Verdict: Three of the four signs are identities or limits. The second sign of Ω puts min_t F(W̄ᵗ) equal to
        F(W*): exact only for a run that visits W*, false for any other finite run, and true as an infimum over all
        t >= 0 because the steps of A.9 let FedAvg with proportional weights converge.""",
    says=_NEVER_MORE,
    world=_FINITE,
    readings={
        "first sign of Ω": but(le((together - each) ** 2, 0), world=_POINTS),
        "second sign of Ω, all t >= 0": but(_FALLS, world=_RUNS),
        "sign of Γ": but(le((Gamma - best_value) ** 2, 0), world=World(NOTATION, _VALUED[:7])),
    },
    mutants={
        "initial distance dropped": but(_below(_B, 0), world=_RUNS),
        "noise and drift dropped": but(_below(0), world=_RUNS),
    },
)

CLAIMS: tuple[Claim, ...] = (T1B, A13)
