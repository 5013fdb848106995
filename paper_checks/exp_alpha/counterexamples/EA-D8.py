"""Counterexample to EA-D8.

Reading: γ of A.9, the condition from t = 0.
Instance: γ of A.9, first step 0.
Claimed: The step sizes chosen are those that the proof asks for.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def needs_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """What A.9 asks of eta_t = (2/mu)/(gamma + t), in units of 1/mu; kind 0: gamma = L/mu, 1: A.9, 2: max(8 kappa, E)."""
    kappa, E, t = x["kappa"], x["E"], x["t"]
    gamma = kappa if x["kind"] == 0 else max(8 * kappa, E) - (1 if x["kind"] == 1 else 0)
    short = 2 / (gamma + x["start"]) - 1 / (4 * kappa)
    halved = 2 / (gamma + t) - 2 * (2 / (gamma + t + E))
    met = {"kappa >= 1, E >= 1, t >= 0": kappa >= 1 and E >= 1 and t >= 0}
    if x["rounds"] == 0:
        met["E <= 8 kappa - 1"] = 8 * kappa - 1 >= E
    return met, {"lhs": max(short, halved), "nothing": Fraction(0)}


INSTANCE = {
    'kappa': Fraction(1),
    'E': Fraction(1),
    't': Fraction(0),
    'kind': Fraction(1),
    'start': Fraction(0),
    'rounds': Fraction(1),
}
hypotheses, constants = needs_exact(INSTANCE)
nothing = constants["nothing"]
lhs = constants["lhs"]
rhs = Fraction(nothing)
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
