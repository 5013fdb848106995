"""EA-E21a, c, e: how the proof of Lemma 1 bounds C = 4Lηₜ²Σρᵢ(Fᵢ(Wᵢ) − Fᵢ*) + 2ηₜΣρᵢ(Fᵢ(W*) − Fᵢ(Wᵢ))."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.exp_alpha.step_terms import DEGREES, step_inequality, terms_exact
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Identity,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Space,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

eta, L, bend, now, about, above, spread, Omega, Gamma = symbols("eta L bend now about above spread Omega Gamma")
_GAMMA_T = 2 * eta * (1 - 2 * L * eta)
_STEP = ("A1, A2", "0 < ηₜ <= 1/(4L), the hypothesis of Lemma 1", "γₜ = 2ηₜ(1 − 2Lηₜ)", "weights on the simplex")


def inserted_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: C = 4 L eta^2 sum rho_i (F_i(W_i) - F_i*) + 2 eta sum rho_i (F_i(W*) - F_i(W_i))."""
    met, c = terms_exact(x)
    C = 4 * c["L"] * c["eta"] ** 2 * c["local"] + 2 * c["eta"] * (c["about"] - c["local"])
    return met, {**c, "lhs": C}


def _c(c: Mapping[str, Any]) -> Any:
    return 2 * c["eta"] * ((2 * c["L"] * c["eta"] - 1) * c["local"] + c["about"])


def inserted_again(bend: Any, eta: Any, L: Any, now: Any, spread: Any, above: Any, about: Any) -> Any:
    """The right side of the first line of (21), once more."""
    return bend * (now * eta * L + spread / eta / 2 - above) + about * L * (2 * eta) ** 2


_INSERTED = bend * (L * eta * now + spread / (2 * eta)) - bend * above + 4 * L * eta**2 * about
_LONG = (Choice("long", (1.0,)),)

E21A = Claim(
    id="EA-E21a",
    kind=Kind.INEQUALITY,
    source="A.10, display (21), first inequality",
    title="(20) inserted into (19)",
    statement=(
        r"C\le\gamma_t\sum_i\rho_i^{t+1}\Big[L\eta_t(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))"
        r"+\tfrac1{2\eta_t}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2\Big]"
        r"-\gamma_t\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W^*))+4L\eta_t^2\Gamma_t"
    ),
    says="C is bounded by the excess at the mean model, the drift and Γₜ.",
    assumes=_STEP,
    readings=(
        Reading(
            "weights free at every step",
            "The mean under ρᵗ, the sums under ρᵗ⁺¹; quadratic clients in up to 8 dimensions, and bent ones.",
            step_inequality(Bound(_INSERTED, again=inserted_again, degrees=DEGREES), _c, inserted_exact, (0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "the sign of (20) as printed",
            step_inequality(
                Bound(-bend * (L * eta * above + spread / (2 * eta)) - bend * above + 4 * L * eta**2 * about),
                _c,
                inserted_exact,
                (0, 2),
            ),
            "with Wᵢ = W̄ it would say C <= −γₜ(1 + Lηₜ)Σρᵢ(Fᵢ(W̄) − Fᵢ(W*)) + …, and C has 1 in place of 1 + Lηₜ",
        ),
        Canary(
            "drift dropped",
            step_inequality(Bound(_INSERTED - bend * spread / (2 * eta)), _c, inserted_exact, (0, 2)),
            "flat losses and Wᵢ below W̄ along the slope: C is larger by γₜ‖Wᵢ − W̄‖‖∇Fᵢ‖, and Lη(Fᵢ(W̄) − Fᵢ*) is small",
        ),
        Canary(
            "steps up to 1/L",
            step_inequality(Bound(_INSERTED), _c, inserted_exact, (0, 2), _LONG),
            "beyond 1/(2L) γₜ is negative, and (20) multiplied by −γₜ turns round",
        ),
    ),
    tight="every Wᵢ at W̄ = Wᵢ*",
    depends_on=("EA-E19", "EA-E20a", "EA-E20b", "EA-E20c", "EA-S4"),
    verdict_words=(
        "It does not follow from (20) as printed, whose last two lines have the wrong sign and W* for Wᵢ*, but it does from "
        "(20) with the sign of AM–GM and Wᵢ*, and (21) is written so. No violation was found, at any weights: W̄ may be any "
        "point here. It needs γₜ >= 0, which ηₜ <= 1/(4L) gives."
    ),
)


def least_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: (4 L eta^2 + bend) Gamma_t + bend (1 - eta L) Omega."""
    met, c = terms_exact(x)
    factor = 4 * c["L"] * c["eta"] ** 2 + c["bend"]
    return met, {**c, "lhs": factor * c["about"] + c["bend"] * (1 - c["eta"] * c["L"]) * c["Omega"]}


def _least(c: Mapping[str, Any]) -> Any:
    return 2 * c["eta"] * c["about"] + c["bend"] * (1 - c["L"] * c["eta"]) * c["Omega"]


def least_again(bend: Any, eta: Any, L: Any, now: Any, Gamma: Any) -> Any:
    """2ηₜΓ + γₜ(1 − ηₜL)Σρᵢ(Fᵢ(W̄) − Fᵢ*), once more."""
    return bend * now - bend * now * L * eta + Gamma * eta * 2


_LEAST = bend * (1 - eta * L) * now + 2 * eta * Gamma

E21C = Claim(
    id="EA-E21c",
    kind=Kind.INEQUALITY,
    source="A.10, display (21), second inequality",
    title="Minimum and maximum over the steps",
    statement=(
        r"4L\eta_t^2+\gamma_t=2\eta_t,\qquad\gamma_t(\eta_tL-1)\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))"
        r"+2\eta_t\Gamma_t\le\gamma_t(\eta_tL-1)\Omega+2\eta_t\Gamma"
    ),
    says="The excess at step t may be replaced by its minimum, since its factor is negative, and Γₜ by its maximum.",
    assumes=_STEP,
    readings=(
        Reading("4Lηₜ² + γₜ = 2ηₜ", "The coefficient of Γₜ.", Identity(4 * L * eta**2 + _GAMMA_T, 2 * eta)),
        Reading(
            "minimum and maximum",
            "Over the first two steps of a round, weights free at every step; the terms of negative sign stand on the "
            "other side, and the drift, which both sides have, is left out.",
            step_inequality(Bound(_LEAST, again=least_again, degrees=DEGREES), _least, least_exact, (0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "twice the minimum",
            step_inequality(Bound(_LEAST - bend * (1 - eta * L) * Omega), _least, least_exact, (0, 2)),
            "the factor of Ω is negative: where the excess is at its minimum, twice the minimum is too much to take off",
        ),
        Canary(
            "steps up to 1/L",
            step_inequality(Bound(_LEAST), _least, least_exact, (0, 2), _LONG),
            "for 1/(2L) < ηₜ < 1/L the factor γₜ(ηₜL − 1) is positive, and the minimum is then too small",
        ),
    ),
    tight="the excess at its minimum and Γₜ at its maximum at the same t",
    depends_on=("EA-E21b", "EA-S4"),
    verdict_words=(
        "The factor γₜ(ηₜL − 1) is negative for ηₜL < 1/2, so that a smaller excess gives a larger right side, and 2ηₜ > 0. "
        "The identity 4Lηₜ² + γₜ = 2ηₜ is proved; the step holds under ηₜ <= 1/(4L) and fails between 1/(2L) and 1/L, "
        "where the early steps of Theorem 1's schedule can lie."
    ),
)


def drop_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: (6 eta^2 L - 2 eta - 4 eta^3 L^2) Omega + 2 eta Gamma + bend/(2 eta) spread, term by term."""
    L, eta = x["L"], x["step"] / x["L"]
    bend = 2 * eta * (1 - 2 * L * eta)
    left = (6 * eta**2 * L - 2 * eta - 4 * eta**3 * L**2) * x["Omega"] + 2 * eta * x["Gamma"]
    met = {
        "0 < eta <= limit / L": 0 < x["step"] <= (1 if "long" in x else Fraction(1, 4)),
        "Omega >= 0, spread >= 0": ("signed" in x or x["Omega"] >= 0) and x["spread"] >= 0,
    }
    constants = {"eta": eta, **{k: x[k] for k in ("L", "Omega", "Gamma", "spread")}}
    return met, {**constants, "lhs": left + bend / (2 * eta) * x["spread"]}


def _drop(x: Instance) -> Mapping[str, Any]:
    s = x["step"]
    eta_ = s / x["L"]
    left = 2 * eta_ * ((3 * s - 1 - 2 * s * s) * x["Omega"] + x["Gamma"]) + (1 - 2 * s) * x["spread"]
    size = eta_ * (np.abs(x["Omega"]) + np.abs(x["Gamma"])) + x["spread"]
    return {**{k: x[k] for k in ("L", "Omega", "Gamma", "spread")}, "eta": eta_, "lhs": left, "magnitude": size}


def drop_again(eta: Any, L: Any, Omega: Any, Gamma: Any, spread: Any) -> Any:
    """The last line of (21), once more."""
    return spread + Gamma * eta * 2 - Omega * eta * 2 + L * Omega * eta * eta * 6


def _dropped(longest: float, *flags: str) -> Case:
    size = Signed("Omega", 1e-3, 1e3) if "signed" in flags else LogScale("Omega", 1e-3, 1e3, at=(1.0,))
    drawn = Space(
        (
            LogScale("L", 1e-2, 1e2, at=(1.0,)),
            LogScale("step", 1e-4, longest, at=(longest, 0.25)),
            size,
            Signed("Gamma", 1e-3, 1e3),
            LogScale("spread", 1e-6, 1e3, at=(1.0,)),
            *(Choice(flag, (1.0,)) for flag in flags),
        )
    )
    same = (units({"L": (1, -2), "Omega": (1, 0), "Gamma": (1, 0), "spread": (0, 2)}),)
    return Case(f"ηL up to {longest:g}, any Ω, Γ and drift", drawn, _drop, ExactCheck(drop_exact), symmetries=same)


_LAST = 6 * L * eta**2 * Omega + 2 * eta * (Gamma - Omega) + spread
_SMALL = Inequality(Bound(_LAST, again=drop_again, degrees=DEGREES), (_dropped(0.25),), degrees=(0, 2))

E21E = Claim(
    id="EA-E21e",
    kind=Kind.INEQUALITY,
    source="A.10, display (21), last inequality",
    title="The cubic term dropped",
    statement=(
        r"(6\eta_t^2L-2\eta_t-4\eta_t^3L^2)\Omega+2\eta_t\Gamma+\frac{\gamma_t}{2\eta_t}\sum_i\rho_i^{t+1}\|\cdot\|^2"
        r"\le6\eta_t^2L\Omega+2\eta_t(\Gamma-\Omega)+\sum_i\rho_i^{t+1}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2"
    ),
    says="Dropping −4ηₜ³L²Ω and replacing γₜ/(2ηₜ) by 1 can only raise the bound.",
    assumes=("0 < ηₜ <= 1/(4L)", "Ω >= 0, as a weighted mean of excess losses", "γₜ = 2ηₜ(1 − 2Lηₜ)"),
    readings=(Reading("as printed", "Any Ω >= 0, Γ and drift.", _SMALL),),
    canaries=(
        Canary(
            "sign of the cubic term changed",
            replace(_SMALL, bound=Bound(_LAST - sp.Integer(8) * eta**3 * L**2 * Omega)),
            "taking off 8η³L²Ω in place of the 4η³L²Ω that are there is too much where the drift is small",
        ),
        Canary(
            "half of the drift",
            replace(_SMALL, bound=Bound(_LAST - spread / 2)),
            "γₜ/(2ηₜ) = 1 − 2Lηₜ is more than a half for ηₜ < 1/(4L)",
        ),
        Canary(
            "Ω of any sign",
            replace(_SMALL, bound=Bound(_LAST), cases=(_dropped(0.25, "signed"),)),
            "for Ω < 0 the dropped term is positive, and larger than what the drift gains",
        ),
    ),
    tight="ηₜL → 0, or Ω = 0 and no drift",
    depends_on=("EA-E21c", "EA-E21d", "EA-S4"),
    verdict_words=(
        "The two sides differ by 4ηₜ³L²Ω + 2Lηₜ Σρᵢ‖Wᵢ − W̄‖², and both terms are non-negative: Ω is a weighted mean of "
        "excess losses. It does not even need the bound on the step."
    ),
)

CLAIMS: tuple[Claim, ...] = (E21A, E21C, E21E)
