"""K29: no smooth strongly convex function passes the worst case of gradient descent over the whole class.

The worst cases are those of a semidefinite program, here 10⁻⁶ above their six digits. L and the distance R of the start
are free scales: the step is 1/(2L), μ = L/10, and the value is in units of L R².
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.known_truths.exact_rounds import after, eye_minus, gathered, product, shortened, symmetric
from paper_checks.known_truths.pieces import gradients, slope_at, value_at, values
from paper_checks.known_truths.spectra import reflected
from theory.exact import dot, matvec, quadratic_loss
from theory.worst_case import WorstCase, worst_case_fedavg
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ClassWorstCase,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Size,
    Space,
    Uniform,
    symbols,
)

__all__ = ["CLAIMS"]

value, later, L, R, T = symbols("value later L R T")
_VALUES = np.array([0.240347, 0.152562, 0.108608, np.nan])  # T = 1, 2, 3


def worst_again(value: Any, L: Any, R: Any) -> Any:
    """The value in units of L R² once more."""
    return L * (R * R) * value


WORST = Bound(value * L * R**2, again=worst_again, degrees={"value": (0, 0), "L": (1, -2), "R": (0, 1)})


def _constants(x: Instance) -> dict[str, Any]:
    position = x["rounds"].astype(int)
    return {
        "value": _VALUES[position - 1],
        "later": _VALUES[position],
        "L": x["smoothness"],
        "R": x["radius"],
        "T": x["rounds"],
    }


def _bent(x: Instance) -> Mapping[str, Any]:
    """Gradient descent in one dimension, in units of L and R."""
    slopes, knots, w = x["slopes"], x["knots"], x["start"]
    for _ in range(int(x["rounds"][0])):
        w = w - 0.5 * gradients(slopes, knots, 0.0 * w, w)
    constants = _constants(x)
    lhs = values(slopes, knots, 0.0 * w, w) * constants["L"] * constants["R"] ** 2
    # With T = 3 there is no value of the next horizon: a NaN would hide the whole draw.
    return {**constants, "lhs": lhs, "later": np.nan_to_num(constants["later"])}


def bent_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Gradient descent with step 1/(2L) from `start`·R; slopes in units of L, knots in units of R."""
    L, R, T = x["smoothness"], x["radius"], int(x["rounds"])
    slopes, knots, w = [L * s for s in x["slopes"]], [R * k for k in x["knots"]], R * x["start"]
    for _ in range(T):
        w = w - slope_at(slopes, knots, Fraction(0), w) / (2 * L)
    table = [Fraction(240347, 10**6), Fraction(152562, 10**6), Fraction(108608, 10**6), Fraction(0)]
    hypotheses = {
        "every slope between L/10 and L (or the dropped limit)": all(
            L <= 10 * s <= 10 * x["steepest"] * L for s in slopes
        ),
        "knots and scales positive": min(knots) > 0 and L > 0 and R > 0,
        "start within R of the minimiser (or the dropped limit)": abs(x["start"]) <= x["reach"],
    }
    lhs = value_at(slopes, knots, Fraction(0), w)
    return hypotheses, {"lhs": lhs, "value": table[T - 1], "later": table[T], "L": L, "R": R, "T": Fraction(T)}


def _quadratic(x: Instance) -> Mapping[str, Any]:
    """Gradient descent on a quadratic in the plane, in its eigenbasis, in units of L and R."""
    start, spectrum = reflected(x["mirror"], x["start"]), x["spectrum"]
    end = (1 - 0.5 * spectrum) ** x["rounds"][:, None] * start
    constants = _constants(x)
    lhs = 0.5 * (spectrum * end**2).sum(axis=1) * constants["L"] * constants["R"] ** 2
    within = (start**2).sum(axis=1) <= x["reach"] ** 2
    return {**constants, "lhs": lhs, "later": np.nan_to_num(constants["later"]), "admissible": within}


def quadratic_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Gradient descent with step 1/(2L) on a quadratic, by powers of the matrix."""
    L, R, T = x["smoothness"], x["radius"], int(x["rounds"])
    A, start = symmetric([L * s for s in x["spectrum"]], x["mirror"]), [R * y for y in x["start"]]
    end = matvec(after(eye_minus(1 / (2 * L), A), T), start)
    table = [Fraction(240347, 10**6), Fraction(152562, 10**6), Fraction(108608, 10**6), Fraction(0)]
    hypotheses = {
        "curvature between L/10 and L (or the dropped limit)": all(
            1 <= 10 * s <= 10 * x["steepest"] for s in x["spectrum"]
        ),
        "scales positive": L > 0 and R > 0,
        "start within R of the minimiser (or the dropped limit)": dot(x["start"], x["start"]) <= x["reach"] ** 2,
    }
    lhs = quadratic_loss(A, [Fraction(0) for _ in end], Fraction(0), end)
    return hypotheses, {"lhs": lhs, "value": table[T - 1], "later": table[T], "L": L, "R": R, "T": Fraction(T)}


_BENT = ExactCheck(bent_exact, (slope_at, value_at))
_MATRIX = (dot, matvec, symmetric, product, eye_minus, shortened, gathered, after)
_QUADRATIC = ExactCheck(quadratic_exact, (*_MATRIX, quadratic_loss))


def _common(T: float, reach: float, steepest: float) -> tuple[Any, ...]:
    return (
        LogScale("smoothness", 1e-2, 1e2, at=(1.0,)),
        LogScale("radius", 1e-3, 1e3, at=(1.0,)),
        Choice("rounds", (float(T),)),
        Choice("reach", (reach,)),
        Choice("steepest", (steepest,)),
    )


def _bent_case(reach: float, steepest: float) -> Callable[..., Case]:
    def at(T: float) -> Case:
        space = Space(
            (
                Uniform("slopes", 0.1, steepest, (4,), at=(0.1, steepest)),
                Uniform("knots", 1e-3, 1.0, (2,), at=(0.25, 0.5, 1.0)),
                Uniform("start", -reach, reach, at=(-reach, reach)),
                *_common(T, reach, steepest),
            )
        )
        return Case(f"piecewise linear gradient in one dimension, T = {int(T)}", space, _bent, _BENT)

    return at


def _quadratic_case(reach: float, steepest: float) -> Callable[..., Case]:
    def at(T: float) -> Case:
        space = Space(
            (
                Uniform("spectrum", 0.1, steepest, (2,), at=(0.1, 2 / 3, steepest)),
                Signed("mirror", 1e-2, 1.0, (2,)),
                Uniform("start", -reach, reach, (2,), at=(-reach, 0.0, reach)),
                *_common(T, reach, steepest),
            )
        )
        return Case(f"quadratic in the plane, T = {int(T)}", space, _quadratic, _QUADRATIC)

    return at


def _families(low: int, high: int, *, reach: float = 1.0, steepest: float = 1.0) -> tuple[Family, ...]:
    rounds = (Size("T", low, high, low),)
    return (
        Family("piecewise linear gradients", rounds, _bent_case(reach, steepest)),
        Family("quadratics", rounds, _quadratic_case(reach, steepest)),
    )


_CASES = _families(1, 3)


def _program(n_rounds: int) -> ClassWorstCase:
    """The semidefinite program of T = `n_rounds` rounds at L = R = 1, its value beside the six digits printed."""

    def solve() -> WorstCase:
        return worst_case_fedavg([1.0], mu=0.1, L=1.0, local_lr=0.5, n_local_steps=1, n_rounds=n_rounds)

    return ClassWorstCase(f"T = {n_rounds}, L = R = 1", solve, float(_VALUES[n_rounds - 1]))


K29 = Claim(
    id="K29",
    kind=Kind.INEQUALITY,
    source="known truth",
    title="Gradient descent over a whole class",
    statement=(
        r"F(w_T)-F^*\le v_T\,LR^2,\qquad v_1=0.240346,\;v_2=0.152561,\;v_3=0.108607"
        r"\qquad(\mu=L/10,\;\eta=1/(2L),\;\|w_0-w^*\|\le R)"
    ),
    says="After T gradient steps the excess loss is at most the class's worst case (10⁻⁶ above its six digits).",
    assumes=("F L-smooth and L/10-strongly convex, not only quadratic", "step 1/(2L)", "‖w_0 − w*‖ <= R"),
    readings=(
        Reading(
            "as stated",
            "Functions of one variable with piecewise linear gradient, and quadratics in the plane; T = 1, 2, 3.",
            Inequality(WORST, _CASES, degrees=(1, 0)),
        ),
    ),
    canaries=(
        Canary(
            "the value of T + 1",
            Inequality(Bound(later * L * R**2), _families(1, 2)),
            "the value of T is attained, and the values fall with T",
        ),
        Canary(
            "any start",
            Inequality(WORST, _families(1, 3, reach=3.0)),
            "F = L/20·w² started 3R away is left with 0.45·0.95² L R² = 0.406 L R² after one step",
        ),
        Canary(
            "slopes up to 3L",
            Inequality(WORST, _families(1, 3, steepest=3.0)),
            "F = 3L/2·w² has 1 − ηλ = −1/2 and T = 1 leaves 3/8·L R² > 0.24·L R²",
        ),
        Canary(
            "the worst quadratic in place of the worst function",
            Inequality(Bound(sp.Rational(4, 27) * L * R**2), _families(1, 1)),
            "max λ/2·(1 − λ/2)² = 4/27 at λ = 2/3, below the 0.240 that a bent gradient attains at T = 1",
        ),
        Canary(
            "μ replaced by L",
            Inequality(Bound(sp.Rational(1, 4) ** T * L * R**2 / 2), _CASES),
            "for μ = L only F = L/2·w² is left, which has 1/2·(1/2)^(2T): 1/8 at T = 1, below 0.240",
        ),
    ),
    tight="slope L up to a knot, slope L/10 beyond it, the start at distance R",
    verdict_words=(
        "It holds: the semidefinite program bounds every function of the class in every dimension, and functions of one "
        "variable that bend once from slope L to slope μ come up to it."
    ),
    supremum=1.0,
    worst_cases=tuple(_program(n) for n in (1, 2, 3)),
)

CLAIMS: tuple[Claim, ...] = (K29,)
