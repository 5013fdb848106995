"""Counterexample to EFL-C1a.

Reading: f₀ → yᵃJ, Hτ = yᵃτ.
Family: H grows with the rounds (E = 2, gamma = 64, y = 1/10, J = 1).
The form (n + 64)/(20*n + 640) tends to 1/20 as n grows (|lhs − limit|).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def second_term(tau: Any, E: Any, gamma: Any, y: Any, J: Any) -> tuple[Fraction, Fraction]:
    """(H J/(tau E + gamma) with H = y tau, the limit y J of the text)."""
    return Fraction(y * tau * J) / (tau * E + gamma), y * J


confirmed = True
for n in map(Fraction, [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768]):
    *sides, claimed = map(Fraction, second_term(tau=n, E=Fraction(2), gamma=Fraction(64), y=Fraction(1, 10), J=Fraction(1)))
    low, high = sides[0], sides[-1]
    quotient = max(Fraction(0), low - claimed, claimed - high)
    form = (n + 64)/(20*n + 640)
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
