"""The end of A.3: from the squared distance to the gap, and equation (19) with its ψ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.robust_aggregation.corollary1 import DEGREES, ENDLESS, KNOWN_BEFORE_ROUND, SEEN_BEFORE_STEP
from paper_checks.robust_aggregation.corollary1_inside import inside_a_round
from paper_checks.robust_aggregation.corollary1_leader import hardly_counted, quiet_at_best
from paper_checks.robust_aggregation.corollary1_long import long_runs
from paper_checks.robust_aggregation.corollary1_special import ALIKE
from paper_checks.robust_aggregation.points import DEGREES as POINT_DEGREES
from paper_checks.robust_aggregation.points import at_points, at_points_exact
from paper_checks.robust_aggregation.worst_local_model import worst_local_model
from validation import Bound, Canary, Case, Claim, ExactCheck, Family, Inequality, Instance, Kind, Reading, symbols

__all__ = ["CLAIMS"]

L, mu, tau, T, G2, sigma2, Gamma, D0 = symbols("L mu tau T G2 sigma2 Gamma D0")
rho, rho_best, pi, gap = symbols("rho rho_best pi gap")

_POINTS = at_points(11)


def smooth_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F(w) - F* at any point w; gap is the squared distance to w*."""
    met, found = at_points_exact(x)
    return met, {**found, "lhs": found["Delta"] - found["at_other"]}


def _smooth(N: float, d: float) -> Case:
    """The points of A₇'s check with the excess of F on the left."""
    case = _POINTS.at(N=N, d=d)
    assert case.exact is not None  # `at_points` gives every case its exact check

    def measure(x: Instance) -> Mapping[str, Any]:
        found = case.measure(x)
        return {**found, "lhs": found["Delta"] - found["at_other"], "magnitude": found["magnitude"] / found["eta"]}

    return replace(case, measure=measure, exact=ExactCheck(smooth_exact, (*case.exact.uses, at_points_exact)))


_FAMILY = Family("clients at any points", _POINTS.sizes, _smooth)
_SMOOTH = Bound(L / 2 * gap, again=lambda L, gap: 0.5 * gap * L, degrees=POINT_DEGREES)

C14 = Claim(
    id="RA-P-C1.4",
    kind=Kind.INEQUALITY,
    source="Proof of Corollary 1 (A.3), first part of eq. (19)",
    title="From distance to gap",
    statement=r"\mathbb E\left[F(w_t)\right]-F^\star\le\frac L2\Delta_t",
    says="An L-smooth F exceeds its minimum by at most L/2 times the squared distance to w*.",
    assumes=("every Fᵢ is L-smooth, hence F is", "w* minimises F"),
    readings=(
        Reading(
            "path by path",
            "Quadratic clients with any shares at any point, which covers expectations.",
            Inequality(_SMOOTH, (_FAMILY,), degrees=(1, 0)),
        ),
    ),
    canaries=(
        Canary(
            "L/4 in place of L/2",
            Inequality(Bound(L / 4 * gap, degrees=POINT_DEGREES), (_FAMILY,), degrees=(1, 0)),
            "with all curvatures L both printed sides are equal",
        ),
        Canary(
            "μ in place of L",
            Inequality(Bound(mu / 2 * gap, degrees=POINT_DEGREES), (_FAMILY,), degrees=(1, 0)),
            "this is the lower bound of strong convexity",
        ),
    ),
    tight="all curvatures L",
    depends_on=("RA-A1",),
    verdict_words="Smoothness of F at w*, where ∇F vanishes, and then the expectation. Nothing else is used.",
    supremum=1.0,
)

_EXCESS = sp.Rational(3, 8) * rho
_PSI = sp.Max(
    4 * L / mu * D0,
    ((32 * tau**2 * G2 + 6 * rho * L * Gamma + sigma2) / mu**2 + 2 * Gamma * (rho_best - rho) / mu * (T + 4 * L / mu))
    / _EXCESS,
)


def nineteen_again(
    L: Any, mu: Any, tau: Any, T: Any, G2: Any, sigma2: Any, Gamma: Any, D0: Any, rho: Any, rho_best: Any
) -> Any:
    """The right side of (19) with beta = 1/mu and gamma = 4L/mu once more."""
    s = T + 4 * L / mu
    moving = 8 / 3 * (32 * tau**2 * G2 + sigma2) / (rho * mu**2) + 16 * L * Gamma / mu**2
    moving = moving + 16 * Gamma * s / (3 * mu) * (rho_best / rho - 1)
    return np.maximum(2 * L**2 * D0 / (mu * s), L * moving / (2 * s))


NINETEEN = Bound(L / 2 * _PSI / (T + 4 * L / mu), again=nineteen_again, degrees=DEGREES)


def _run_bound(*cases: Case | Family) -> Inequality:
    return Inequality(NINETEEN, cases, degrees=(1, 0))


E19 = Claim(
    id="RA-E19",
    kind=Kind.INEQUALITY,
    source="Eq. (19), proof of Corollary 1 (A.3)",
    title="The gap by ψ",
    statement=r"\mathbb E\left[F(w_t)\right]-F^\star\le\frac L2\Delta_t\le\frac L2\frac\psi{\gamma+t}",
    says="The expected gap at t is at most L/2 times ψ/(γ + t).",
    assumes=(
        "those of Corollary 1, with its β = 1/μ and γ = 4L/μ",
        "ψ with the t of the left side, B, C and D as in A.3",
        "the first inequality alone is RA-P-C1.4",
    ),
    readings=(
        Reading(
            "ρ̄ and ρ̃ over the rounds before t",
            "One step a round; G on a ball around w* that holds all models and optima.",
            _run_bound(hardly_counted(0.0, 8.0), long_runs(0.0, True, most=100, least=8.0)),
        ),
        Reading(
            "ρ̄ and ρ̃ over the rounds up to t, or over a run that goes on",
            "The model wₜ and its weights count too, and perhaps all later ones; t one of those of (7), E >= 2. Weights chosen before the step of the "
            "aggregation, the earlier samples of the round seen; ρ̄ = ρ̃ = 1 over either window.",
            _run_bound(*SEEN_BEFORE_STEP, worst_local_model()),
        ),
        Reading(
            "ρ̄ and ρ̃ over a run that goes on, t inside a round",
            "The same for any t, with the round's weights; G on the interval of all models and optima.",
            _run_bound(inside_a_round()),
        ),
        Reading(
            "the rounds up to t, weights known before the round",
            "One step a round, where this is before the step's samples; any horizon.",
            _run_bound(*(quiet_at_best(1.0, t) for t in (1, 1000)), hardly_counted(1.0), long_runs(1.0, False)),
            repair="condition",
        ),
        Reading(
            "a run that goes on, weights known before the round",
            "Any such weights, so that ρ̃ >= ρ̄ (RA-D7); t one of those of (7); any number of local steps, every convention on aggregation.",
            _run_bound(long_runs(2.0, False), hardly_counted(2.0), *ENDLESS, *KNOWN_BEFORE_ROUND),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "the weights have seen the earlier samples of the round",
            _run_bound(*SEEN_BEFORE_STEP[:2]),
            "the gap stays at a constant for ever, ρ̄ = ρ̃ = 1 makes D = 0, and ψ/(γ + t) falls as 1/t",
        ),
        Canary(
            "ψ without its D",
            Inequality(Bound(NINETEEN.expression.subs({rho: pi, rho_best: pi})), (ALIKE,)),
            "with more weight on one of two clients the gap does not vanish, and this right side, with π <= ρ̄ for both, does",
        ),
        Canary(
            "ψ without its C",
            Inequality(
                Bound(L / 2 * _PSI.subs({G2: 0, sigma2: 0}) / (T + 4 * L / mu)), (long_runs(2.0, False, True, 100),)
            ),
            "FedAvg started at w* with Γ small: the first noisy step leaves w*",
        ),
    ),
    tight="not known to be tight; the largest ratio seen is reported",
    depends_on=("RA-P-C1.3", "RA-P-C1.4", "RA-D7"),
    verdict_words=(
        "The first inequality is right (RA-P-C1.4); the second fails as printed, and no violation was "
        "found with weights known before the round, t one of the t of (7), and the model wₜ counted in "
        "ρ̄ and ρ̃. Over the rounds before t it fails in the first step: start at w*, all weight on a "
        "client that F hardly counts; then ρ̃ = ρ̄ is as large as one likes, and the step leaves w*. If "
        "wₜ counts too, or the run goes on, it fails for weights that have seen the round's earlier "
        "samples, as FedWorse's may: the gap stays while ψ/(γ + t) falls. Inside a round it fails as "
        "well, since (7) does not see those models. FedAvg-generalized, and any strategy with its losses "
        "at the model sent out, meet the condition. The maximum in ψ never falls below γ‖w₀ − w*‖², so "
        "(19) survives ρ̃ < ρ̄ where the corollary does not."
    ),
)

CLAIMS: tuple[Claim, ...] = (C14, E19)
