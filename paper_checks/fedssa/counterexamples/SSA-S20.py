"""Counterexample to SSA-S20.

Reading: as needed.
Instance: step sizes.
Claimed: The theorem's step size makes C smaller than 1/2 and, with w = p, the denominator positive.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def steps_exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
    """tau, eta, L and C = 2 tau (tau - 1) eta^2 L^2."""
    t, L = x["local_steps"], x["L"]
    eta = x["reach"] / (t * L)
    met = {"tau >= 1, eta > 0": t >= 1 and eta > 0 and L > 0, "eta L <= 1/(2 tau)": "far" in x or 2 * t * eta * L <= 1}
    return met, {"tau": Fraction(t), "eta": eta, "L": L, "C": 2 * t * (t - 1) * eta**2 * L**2}


def sizes_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """C = 2 tau (tau - 1) eta^2 L^2, against (1 - 1/tau)/2, and against 1/(1 + 2 A)."""
    met, c = steps_exact(x)
    C, A = c["C"], x["A"]
    met = {**met, "C (1 + 2 A) < 1 where that is asked": "kept" not in x or C * (1 + 2 * A) < 1, "A > 0": A > 0}
    return met, {**c, "lhs": max(C - (1 - 1 / c["tau"]) / 2, C + 2 * A * C - 1) if "whole" in x else C}


INSTANCE = {
    'local_steps': Fraction(2),
    'reach': Fraction(1, 2),
    'L': Fraction(1),
    'noise': Fraction(1),
    'whole': Fraction(1),
    'A': Fraction(2),
}
hypotheses, constants = sizes_exact(INSTANCE)
lhs = constants["lhs"]
rhs = Fraction(0)
for name, met in hypotheses.items():
    print(f"hypothesis {name}: {met}")
for side, value in (("left side ", lhs), ("right side", rhs)):
    short = max(abs(value.numerator), value.denominator) < 10**60
    try:
        about = f"{float(value):.6g}"
    except OverflowError:
        about = "beyond the range of floats"
    print(f"{side} = {value} = {about}" if short else f"{side} = about {about}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
