"""Counterexample to SSA-CA8.

Reading: the right side of A.5, constants free of τ, every T >= 4τL².
Family: T = 6τ − 5, A = 1 (A = 1).
The form n tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

def least_rounds(tau: Fraction, T: Fraction, A: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """T >= 4 tau L^2 and no more: bounds of the right side, and 1/tau + 1/T + tau/T, which is above the claimed order.

    As T >= tau, 1/sqrt(tau T) <= 1/tau: T_1 and T_3 lie between 0 and 4/tau together.
    """
    C = 2 * (tau - 1) / T
    rest, D = 2 * (tau - 1) / (tau * T) + 2 * C, 1 - C - 2 * A * C
    return rest / D, (rest + 4 / tau) / D, 1 / tau + 1 / T + tau / T


confirmed = True
for n in map(Fraction, [32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768]):
    *sides, claimed = map(Fraction, least_rounds(tau=n, T=6*n - 5, A=Fraction(1)))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = n
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
