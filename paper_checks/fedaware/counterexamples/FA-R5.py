"""Counterexample to FA-R5.

Reading: with noise, ρ conditional on the model.
Family: one noisy client.
The form 1/3008 tends to 1/3008 as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

def noisy(T: Fraction) -> tuple[Fraction, Fraction]:
    """Mean over t < T of E|E[G^t | x^t]|^2, one client x^2/2, eta_l = 1/8, eta_g = 1/3, noise and x^0 +-1; and 1."""
    keep = Fraction(23, 24) ** 2
    limit = Fraction(1, 24) ** 2 / (1 - keep)  # of E (x^t)^2 = limit + keep^t (1 - limit)
    falling = sum(keep**t for t in range(min(int(T), 60)))
    return (limit + (1 - limit) * falling / T) / 64, Fraction(1)


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, noisy(T=n))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = Fraction(1, 3008)
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
