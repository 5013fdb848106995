"""Studies of EFL's Theorem 2: where the proof of (10) loses its factor, its constant, and what (11) rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paper_checks.efl.objective_shift import (
    ARRIVAL_TEST,
    DEPARTURE_TEST,
    EFL_T2A,
    EFL_T2B,
    plane_space,
    shift_constants,
    shift_exact,
)
from theory.exact import dot, quadratic_gradient, quadratic_optimum, rotated
from validation import Claim, Instance, Switch
from validation.statement.studies import AblationStudy, Chain, ConstantStudy, Hypothesis, Step, WaterfallStudy

__all__ = ["EFL_T2A_STUDIED", "EFL_T2B_STUDIED"]

Float = NDArray[np.float64]


def _bound(factor: float) -> Callable[[Instance], Float]:
    """The right side with another constant: factor · L n_a² D̂_a/(μ² n²)."""

    def value(x: Instance) -> Float:
        c = shift_constants(x)
        return np.asarray(factor * c["L"] * (c["n_a"] / c["n"]) ** 2 * c["D_hat"] / c["mu"] ** 2)

    return value


def _exact_bound(factor: int) -> Callable[[Mapping[str, Any]], Fraction]:
    def value(x: Mapping[str, Any]) -> Fraction:
        _, c = shift_exact(x)
        return Fraction(factor) * c["L"] * (c["n_a"] / c["n"]) ** 2 * c["D_hat"] / c["mu"] ** 2

    return value


def _shift(x: Instance) -> Float:
    return np.asarray(shift_constants(x)["lhs"])


def _exact_shift(x: Mapping[str, Any]) -> Fraction:
    return Fraction(shift_exact(x)[1]["lhs"])


def _gradient(x: Instance) -> Float:
    """(n_a‖∇F_a(ω̂*)‖/(n μ))²: strong convexity of the objective that is left behind, used once."""
    c = shift_constants(x)
    return np.asarray((c["n_a"] / c["n"]) ** 2 * c["slope"] / c["mu"] ** 2)


def _exact_gradient(x: Mapping[str, Any]) -> Fraction:
    tilts = x.get("tilt", [Fraction(0)] * len(x["spectrum"]))
    A = [rotated(spectrum, tilt) for spectrum, tilt in zip(x["spectrum"], tilts, strict=True)]
    without = quadratic_optimum([*x["share"], Fraction(0)], A, x["optimum"])
    g = quadratic_gradient(A[-1], x["optimum"][-1], without)
    _, c = shift_exact(x)
    return Fraction((c["n_a"] / c["n"]) ** 2 * dot(g, g) / c["mu"] ** 2)


def _admissible(x: Instance) -> NDArray[np.bool_]:
    return np.asarray(shift_constants(x)["admissible"], dtype=np.bool_)


_PROOF = Chain(
    "departure of a client, quadratics in the plane",
    plane_space(arriving=False),
    (
        Step("squared shift", _shift, _exact_shift),
        Step("(n_a‖∇F_a‖/(nμ))²", _gradient, _exact_gradient, "μ-strong convexity of the whole objective"),
        Step("2L n_a² D̂_a/(μ²n²)", _bound(2.0), _exact_bound(2), "‖∇F_a‖² <= 2L D̂_a"),
        Step("8L n_a² D̂_a/(μ²n²)", _bound(8.0), _exact_bound(8), "as printed"),
    ),
    _admissible,
)


def _small(x: Instance) -> Instance:
    return {**x, "size_ratio": np.minimum(x["size_ratio"], 1.0)}


EFL_T2A_STUDIED: Claim = replace(
    EFL_T2A,
    studies=(
        WaterfallStudy("Where the proof of (10) gives away its factor", _PROOF),
        ConstantStudy("How small the constant 8 could be", DEPARTURE_TEST),
    ),
)
EFL_T2B_STUDIED: Claim = replace(
    EFL_T2B,
    studies=(
        AblationStudy(
            "Whether n_a <= n is needed",
            ARRIVAL_TEST,
            (
                Hypothesis(
                    "n_a <= n",
                    "the arriving client holds at most as many samples as the others together",
                    Switch("n_a <= n", "n_a <= n", _small),
                ),
            ),
        ),
    ),
)
