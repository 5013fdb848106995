"""Steps of the proof E.2 on the local drift: solving for it, and what the step size condition gives."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedssa.step_constants import DEGREES, SQUARES, step_coordinates, steps, steps_exact
from validation import (
    Bound,
    Case,
    Claim,
    ExactCheck,
    Inequality,
    Instance,
    LogScale,
    Property,
    Space,
    symbols,
    units,
)
from validation.world.stated import stated

__all__ = ["CLAIMS"]

tau, eta, L, noise, C, own2 = symbols("tau eta L noise C own2")


def _drift(x: Instance) -> Mapping[str, Any]:
    """A drift X between 0 and 10 times a + CX + CGₖ's solution, where it obeys X <= a + CX + CGₖ."""
    c = steps(x)
    a = (c["tau"] - 1) * (c["eta"] * c["L"]) ** 2 * x["noise"]
    X = x["part"] * (a + c["C"] * x["own2"])
    return {
        **c,
        "noise": x["noise"],
        "own2": x["own2"],
        "lhs": X,
        "admissible": (a + c["C"] * (X + x["own2"]) >= X) & (c["tau"] > 1),
    }


def drift_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Any number X with X <= (tau - 1) L^2 eta^2 sigma^2 + C X + C G_k."""
    met, c = steps_exact(x)
    a = (c["tau"] - 1) * c["L"] ** 2 * c["eta"] ** 2 * x["noise"]
    X = x["part"] * (a + c["C"] * x["own2"])
    met = {**met, "(46)": a + c["C"] * X + c["C"] * x["own2"] >= X, "tau > 1": c["tau"] > 1}
    return met, {**c, "noise": x["noise"], "own2": x["own2"], "lhs": X}


def _drifts(*flags: str) -> Case:
    drawn = Space(
        (*step_coordinates(*flags), LogScale("own2", 1e-4, 1e4, at=(1.0,)), LogScale("part", 1e-1, 1e1, at=(1.0, 2.0)))
    )
    same = (units(SQUARES),)
    return Case("one drift", drawn, _drift, ExactCheck(drift_exact, (steps_exact,)), symmetries=same)


def solved_again(tau: Any, eta: Any, L: Any, noise: Any, own2: Any) -> Any:
    """(48) over its denominator."""
    a = (eta * L) ** 2
    return ((tau - 1) * a * noise + 2 * tau * (tau - 1) * a * own2) / (1 - 2 * tau * (tau - 1) * a)


_C = 2 * tau * (tau - 1) * eta**2 * L**2
_LINE48 = (tau - 1) * eta**2 * noise * L**2 / (1 - _C) + _C / (1 - _C) * own2
_S14 = Inequality(Bound(_LINE48, solved_again, DEGREES), (_drifts(),), degrees=(2, -2))
S14 = stated(
    r"""SSA-S14 (step; (46) to (48)): Solving for the drift
    Print: X\le(\tau-1)L^2\eta^2\sigma^2+CX+CG_k\ \Rightarrow\ X\le\frac{(\tau-1)\eta^2\sigma^2L^2}{1-C}+\frac C{1
      -C}G_k
    Plainly: The drift's bound in terms of itself is solved for the drift.
    Assumes: C = 2τ(τ−1)η²L² < 1, which ηL <= 1/(2τ) gives (SSA-S20)
    Reading: as printed | Any X that obeys (46); τ up to 300.
    Mutant: C < 1 removed | for C >= 1 every X obeys (46) and the right side is negative
    Mutant: without the division | X = a/(1 − C) obeys X <= a + CX and exceeds a
    Tight: equality in (46)
    Rests on: SSA-S13, SSA-S20
    Verdict: True for C < 1. The condition is needed and follows from the theorem's step size.""",
    _S14,
    mutants={
        "C < 1 removed": Inequality(Bound(_LINE48, degrees=DEGREES), (_drifts("far"),), degrees=(2, -2)),
        "without the division": Inequality(Bound(_LINE48 * (1 - _C), degrees=DEGREES), (_drifts(),), degrees=(2, -2)),
    },
)


def _sizes(x: Instance) -> Mapping[str, Any]:
    """C, with `whole` the larger of C − (1 − 1/τ)/2 and C(1 + 2A) − 1."""
    c = steps(x)
    half = (1 - 1 / c["tau"]) / 2
    lhs = np.maximum(c["C"] - half, c["C"] * (1 + 2 * x["A"]) - 1) if "whole" in x else c["C"]
    met = c["C"] * (1 + 2 * x["A"]) < 1 if "kept" in x else np.ones(len(half), dtype=bool)
    return {**c, "lhs": lhs, "admissible": met, "magnitude": 1 + x["A"]}


def sizes_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """C = 2 tau (tau - 1) eta^2 L^2, against (1 - 1/tau)/2, and against 1/(1 + 2 A)."""
    met, c = steps_exact(x)
    C, A = c["C"], x["A"]
    met = {**met, "C (1 + 2 A) < 1 where that is asked": "kept" not in x or C * (1 + 2 * A) < 1, "A > 0": A > 0}
    return met, {**c, "lhs": max(C - (1 - 1 / c["tau"]) / 2, C + 2 * A * C - 1) if "whole" in x else C}


def _step_case(*flags: str) -> Case:
    drawn = Space((*step_coordinates(*flags), LogScale("A", 1e-2, 1e2, at=(1.0,))))
    check = ExactCheck(sizes_exact, (steps_exact,))
    return Case("step sizes", drawn, _sizes, check, symmetries=(units(SQUARES),))


def half_again(tau: Any) -> Any:
    """(1 − 1/τ)/2."""
    return (1 - 1 / tau) / 2


_HALF = Bound((tau - 1) / (2 * tau), half_again, {"tau": (0, 0)})
S20 = stated(
    r"""SSA-S20 (step; Theorem A.5, (48), (49), (55)): What the step size condition gives
    Print: \eta L\le\tfrac1{2\tau}\ \Rightarrow\ C\le\tfrac{\tau-1}{2\tau}<1
    Plainly: The theorem's step size makes C at most (τ − 1)/(2τ), so smaller than 1, as printed.
    Assumes: C = 2τ(τ−1)η²L² | A > 0
    Reading: as needed | Ours, the second half: C <= (τ − 1)/(2τ) and 1 − C − 2AC >= 0. | part: 1 − C − 2AC > 0 |
      ours: the theorem prints C < 1 and never says that its denominator is positive; asked here is what its use needs
    Reading: 2(1 + 2A)τ(τ−1)η²L² < 1 | The denominator's own condition on the step. | part: 1 − C − 2AC > 0 |
      condition: 2(1 + 2A)τ(τ − 1)η²L² < 1
    Reading: C alone | C <= (τ − 1)/(2τ). | part: C < 1
    Mutant: ηL <= 1/τ | at ηL = 1/τ C is four times as large
    Mutant: C at most a third | C tends to 1/2 with τ
    Tight: ηL = 1/(2τ)
    Rests on: SSA-A1
    Verdict: It holds: the theorem's step gives C <= (τ − 1)/(2τ) < 1/2, so that every division by 1 − C is sound.
      That 1 − C − 2AC > 0, too, is printed nowhere; it is what the use of the theorem at w = p needs, and it does not
      follow: at ηL = 1/(2τ) and A = 1, the least that A.4 allows with unbounded gradients, 1 − C − 2AC = (3 −
      τ)/(2τ), not positive from τ = 3 on. In general τηL has to be below about 1/√(2 + 4A). With the experiments' τ
      in the thousands the theorem says nothing at its own largest step. The sign is counted at SSA-TA5.""",
    Property((_step_case("whole"),), degrees=(0, 0)),
    readings={
        "2(1 + 2A)τ(τ−1)η²L² < 1": Property((_step_case("whole", "kept"),), degrees=(0, 0)),
        "C alone": Inequality(_HALF, (_step_case(),), degrees=(0, 0)),
    },
    mutants={
        "ηL <= 1/τ": Inequality(_HALF, (_step_case("far"),), degrees=(0, 0)),
        "C at most a third": Inequality(Bound(sp.Rational(1, 3), degrees={}), (_step_case(),), degrees=(0, 0)),
    },
)

CLAIMS: tuple[Claim, ...] = (S14, S20)
