"""Counterexample to EFL-A4.

Reading: at every model.
Family: away from the optimum (mu = 1).
The form n**2 tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def moment_away(distance: Any, mu: Any) -> tuple[Fraction, Fraction]:
    """(|grad F_k(w)|^2 at w = w_k* + distance for curvature mu, 1)."""
    return Fraction(mu * distance) ** 2, Fraction(1)


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, moment_away(distance=n, mu=Fraction(1)))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = n**2
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
