"""Proof steps of Exp-α's Theorem 1: the step-size condition of A.9 and the expansion in (21)."""

from __future__ import annotations

from typing import Any

from sympy import Max

from paper_checks.exp_alpha.notation import NOTATION
from validation import Integer, LogScale
from validation.front import claim, mutant, reading
from validation.says import eq, le
from validation.world import numbers

__all__ = ["EA_E21D", "EA_S2"]

kappa, E, t, eta, L = NOTATION.symbols("kappa E t eta_t L")

_STEPS = numbers(
    NOTATION,
    "κ, E and t",
    LogScale("kappa", 1.0, 1e4, at=(1.0, 10.0, 1e4)),
    Integer("E", 1, 300, at=(7, 8, 9)),
    Integer("t", 0, 10_000, at=(1,)),
    where=(le(1, kappa), le(1, E), le(0, t)),
)
_SHORT = (le(E, 8 * kappa - 1),)


def _eta(step: Any) -> Any:
    """ηₜ in units of 1/μ, γ = max{8L/μ, E} − 1."""
    return 2 / (Max(8 * kappa, E) - 1 + step)


EA_S2 = claim(
    "EA-S2",
    level="step",
    at="A.9",
    title="Step sizes halve at most once a round",
    printed=r"\beta=\tfrac2\mu,\ \gamma=\max\{8\tfrac L\mu,E\}-1:\qquad\eta_t\le2\eta_{t+E}\quad\forall t\ge0",
    plainly="With γ = max{8L/μ, E} − 1 the step size never falls by more than a half within E steps.",
    assumes=("ηₜ = (2/μ)/(γ + t)", "γ = max{8L/μ, E} − 1", "L >= μ > 0, E >= 1, t >= 0"),
    says=le(_eta(t), 2 * _eta(t + E)),
    world=_STEPS,
    readings=(
        reading("as printed", "All κ = L/μ >= 1, all E >= 1, all t >= 0."),
        reading(
            "E <= 8L/μ − 1",
            "Rounds shorter than the offset, so that γ >= E.",
            where=_SHORT,
            met_by="E = 5 of Table 4: 8L/μ − 1 >= 7 for every μ and L",
        ),
    ),
    mutants=(
        mutant(
            "factor 2 dropped",
            le(_eta(t), _eta(t + E)),
            "the step size strictly decreases, so it is never at most a later one",
            where=_SHORT,
        ),
    ),
    tight="t = 0 and E = 8L/μ − 1, where both sides are equal",
    verdict="""
        At t = 0 the condition reads γ >= E. The offset is max{8L/μ, E} − 1, and the −1 takes it below E as soon as
        E > 8L/μ − 1: for κ = 1 and E = 8 the step size falls from 2/7 to 2/15 within the first round. Rounds with
        E <= 8L/μ − 1 satisfy it, with equality at the end of that range. Lemma 3 uses the condition.""",
)

_GAMMA = 2 * eta * (1 - 2 * L * eta)

EA_E21D = claim(
    "EA-E21d",
    level="step",
    at="A.10, display (21)",
    title="Expansion of γₜ(ηₜL − 1)",
    printed=r"\gamma_t(\eta_tL-1)=6\eta_t^2L-2\eta_t-4\eta_t^3L^2,\qquad\gamma_t=2\eta_t(1-2L\eta_t)",
    plainly="The coefficient of Ω in the one-step bound expands as printed.",
    assumes=("γₜ = 2ηₜ(1 − 2Lηₜ) from (19)",),
    says=eq(_GAMMA * (eta * L - 1), 6 * eta**2 * L - 2 * eta - 4 * eta**3 * L**2),
    mutants=(
        mutant(
            "sign of the cubic term changed",
            eq(_GAMMA * (eta * L - 1), 6 * eta**2 * L - 2 * eta + 4 * eta**3 * L**2),
            "the product of the leading terms −4Lη²·ηL is −4η³L²",
        ),
    ),
    verdict="Multiplying out gives the printed polynomial exactly.",
)
