"""EA-T1b, EA-A13: proportional weights, and whether Ω then equals Γ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.missed import never_missed
from paper_checks.exp_alpha.proportional_runs import at_share, shared_scalar_exact
from paper_checks.exp_alpha.theorem1_cases import in_advance, scalar_exact
from validation import (
    Bound,
    Canary,
    Case,
    Claim,
    ExactCheck,
    Inequality,
    Instance,
    Kind,
    Reading,
    Signed,
    Switch,
    symbols,
)

__all__ = ["CLAIMS"]

L, mu, gamma, T, E, noise, G2, Gamma, delta0 = symbols("L mu gamma T E noise G2 Gamma delta0")


def shrinking_again(L: Any, mu: Any, gamma: Any, T: Any, E: Any, noise: Any, G2: Any, Gamma: Any, delta0: Any) -> Any:
    """What F(W̄ᵗ) − F* falls below, once more."""
    sums = noise + 6 * L * Gamma + 8 * G2 * (E - 1) ** 2
    return L * (4 * sums + mu**2 * gamma * delta0) / (2 * mu**2 * (gamma + T))


_DEGREES = {
    "L": (1, -2),
    "mu": (1, -2),
    "gamma": (0, 0),
    "T": (0, 0),
    "E": (0, 0),
    "noise": (2, -2),
    "G2": (2, -2),
    "Gamma": (1, 0),
    "delta0": (0, 2),
}
SHRINKING = Bound(
    L / (gamma + T) * (2 * (noise + 8 * (E - 1) ** 2 * G2 + 6 * L * Gamma) / mu**2 + gamma / 2 * delta0),
    again=shrinking_again,
    degrees=_DEGREES,
)


def _gap(found: Mapping[str, Any]) -> Any:
    return found["Omega"] - found["Gamma"]


def gap_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Omega - Gamma over 0 <= t < T with proportional weights; it is never negative, since W* minimises F."""
    hypotheses, found = shared_scalar_exact(x)
    last = found["T"] - 1  # the last t of the minimum
    return hypotheses, {**found, "lhs": found["Omega"] - found["Gamma"], "T": last, "nothing": Fraction(0)}


def sign_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The gap between the two sides of the first sign, squared: one start of a round, proportional weights."""
    clients = range(len(x["share"]))
    at = [x["curvature"][i] * (x["start"] - x["optimum"][i]) ** 2 / 2 + x["floor"][i] for i in clients]
    together = sum(x["share"][i] * at[i] for i in clients) - sum(x["share"][i] * x["floor"][i] for i in clients)
    each = sum(x["share"][i] * (at[i] - x["floor"][i]) for i in clients)
    return {"shares on the simplex": sum(x["share"]) == 1}, {"lhs": (together - each) ** 2, "nothing": Fraction(0)}


def _gap_case(case: Case) -> Case:
    run = at_share(case)

    def measure(x: Instance) -> Mapping[str, Any]:
        found = run.measure(x)
        zero = np.zeros_like(found["Omega"])
        return {**found, "lhs": _gap(found), "T": found["T"] - 1, "nothing": zero}

    exact = ExactCheck(gap_exact, (scalar_exact, shared_scalar_exact))
    return replace(run, measure=measure, exact=exact)


_LINES = tuple(c for c in in_advance(proof_gamma=True, all_time=False) if c.name.startswith("1-D"))
_GAPS = tuple(_gap_case(c) for c in _LINES)


def _first_sign(x: Instance) -> Mapping[str, Any]:
    at = 0.5 * x["curvature"] * (x["start"][:, None] - x["optimum"]) ** 2 + x["floor"]
    together = (x["share"] * at).sum(axis=1) - (x["share"] * x["floor"]).sum(axis=1)
    gap = together - (x["share"] * (at - x["floor"])).sum(axis=1)
    return {"lhs": gap**2, "nothing": np.zeros(len(gap)), "magnitude": (np.abs(at).max(axis=1)) ** 2}


def constant_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The gap between max_t of Gamma_t and its value at t = 0, proportional weights at every t."""
    hypotheses, found = shared_scalar_exact(x)
    h, m, p = x["curvature"], x["optimum"], x["share"]
    clients = range(len(p))
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    first = sum(p[i] * h[i] * (best - m[i]) ** 2 for i in clients) / 2
    return hypotheses, {"lhs": (found["Gamma"] - first) ** 2, "nothing": Fraction(0)}


def _constant_case(case: Case) -> Case:
    run = at_share(case)

    def measure(x: Instance) -> Mapping[str, Any]:
        found = run.measure(x)
        p, h, m = x["share"], x["curvature"], x["optimum"]
        # F(W*) as half the mean square distance of the minimisers from their weighted mean.
        weight = p * h
        total = weight.sum(axis=1)
        value = 0.5 * ((weight * m**2).sum(axis=1) - (weight * m).sum(axis=1) ** 2 / total)
        size = (h * m**2).max(axis=1) ** 2
        return {"lhs": (found["Gamma"] - value) ** 2, "nothing": np.zeros_like(value), "magnitude": size}

    exact = ExactCheck(constant_exact, (scalar_exact, shared_scalar_exact))
    return replace(run, measure=measure, exact=exact)


_FIRST = tuple(
    replace(
        c,
        name=f"{n} clients with floors",
        space=replace(c.space, coordinates=(*c.space.coordinates, Signed("floor", 1e-3, 1e2, (n,)))),
        measure=_first_sign,
        exact=ExactCheck(sign_exact),
        symmetries=(),
    )
    for n, c in ((1, _LINES[0]), (2, _LINES[1]), (3, _LINES[2]))
)
_CONSTANT = tuple(_constant_case(c) for c in _LINES[:7])

STARTS_THERE = Switch(
    "one optimum for all, where the run starts, no noise",
    "the run starts at W* and stays",
    lambda x: {
        **x,
        "optimum": np.broadcast_to(x["start"][:, None], x["optimum"].shape),
        "noisy": np.zeros_like(x["noisy"]),
    },
)
_FINITE = never_missed(_GAPS, (STARTS_THERE,), degrees=(1, 0))
_ENDLESS = Inequality(SHRINKING, _GAPS, degrees=(1, 0))


def _dropped(change: Callable[[Any], Any]) -> Inequality:
    return Inequality(Bound(change(SHRINKING.expression)), _GAPS)


_CANARIES = (
    Canary(
        "initial distance dropped",
        _dropped(lambda e: e.subs(delta0, 0)),
        "one client, no noise, away from its optimum: the left side is positive and G² alone, E = 1, is not counted",
    ),
    Canary(
        "noise and drift dropped",
        _dropped(lambda _: L / (gamma + T) * gamma / 2 * delta0),
        "from W* with noise the gap is positive after a step, and from W* the right side is 0",
    ),
)

T1B = Claim(
    id="EA-T1b",
    kind=Kind.IDENTITY,
    source="Sec. 3.2, A.13",
    title="Proportional weights have Ω = Γ",
    statement=(
        r"\rho_i^t=\rho_i=\tfrac{|\Xi_i|}{\sum_j|\Xi_j|}\ \Rightarrow\ \Omega=\Gamma="
        r"\sum_i\rho_i(F_i(\mathbf W^*)-F_i(\mathbf W_i^*))"
    ),
    says="With proportional weights Ω equals Γ, and the non-vanishing error of Theorem 1 is zero.",
    assumes=("A1–A4, the step sizes of A.9", "proportional weights at every t", "Ω and Γ of Theorem 1"),
    readings=(
        Reading(
            "the minimum over the run, 0 <= t < T",
            "Ω − Γ of a finite run, exactly; never negative, since W* minimises F.",
            _FINITE,
        ),
        Reading(
            "the infimum over all t >= 0",
            "Ω − Γ over t < T lies below a bound that vanishes as T grows, so that the infimum is Γ.",
            _ENDLESS,
        ),
    ),
    canaries=_CANARIES,
    tight="the finite gap is zero only for runs that visit W*",
    verdict_words=(
        "Σρᵢ(Fᵢ(W̄ᵗ) − Fᵢ*) = F(W̄ᵗ) − F(W*) + Γ, so Ω − Γ is the smallest optimality gap met so far. It is positive for every "
        "finite run that does not hit W*, and Theorem 1's error term is then negative rather than zero. Over all t >= 0, "
        "which the theorem also prints, and with the minimum read as an infimum, it is zero: the gap falls below the rate "
        "of FedAvg with proportional weights on everything that was tried."
    ),
)

A13 = Claim(
    id="EA-A13",
    kind=Kind.IDENTITY,
    source="A.13",
    title="The chain of equalities for Ω and Γ",
    statement=(
        r"\Omega=\min_t\sum_i\rho_i(F_i(\bar{\mathbf W}^t)-F_i^*)=\min_t\Big[\sum_i\rho_iF_i(\bar{\mathbf W}^t)\Big]"
        r"-\sum_i\rho_iF_i^*=\sum_i\rho_iF_i(\mathbf W^*)-\sum_i\rho_iF_i^*,\quad"
        r"\Gamma=\max_t\sum_i\rho_i(F_i(\mathbf W^*)-F_i^*)=\sum_i\rho_iF_i(\mathbf W^*)-\sum_i\rho_iF_i^*"
    ),
    says="With proportional weights both Ω and Γ equal the value of F at its optimum over the weighted local optima.",
    assumes=("A1–A4, the step sizes of A.9", "proportional weights at every t"),
    readings=(
        Reading("first sign of Ω", "The constant Σρᵢ Fᵢ* taken out of the sum.", never_missed(_FIRST, degrees=(2, 0))),
        Reading("second sign of Ω, t < T", "The minimum over a finite run reaches F(W*).", _FINITE),
        Reading("second sign of Ω, all t >= 0", "The infimum: the gap lies below a bound that vanishes.", _ENDLESS),
        Reading(
            "sign of Γ", "The maximum over t of what does not depend on t.", never_missed(_CONSTANT, degrees=(2, 0))
        ),
    ),
    canaries=_CANARIES,
    depends_on=("EA-T1b",),
    tight="the first sign and Γ's are identities",
    verdict_words=(
        "Three of the four signs are identities or limits. The second sign of Ω puts min_t F(W̄ᵗ) equal to F(W*): exact only "
        "for a run that visits W*, false for any other finite run, and true as an infimum over all t >= 0 because the steps "
        "of A.9 let FedAvg with proportional weights converge."
    ),
)

CLAIMS: tuple[Claim, ...] = (T1B, A13)
