"""Counterexample to EFL-C1b.

Reading: f₁(T)/J is of exactly this order.
Family: T and E grow (gamma = 64, C = 1, J = 1).
The form (n**4 + 128*n**2 + 4096)/n**3 tends to oo as n grows (claimed/lhs).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def threshold(T: Any, E: Any, gamma: Any, C: Any, J: Any) -> tuple[Fraction, Fraction]:
    """(f_1(T)/J with C~ = T C and tau_0 = 0, C/(J T E))."""
    return Fraction(T * C) / (E * T + gamma) ** 2 / J, Fraction(C) / (J * T * E)


confirmed = True
for n in map(Fraction, [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288]):
    *sides, claimed = map(Fraction, threshold(T=n, E=n, gamma=Fraction(64), C=Fraction(1), J=Fraction(1)))
    low, high = sides[0], sides[-1]
    quotient = claimed / high if high > 0 else float("inf")
    form = (n**4 + 128*n**2 + 4096)/n**3
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
