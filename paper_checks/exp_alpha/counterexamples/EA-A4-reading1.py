"""Counterexample to EA-A4.

Reading: at every point of space, as A1 and A2 are.
Family: away from the client's optimum (mu = 1/10, sigma = 0).
The form n**2/100 tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def second_moment(distance: Any, mu: Any, sigma: Any) -> tuple[Fraction, Fraction]:
    """E |grad f|^2 of a client of curvature mu, at this distance from its optimum, noise variance sigma^2; against 1."""
    return Fraction((mu * distance) ** 2 + sigma**2), Fraction(1)


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, second_moment(distance=n, mu=Fraction(1, 10), sigma=Fraction(0)))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = n**2/100
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
