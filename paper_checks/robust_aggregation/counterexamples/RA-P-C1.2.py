"""Counterexample to RA-P-C1.2.

Reading: one number for all t.
Instance: all constants.
Claimed: ψ is a well-defined, non-negative number, the same for all t.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def psi_value(x: Mapping[str, Any], t: Any) -> tuple[Any, Any]:
    """Both numbers in ψ at t; beta = (1 + excess)/(mu B)."""
    b = (1 + x["excess"]) / (x["mu"] * x["B"])
    return x["gamma"] * x["D0"], (b**2 * x["C"] + x["sign"] * x["size"] * b * (t + x["gamma"])) / (
        b * x["mu"] * x["B"] - 1
    )


def psi_moves_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """How far psi at t is from psi at 0."""
    met = {"beta > 1/(mu B), gamma > 0": x["excess"] > 0 and min(x["mu"], x["B"], x["gamma"]) > 0}
    return met, {"lhs": abs(max(psi_value(x, x["t"])) - max(psi_value(x, 0)))}


INSTANCE = {
    'B': Fraction(1),
    'mu': Fraction(1),
    'excess': Fraction(1),
    'C': Fraction(1),
    'size': Fraction(1),
    'D0': Fraction(1),
    'gamma': Fraction(1),
    't': Fraction(1),
    'sign': Fraction(-1),
}
hypotheses, constants = psi_moves_exact(INSTANCE)
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
