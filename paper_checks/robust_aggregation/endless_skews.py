"""ρ̃ >= ρ̄ over a run without end, for any weights: how far ρ̃ can stay below ρ̄ over its first T rounds.

With one step a round and weights known before its samples, E‖wₜ₊₁ − w*‖² is at most E‖wₜ − w*‖² − 2ηₜΓ(ρ̄ − ρ̃) + ηₜ²G²: by convexity
⟨Σαᵢ∇Fᵢ(wₜ), wₜ − w*⟩ is at least ρ(t, wₜ)(F(wₜ) − ΣpᵢFᵢ*) − ρ(t, w*)Γ >= (ρ̄ − ρ̃)Γ. Summed over t < T, since no distance is negative,

    ρ̄ − ρ̃ <= (‖w₀ − w*‖² + G² Σηₜ²) / (2Γ Σηₜ),

which tends to 0 for ηₜ = 1/(μ(t + γ)). More local steps change each step's gradient by O(ηₜ), hence a round by another O(ηₜ²).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.corollary1_leader import quiet_at_best, quiet_exact
from paper_checks.robust_aggregation.corollary1_long import LONG, long_exact, long_runs, long_view
from validation import Bound, Case, ExactCheck, Inequality, symbols

__all__ = ["LATE", "LATE_WITHOUT_START"]

D0, G2, Gamma, steps, squares = symbols("D0 G2 Gamma steps squares")
_DEGREES = {"D0": (0, 2), "G2": (2, -2), "Gamma": (1, 0), "steps": (-1, 2), "squares": (-2, 4)}


def _shortfall(c: Mapping[str, Any]) -> Mapping[str, Any]:
    T = int(c["T"][0])
    eta = 1.0 / (c["mu"][:, None] * np.arange(T) + 4 * c["L"][:, None])
    sums = {"steps": eta.sum(axis=1), "squares": (eta**2).sum(axis=1)}
    kept = {name: c[name] for name in ("D0", "G2", "admissible", "resolved")}
    kept["Gamma"] = np.where(c["admissible"], c["Gamma"], 1.0)
    return {**kept, **sums, "lhs": c["rho"] - c["rho_best"], "magnitude": c["rho"] + c["rho_best"]}


def step_sums(L: Any, mu: Any, T: Any) -> tuple[Any, Any]:
    """The sums of eta_t and of its square, eta_t = 1/(mu (t + 4L/mu)), t < T."""
    eta = [1 / (mu * (t + 4 * L / mu)) for t in range(int(T))]
    return sum(eta), sum(e**2 for e in eta)


def shortfall_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """rho-bar minus rho-tilde over the first T rounds."""
    met, c = long_exact(x)
    steps, squares = step_sums(c["L"], c["mu"], c["T"])
    found = {name: c[name] for name in ("D0", "G2", "Gamma")} | {"steps": steps, "squares": squares}
    return met, {**found, "lhs": c["rho"] - c["rho_best"]}


def quiet_shortfall_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same for a leader with a large loss along the run and a small one at w*."""
    met, c = quiet_exact(x)
    steps, squares = step_sums(c["L"], c["mu"], c["T"])
    found = {name: c[name] for name in ("D0", "G2", "Gamma")} | {"steps": steps, "squares": squares}
    return met, {**found, "lhs": c["rho"] - c["rho_best"]}


def _quiet(T: int) -> Case:
    case = quiet_at_best(0.0, T)
    assert case.exact is not None  # the runs have their exact check
    check = ExactCheck(quiet_shortfall_exact, (*case.exact.uses, quiet_exact, step_sums))
    return replace(case, measure=lambda x: _shortfall(case.measure(x)), exact=check)


_FREE = long_runs(
    0.0,
    False,
    most=1000,
    measure=lambda x: _shortfall(long_view(x)),
    exact=ExactCheck(shortfall_exact, (*LONG, long_exact, step_sums)),
)


def _late(bound: Any, again: Any = None) -> Inequality:
    return Inequality(Bound(bound, again=again, degrees=_DEGREES), (_quiet(1), _quiet(1000), _FREE), degrees=(0, 0))


LATE = _late(
    (D0 + G2 * squares) / (2 * Gamma * steps),
    lambda D0, G2, Gamma, steps, squares: D0 / steps / Gamma / 2 + G2 / Gamma * squares / steps / 2,
)
LATE_WITHOUT_START = _late(G2 * squares / (2 * Gamma * steps))
