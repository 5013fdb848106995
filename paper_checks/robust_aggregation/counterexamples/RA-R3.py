"""Counterexample to RA-R3.

Reading: the bound of Corollary 1.
Family: ρ̃ = 2ρ̄ (ratio = 2).
The form (8*n**2 + 194*n)/(3*n + 12) tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def bound_at(T: Any, ratio: Any) -> tuple[Any, Any]:
    """V/(T + gamma) + E with all constants 1 and rho_best = ratio * rho, rho = 1."""
    return (44 + 8 + 2) / (T + 4) + Fraction(8, 3) * (ratio - 1), 1 / T


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, bound_at(T=n, ratio=Fraction(2)))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = (8*n**2 + 194*n)/(3*n + 12)
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
