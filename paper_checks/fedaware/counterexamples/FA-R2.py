"""Counterexample to FA-R2.

Reading: Ψ falling with T, as Property 4.1 has it.
Family: Ψ = 1/T.
The form n tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

def least_bound(Psi: Fraction, T: Fraction) -> tuple[Fraction, Fraction]:
    """min over eta of 1/(eta T) + eta Psi is 2 sqrt(Psi/T), here a lower bound from squares, and Psi/sqrt(T)."""
    low, high = Fraction(0), Fraction(4)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * middle <= 4 * Psi / T else (low, middle)
    root, top = Fraction(0), T
    for _ in range(200):
        middle = (root + top) / 2
        root, top = (middle, top) if middle * middle <= T else (root, middle)
    return low, Psi / root


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, least_bound(Psi=n**(-2), T=n**2))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = n
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
