"""Counterexample to EFL-C1a.

Reading: f₀ → yᵃJ, rτ by its definition.
Family: H grows with the rounds (E = 1, gamma = 64, y = 1/10, J = 1).
The form (9*n - 64)/(10*n + 640) tends to 9/10 as n grows (|lhs − limit|).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def every_round(tau: Any, E: Any, gamma: Any, y: Any, J: Any) -> tuple[Fraction, Fraction]:
    """(H J/(tau E + gamma) with H = tau, since E[p s]/p^k differs in every round, the limit y J of the text)."""
    return Fraction(tau * J) / (tau * E + gamma), y * J


confirmed = True
for n in map(Fraction, [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768]):
    *sides, claimed = map(Fraction, every_round(tau=n, E=Fraction(1), gamma=Fraction(64), y=Fraction(1, 10), J=Fraction(1)))
    low, high = sides[0], sides[-1]
    quotient = max(Fraction(0), low - claimed, claimed - high)
    form = (9*n - 64)/(10*n + 640)
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
