"""Counterexample to EA-S3.

Reading: γ = L/μ.
Instance: γ = L/μ.
Claimed: Every step of the run is at most 1/(4L), as Lemma 1 needs.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def theorem_steps_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """eta_t in units of 1/mu, gamma = L/mu."""
    met = {"kappa >= 1, E >= 1, t >= 0": x["kappa"] >= 1 and x["E"] >= 1 and x["t"] >= 0}
    return met, {"lhs": 2 / (x["kappa"] + x["t"]), "kappa": x["kappa"]}


INSTANCE = {
    'kappa': Fraction(1),
    'E': Fraction(1),
    't': Fraction(0),
}
hypotheses, constants = theorem_steps_exact(INSTANCE)
kappa = constants["kappa"]
lhs = constants["lhs"]
rhs = Fraction(1/(4*kappa))
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
