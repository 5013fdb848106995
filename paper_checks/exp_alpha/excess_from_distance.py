"""EA-E9: from the squared distance to the excess loss, and to v/(γ + t)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.exp_alpha.moment_steps import A9, DEGREES, run_family, run_moments, run_moments_exact
from paper_checks.exp_alpha.one_step import EXACT_STEP, clients_of, curvature_of, one_step_exact
from theory.exact import quadratic_loss, quadratic_optimum
from validation import (
    Bound,
    Canary,
    Case,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

L, mu, gamma, T, E, noise, G2, Omega, Gamma, first, after = symbols("L mu gamma T E noise G2 Omega Gamma first after")
_B_BAR = noise + 8 * (E - 1) * G2 + 6 * L * Omega


def _smooth(x: Instance) -> Mapping[str, Any]:
    """F(w) − F* and ‖w − W*‖² for any shares and any point."""
    clients, best, w = clients_of(x), clients_of(x).best(), x["point"]
    shape = x["optimum"].shape
    there, here = (clients.losses(np.broadcast_to(v[:, None, :], shape)) for v in (best, w))
    L_ = x["spectrum"].max(axis=(1, 2))
    reach = (np.abs(w).max(axis=1) + np.abs(x["optimum"]).max(axis=(1, 2))) ** 2
    lhs = (x["share"] * (here - there)).sum(axis=1)
    return {"lhs": lhs, "L": L_, "after": ((w - best) ** 2).sum(axis=1), "magnitude": L_ * reach}


def smooth_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F(w) - F(W*) and |w - W*|^2, F = sum p_i F_i."""
    clients, p, m, w = range(len(x["share"])), x["share"], x["optimum"], x["point"]
    A = [curvature_of(s, u) for s, u in zip(x["spectrum"], x["mirror"], strict=True)]
    best = quadratic_optimum(p, A, m)
    here, there = (sum(p[i] * quadratic_loss(A[i], m[i], Fraction(0), v) for i in clients) for v in (w, best))
    met = {
        "A1, A2: mu > 0": min(min(s) for s in x["spectrum"]) > 0,
        "data shares on the simplex": sum(p) == 1 and min(p) >= 0,
    }
    L = max(max(s) for s in x["spectrum"])
    return met, {"lhs": here - there, "L": L, "after": sum((a - b) ** 2 for a, b in zip(w, best, strict=True))}


def _point_case(N: float, d: float) -> Case:
    n, dim = int(N), int(d)
    drawn = Space(
        (
            LogScale("spectrum", 1e-2, 1e2, (n, dim), at=(1e-2, 1.0, 1e2)),
            Signed("mirror", 1e-2, 1.0, (n, dim)),
            Signed("optimum", 1e-2, 1e2, (n, dim)),
            Simplex("share", n),
            Signed("point", 1e-2, 1e2, (dim,)),
        )
    )
    every = dict.fromkeys(("spectrum", "mirror", "optimum", "share"), 0)
    same = (
        permuted_clients(every),
        split_client(every, ("share",)),
        units({"spectrum": (1, -2), "optimum": (0, 1), "point": (0, 1)}),
    )
    uses = tuple(f for f in EXACT_STEP if f is not one_step_exact)
    exact = ExactCheck(smooth_exact, uses)
    return Case(f"{n} clients, d = {dim}", drawn, _smooth, exact, cost=max(2.0, n * dim / 8), symmetries=same)


_POINTS = Family("any model", (Size("N", 1, 100, 2), Size("d", 1, 8, 2)), _point_case)


def _excess(x: Instance) -> Mapping[str, Any]:
    found = run_moments(x)
    return {**found, "lhs": found["excess"], "magnitude": found["L"] * found["reach"]}


def _apart(x: Instance) -> Mapping[str, Any]:
    found = run_moments(x)
    lhs = 0.5 * (x["share"] * x["curvature"]).sum(axis=1) * found["first"]
    return {**found, "lhs": lhs, "magnitude": found["L"] * found["reach"]}


def excess_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E F(W_bar^T) - F(W*)."""
    met, found = run_moments_exact(x)
    return met, {**found, "lhs": found["excess"]}


def apart_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E F(W_bar^t) - F(W*) at t = 0, beside the distance at T."""
    met, found = run_moments_exact(x)
    lhs = sum(p * h for p, h in zip(x["share"], x["curvature"], strict=True)) * found["first"] / 2
    return met, {**found, "lhs": lhs}


def induced_again(
    L: Any, mu: Any, gamma: Any, T: Any, E: Any, noise: Any, G2: Any, Omega: Any, Gamma: Any, first: Any
) -> Any:
    """(L/2)·v/(γ + T) once more, B the larger of those of the first and the last step."""
    sums = noise + 8 * E * G2 - 8 * G2 + 6 * L * Omega
    gap = mu * Gamma - mu * Omega
    largest = sums + gap * np.where((gap > 0) == (T > 1), gamma + T - 1, gamma)
    return 0.5 * L * np.maximum(4 * largest / mu**2, gamma * first) / (gamma + T)


_EXCESS = run_family(
    "runs", _excess, ExactCheck(excess_exact, (run_moments_exact,)), kind=A9, most=(100, 30, 100), usual=(2, 2, 4)
)
_APART = run_family(
    "t = 0 and T", _apart, ExactCheck(apart_exact, (run_moments_exact,)), kind=A9, most=(20, 1, 30), usual=(2, 1, 4)
)
_SMOOTH = Bound(L / 2 * after, again=lambda L, after: 0.5 * L * after, degrees=DEGREES)
_LARGEST = sp.Max(mu * gamma * (Gamma - Omega), mu * (gamma + T - 1) * (Gamma - Omega))
_V = sp.Max(4 * (_B_BAR + _LARGEST) / mu**2, gamma * first)
_INDUCED = Bound(L / 2 * _V / (gamma + T), again=induced_again, degrees=DEGREES)


def _with_mu(case: Case) -> Case:
    """The same with the smallest curvature in the place of L."""

    def measure(x: Instance) -> Mapping[str, Any]:
        return {**case.measure(x), "L": x["spectrum"].min(axis=(1, 2))}

    exact = ExactCheck(smallest_exact, (*(f for f in EXACT_STEP if f is not one_step_exact), smooth_exact))
    return Case(case.name, case.space, measure, exact, cost=case.cost)


def smallest_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with mu for L."""
    met, found = smooth_exact(x)
    return met, {**found, "L": min(min(s) for s in x["spectrum"])}


E9 = Claim(
    id="EA-E9",
    kind=Kind.INEQUALITY,
    source="A.9, (9)",
    title="From the distance to the excess loss",
    statement=(
        r"\mathbb E[F(\bar{\mathbf W}^t)]-F(\mathbf W^*)\le\frac L2\mathbb E\|\bar{\mathbf W}^T-\mathbf W^*\|^2"
        r"\le\frac L2\frac v{\gamma+t}"
    ),
    says="The excess loss is at most L/2 times the squared distance, and that at most v/(γ + t).",
    assumes=("every Fᵢ μ-strongly convex and L-smooth, W* the minimiser of F = ΣρᵢFᵢ", "(8) for the second inequality"),
    readings=(
        Reading(
            "as printed, t and T two steps",
            "The loss at t (here 0), the distance at T.",
            Inequality(_SMOOTH, (_APART,), degrees=(1, 0)),
        ),
        Reading(
            "t = T, first inequality",
            "Any model in any dimension, path by path.",
            Inequality(_SMOOTH, (_POINTS,), degrees=(1, 0)),
        ),
        Reading(
            "t = T, both inequalities",
            "On runs with the steps of A.9 and weights fixed in advance, v from the largest B of the run.",
            Inequality(_INDUCED, (_EXCESS,), degrees=(1, 0)),
        ),
    ),
    canaries=(
        Canary(
            "μ/2 in place of L/2",
            Inequality(
                Bound(_SMOOTH.expression, degrees=DEGREES),
                (Family("μ for L", _POINTS.sizes, lambda N, d: _with_mu(_point_case(N, d))),),
                degrees=(1, 0),
            ),
            "along the direction of the largest curvature the excess is L/2 times the squared distance",
        ),
        Canary(
            "4B/μ² dropped from v",
            Inequality(Bound(L / 2 * gamma * first / (gamma + T), degrees=DEGREES), (_EXCESS,), degrees=(1, 0)),
            "from W* the noise alone, or a weight that is not the data share, moves the model",
        ),
    ),
    tight="the first for one client with one curvature, L",
    depends_on=("EA-E8d", "EA-A2"),
    verdict_words=(
        "The line prints t on the left and on the right and T between. Taken as two different steps it is false: at t = 0 the "
        "model has not moved, at T it may have arrived. With one letter the first inequality is smoothness at the minimiser, "
        "where the gradient of F is 0, and the second is the induction; no violation was found with v from the largest B of "
        "the run. A slip of the letter, from which nothing follows."
    ),
)

CLAIMS: tuple[Claim, ...] = (E9,)
