"""Counterexample to FA-C4.1.

Reading: constant other weights.
Family: constant other weights, from where they cancel (eta_g = 1, K = 1).
The form n/4 tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def other_weights(T: Any, eta_g: Any, K: Any) -> tuple[Any, Any]:
    """Two clients (x - m)^2/2, weights 1/4 and 3/4 against equal shares, from the point where the updates cancel."""
    eta_l = 1 / (8 * K)
    part = 1 - (1 - eta_l) ** int(K)
    x = Fraction(3, 4)
    for _ in range(3):
        x = x - eta_g * (Fraction(1, 4) * part * x + Fraction(3, 4) * part * (x - 1))
    slope = Fraction(1, 2) * x + Fraction(1, 2) * (x - 1)
    return slope * slope, slope * slope / 2 / (eta_l * eta_g * K * T)


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, other_weights(T=n, eta_g=Fraction(1), K=Fraction(1)))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = n/4
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
