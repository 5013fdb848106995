"""Proof steps of Exp-α's Theorem 1: the step-size condition of A.9 and the expansion in (21)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Bound,
    Canary,
    Case,
    Claim,
    ExactCheck,
    Identity,
    Inequality,
    Instance,
    Integer,
    Kind,
    LogScale,
    Reading,
    Space,
    symbols,
)

__all__ = ["EA_E21D", "EA_S2"]

eta_later, eta, L, gamma_t, Omega = symbols("eta_later eta L gamma_t Omega")


def _steps(x: Instance) -> Mapping[str, Any]:
    gamma = np.maximum(8 * x["kappa"], x["E"]) - 1
    return {"lhs": 2 / (gamma + x["t"]), "eta_later": 2 / (gamma + x["t"] + x["E"])}


def step_sizes_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """eta_t and eta_(t+E) in units of 1/mu, gamma = max(8 kappa, E) - 1."""
    gamma = max(8 * x["kappa"], x["E"]) - 1
    hypotheses = {"kappa = L/mu >= 1": x["kappa"] >= 1, "E >= 1": x["E"] >= 1, "t >= 0": x["t"] >= 0}
    return hypotheses, {"lhs": 2 / (gamma + x["t"]), "eta_later": 2 / (gamma + x["t"] + x["E"])}


def _short_rounds(x: Instance) -> Mapping[str, Any]:
    return {**_steps(x), "admissible": x["E"] <= 8 * x["kappa"] - 1}


def short_rounds_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with E <= 8 L/mu - 1."""
    gamma = max(8 * x["kappa"], x["E"]) - 1
    hypotheses = {"kappa = L/mu >= 1": x["kappa"] >= 1, "1 <= E <= 8 kappa - 1": 1 <= x["E"] <= 8 * x["kappa"] - 1}
    return hypotheses, {"lhs": 2 / (gamma + x["t"]), "eta_later": 2 / (gamma + x["t"] + x["E"])}


_SPACE = Space(
    (
        LogScale("kappa", 1.0, 1e4, at=(1.0, 10.0, 1e4)),
        Integer("E", 1, 300, at=(7, 8, 9)),
        Integer("t", 0, 10_000, at=(1,)),
    )
)
_ANY = Case("κ, E and t", _SPACE, _steps, ExactCheck(step_sizes_exact))
_SHORT = Case("κ, E <= 8κ − 1 and t", _SPACE, _short_rounds, ExactCheck(short_rounds_exact))
_TWICE = Bound(2 * eta_later, again=lambda eta_later: eta_later + eta_later)

EA_S2 = Claim(
    id="EA-S2",
    kind=Kind.INEQUALITY,
    source="A.9",
    title="Step sizes halve at most once a round",
    statement=r"\beta=\tfrac2\mu,\ \gamma=\max\{8\tfrac L\mu,E\}-1:\qquad\eta_t\le2\eta_{t+E}\quad\forall t\ge0",
    says="With γ = max{8L/μ, E} − 1 the step size never falls by more than a half within E steps.",
    assumes=("ηₜ = (2/μ)/(γ + t)", "γ = max{8L/μ, E} − 1", "L >= μ > 0, E >= 1, t >= 0"),
    readings=(
        Reading("as printed", "All κ = L/μ >= 1, all E >= 1, all t >= 0.", Inequality(_TWICE, (_ANY,))),
        Reading(
            "E <= 8L/μ − 1",
            "Rounds shorter than the offset, so that γ >= E.",
            Inequality(_TWICE, (_SHORT,)),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "factor 2 dropped",
            Inequality(Bound(1 * eta_later), (_SHORT,)),
            "the step size strictly decreases, so it is never at most a later one",
        ),
    ),
    tight="t = 0 and E = 8L/μ − 1, where both sides are equal",
    verdict_words=(
        "At t = 0 the condition reads γ >= E. The offset is max{8L/μ, E} − 1, and the −1 takes it below E as soon as "
        "E > 8L/μ − 1: for κ = 1 and E = 9 the step size falls to less than half within the first round. Rounds with "
        "E <= 8L/μ − 1 satisfy it, with equality at the end of that range. Lemma 3 uses the condition."
    ),
)

EA_E21D = Claim(
    id="EA-E21d",
    kind=Kind.IDENTITY,
    source="A.10, display (21)",
    title="Expansion of γₜ(ηₜL − 1)",
    statement=r"\gamma_t(\eta_tL-1)=6\eta_t^2L-2\eta_t-4\eta_t^3L^2,\qquad\gamma_t=2\eta_t(1-2L\eta_t)",
    says="The coefficient of Ω in the one-step bound expands as printed.",
    assumes=("γₜ = 2ηₜ(1 − 2Lηₜ) from (19)",),
    readings=(
        Reading(
            "as printed",
            "A polynomial identity in ηₜ and L.",
            Identity(2 * eta * (1 - 2 * L * eta) * (eta * L - 1), 6 * eta**2 * L - 2 * eta - 4 * eta**3 * L**2),
        ),
    ),
    canaries=(
        Canary(
            "sign of the cubic term changed",
            Identity(2 * eta * (1 - 2 * L * eta) * (eta * L - 1), 6 * eta**2 * L - 2 * eta + 4 * eta**3 * L**2),
            "the product of the leading terms −4Lη²·ηL is −4η³L²",
        ),
    ),
    verdict_words="Multiplying out gives the printed polynomial exactly.",
)
