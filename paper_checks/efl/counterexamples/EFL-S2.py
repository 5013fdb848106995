"""Counterexample to EFL-S2.

Reading: the number of such rounds in O(τ).
Family: every tenth round (E = 1, J = 1).
The form n/(10*n + 1) tends to 1/10 as n grows (|lhs − limit|).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def inactive_term(tau: Any, count: Any, E: Any, J: Any) -> tuple[Fraction, Fraction]:
    """(sum_{t < tau} y_t J/(tau E + E^2) with `count` of the y_t equal to 1, its limit 0)."""
    return Fraction(count * J) / (tau * E + E**2), Fraction(0)


confirmed = True
for n in map(Fraction, [8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, inactive_term(tau=10*n, count=n, E=Fraction(1), J=Fraction(1)))
    low, high = sides[0], sides[-1]
    quotient = max(Fraction(0), low - claimed, claimed - high)
    form = n/(10*n + 1)
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
