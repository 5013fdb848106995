"""Counterexample to FA-C4.1.

Reading: the objective's own weights.
Family: FedAvg from its fixed point (eta_g = 1, K = 2).
The form 3*n/16 tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def fixed_point(T: Any, eta_g: Any, K: Any) -> tuple[Any, Any]:
    """Two clients of curvature 1 and 1/2, FedAvg from its own fixed point: (best squared gradient, F*/(eta K T))."""
    h, m, half = (Fraction(1), Fraction(1, 2)), (Fraction(0), Fraction(1)), Fraction(1, 2)
    eta_l = 1 / (8 * K)
    part = [1 - (1 - eta_l * y) ** int(K) for y in h]
    x = sum(p * y for p, y in zip(part, m, strict=True)) / sum(part)
    for _ in range(3):
        G = sum(half * p * (x - y) for p, y in zip(part, m, strict=True))
        x = x - eta_g * G
    slope = sum(half * a * (x - y) for a, y in zip(h, m, strict=True))
    best = sum(a * y for a, y in zip(h, m, strict=True)) / sum(h)
    gap = sum(half * a * (x - best) ** 2 / 2 for a in h)
    return slope * slope, gap / (eta_l * eta_g * K * T)


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, fixed_point(T=n, eta_g=Fraction(1), K=Fraction(2)))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = 3*n/16
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
