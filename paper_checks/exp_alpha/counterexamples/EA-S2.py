"""Counterexample to EA-S2.

Reading: as printed.
Instance: κ, E and t.
Claimed: With γ = max{8L/μ, E} − 1 the step size never falls by more than a half within E steps.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def step_sizes_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """eta_t and eta_(t+E) in units of 1/mu, gamma = max(8 kappa, E) - 1."""
    gamma = max(8 * x["kappa"], x["E"]) - 1
    hypotheses = {"kappa = L/mu >= 1": x["kappa"] >= 1, "E >= 1": x["E"] >= 1, "t >= 0": x["t"] >= 0}
    return hypotheses, {"lhs": 2 / (gamma + x["t"]), "eta_later": 2 / (gamma + x["t"] + x["E"])}


INSTANCE = {
    'kappa': Fraction(1),
    'E': Fraction(8),
    't': Fraction(0),
}
hypotheses, constants = step_sizes_exact(INSTANCE)
eta_later = constants["eta_later"]
lhs = constants["lhs"]
rhs = Fraction(2*eta_later)
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
