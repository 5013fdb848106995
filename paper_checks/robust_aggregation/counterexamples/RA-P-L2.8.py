"""Counterexample to RA-P-L2.8.

Reading: step sizes of Corollary 1.
Instance: step sizes of Corollary 1.
Claimed: The step size at the start of a round is at most twice the one at t.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def harmonic_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Step sizes 1/(mu (t + 4L/mu)), mu = 1, at the first and at the last step of a round; G = 1."""
    E, gamma = x["local_steps"], 4 * x["kappa"]
    start = x["round"] * E
    eta0, eta = 1 / (start + gamma), 1 / (start + E - 1 + gamma)
    met = {
        "kappa = L/mu >= 1": x["kappa"] >= 1,
        "E <= gamma + 1 where that is required": x["short"] == 0 or gamma + 1 >= E,
    }
    return met, {"lhs": 4 * eta0**2 * E**2, "eta": eta, "eta0": eta0, "E": E, "G2": Fraction(1)}


INSTANCE = {
    'local_steps': Fraction(9),
    'round': Fraction(0),
    'kappa': Fraction(1),
    'short': Fraction(0),
}
hypotheses, constants = harmonic_exact(INSTANCE)
E = constants["E"]
G2 = constants["G2"]
eta = constants["eta"]
lhs = constants["lhs"]
rhs = Fraction(16*E**2*G2*eta**2)
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
