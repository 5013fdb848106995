"""Counterexample to FA-TAB1.4.

Reading: for all x.
Family: far from two clients.
The form n tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

def two_slopes(R: Fraction) -> tuple[Fraction, Fraction]:
    """The mean of |grad f_i| at x = R for (x - 1)^2/2 and (x + 1)^2/2, and the constant 1."""
    return (abs(R - 1) + abs(R + 1)) / 2, Fraction(1)


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, two_slopes(R=n))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = n
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
