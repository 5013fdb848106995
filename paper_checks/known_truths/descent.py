"""K18 and K19: gradient descent contracts the distance and the excess loss at the rate ρ, however long it runs."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.known_truths.exact_rounds import LINEAR, after, eye_minus, margin, power, symmetric
from paper_checks.known_truths.spectra import TINY, descent, offset, quadratic, sizes_in_words
from theory.exact import dot, matvec, quadratic_loss
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    Reading,
    Size,
    Space,
    symbols,
)

__all__ = ["CLAIMS"]

rho, contraction, flattest, steepest, mu, D0, gap = symbols("rho contraction flattest steepest mu D0 gap")
_RATES = {"rho": (0, 0), "contraction": (0, 0), "flattest": (0, 0), "steepest": (0, 0)}
_DISTANCE = {**_RATES, "D0": (0, 2)}
_LOSS = {**_RATES, "gap": (1, 0), "mu": (1, -2), "D0": (0, 2)}


def distance_again(contraction: Any, D0: Any) -> Any:
    """K18, squared, once more."""
    return D0 * contraction * contraction


def loss_again(contraction: Any, gap: Any) -> Any:
    """K19 once more."""
    return (contraction * contraction) * gap


DISTANCE = Bound(contraction**2 * D0, again=distance_again, degrees=_DISTANCE)
LOSS = Bound(contraction**2 * gap, again=loss_again, degrees=_LOSS)


def _measure(x: Instance) -> tuple[dict[str, Any], Any, Any]:
    """The constants of both bounds, the curvatures and w_T − w* in the eigenbasis."""
    run, T = descent(x), x["rounds"]
    contraction, D0 = run.rho**T, (x["offset"] ** 2).sum(axis=1)
    constants = {
        "rho": run.rho,
        "contraction": contraction,
        "flattest": np.abs(1 - run.eta * run.mu) ** T,
        "steepest": np.abs(1 - run.eta * run.L) ** T,
        "mu": run.mu,
        "D0": D0,
        "gap": 0.5 * (x["spectrum"] * run.start**2).sum(axis=1),
        "admissible": (run.rho < 1) & (contraction**2 * D0 > TINY) & (contraction**2 * D0 * run.mu > TINY),
    }
    return constants, x["spectrum"], run.turn ** T[:, None] * run.start


def _distance(x: Instance) -> Mapping[str, Any]:
    constants, _, end = _measure(x)
    return {**constants, "lhs": (end**2).sum(axis=1)}


def _loss(x: Instance) -> Mapping[str, Any]:
    constants, spectrum, end = _measure(x)
    return {**constants, "lhs": 0.5 * (spectrum * end**2).sum(axis=1)}


def descent_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], dict[str, Any], list[Any]]:
    """Hypotheses, the constants of both bounds and w_T − w*, by powers of the matrix I − ηA."""
    A, T = symmetric(x["spectrum"], x["mirror"]), int(x["rounds"])
    mu, L = min(x["spectrum"]), max(x["spectrum"])
    eta, origin = x["step"] / L, [Fraction(0) for _ in x["offset"]]
    rho = max(abs(1 - eta * mu), abs(1 - eta * L))
    constants = {
        "rho": rho,
        "contraction": power(rho, T),
        "flattest": power(abs(1 - eta * mu), T),
        "steepest": power(abs(1 - eta * L), T),
        "mu": mu,
        "D0": dot(x["offset"], x["offset"]),
        "gap": quadratic_loss(A, origin, Fraction(0), x["offset"]),
    }
    end = matvec(after(eye_minus(eta, A), T), x["offset"])
    return {"curvatures positive": mu > 0, "rho < 1": rho < 1}, constants, end


def distance_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The squared distance after T steps of gradient descent."""
    hypotheses, constants, end = descent_exact(x)
    constants["lhs"] = dot(end, end) - margin(int(x["rounds"]), constants["contraction"] ** 2 * constants["D0"])
    return hypotheses, constants


def loss_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The excess loss after T steps of gradient descent."""
    hypotheses, constants, end = descent_exact(x)
    A, origin = symmetric(x["spectrum"], x["mirror"]), [Fraction(0) for _ in end]
    constants["lhs"] = quadratic_loss(A, origin, Fraction(0), end)
    constants["lhs"] -= margin(int(x["rounds"]), constants["contraction"] ** 2 * constants["gap"])
    return hypotheses, constants


_USES = (*LINEAR, matvec, quadratic_loss, descent_exact)
_SIZES = (Size("d", 1, 8, 2), Size("T", 1, 1_000_000, 3, ladder=True))


def _space(d: float, T: float) -> Space:
    return Space((*quadratic(int(d), step_from=1e-7), offset(int(d)), Choice("rounds", (float(T),))))


def _distance_case(d: float, T: float) -> Case:
    name = f"gradient descent on a quadratic, {sizes_in_words(d=d, T=T)}"
    return Case(name, _space(d, T), _distance, ExactCheck(distance_exact, _USES))


def _loss_case(d: float, T: float) -> Case:
    name = f"gradient descent on a quadratic, {sizes_in_words(d=d, T=T)}"
    return Case(name, _space(d, T), _loss, ExactCheck(loss_exact, _USES))


_DISTANCES = (Family("gradient descent, distance", _SIZES, _distance_case),)
_LOSSES = (Family("gradient descent, loss", _SIZES, _loss_case),)

_QUADRATIC = "F an L-smooth, μ-strongly convex quadratic with minimiser w*"
_STEP = "step size η with ρ = max(|1 − ημ|, |1 − ηL|) < 1"

K18 = Claim(
    id="K18",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Gradient descent contracts the distance",
    statement=r"\|w_T-w^*\|\le\rho^T\|w_0-w^*\|\qquad(T\le10^6)",
    says="After T steps the squared distance to the minimiser is at most ρ^(2T) times the first (both sides squared).",
    assumes=(_QUADRATIC, _STEP),
    readings=(
        Reading(
            "as stated",
            "Both sides squared; curvature in general position, dimension to 8, T to a million; ρ^T is the contraction.",
            Inequality(DISTANCE, _DISTANCES, degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "T + 1 in place of T",
            Inequality(Bound(contraction**2 * rho**2 * D0), _DISTANCES),
            "with one curvature and 0 < ρ < 1 the distance is exactly ρ^T of the first, which exceeds ρ^(T+1) of it",
        ),
        Canary(
            "|1 − ηL| left out of ρ",
            Inequality(Bound(flattest**2 * D0), _DISTANCES),
            "for ηL near 2 the steepest direction contracts by |1 − ηL| only, more than |1 − ημ| when ημ is near 1",
        ),
        Canary(
            "|1 − ημ| left out of ρ",
            Inequality(Bound(steepest**2 * D0), _DISTANCES),
            "for ηL = 1 the right side is 0, and the flattest direction still has the factor 1 − μ/L > 0",
        ),
        Canary(
            "ρ^T squared once more",
            Inequality(Bound(contraction**4 * D0), _DISTANCES),
            "with one curvature and 0 < ρ < 1 the squared distance is ρ^(2T) of the first, more than ρ^(4T) of it",
        ),
    ),
    tight="w_0 − w* an eigenvector of the curvature whose factor |1 − ηλ| is ρ; always so in one dimension",
    verdict_words=(
        "It holds. In the eigenbasis of the curvature every coordinate of w − w* is multiplied by 1 − ηλ at each step, "
        "and |1 − ηλ| is convex in λ, so it is largest at an end of the spectrum."
    ),
    supremum=1.0,
)

K19 = Claim(
    id="K19",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Gradient descent contracts the excess loss",
    statement=r"F(w_T)-F^*\le\rho^{2T}\,(F(w_0)-F^*)",
    says="After T steps of gradient descent the excess loss is at most ρ^(2T) times the first.",
    assumes=(_QUADRATIC, _STEP),
    readings=(
        Reading(
            "as stated",
            "Curvature in general position, dimension to 8, T to a million; ρ^T is the contraction.",
            Inequality(LOSS, _LOSSES, degrees=(1, 0)),
        ),
    ),
    canaries=(
        Canary(
            "2T + 1 in place of 2T",
            Inequality(Bound(contraction**2 * rho * gap), _LOSSES),
            "with one curvature and 0 < ρ < 1 the excess loss is exactly ρ^(2T) of the first",
        ),
        Canary(
            "the first excess loss replaced by μ/2‖w_0 − w*‖²",
            Inequality(Bound(contraction**2 * mu * D0 / 2), _LOSSES),
            "μ stands where L must: for η(L + μ) > 2, hence ρ = |1 − ηL|, and w_0 − w* in the steepest direction the "
            "left side is ρ^(2T) L/2 ‖w_0 − w*‖² > ρ^(2T) μ/2 ‖w_0 − w*‖²",
        ),
        Canary(
            "|1 − ημ| left out of ρ",
            Inequality(Bound(steepest**2 * gap), _LOSSES),
            "for ηL = 1 the right side is 0, and the flattest direction still has the factor 1 − μ/L > 0",
        ),
    ),
    tight="w_0 − w* an eigenvector of the curvature whose factor |1 − ηλ| is ρ; always so in one dimension",
    verdict_words=(
        "It holds. The excess loss is half the sum of λ times the squared coordinate over the eigenbasis, and a step "
        "multiplies each of these terms by (1 − ηλ)², which is at most ρ²."
    ),
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (K18, K19)
