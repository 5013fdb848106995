"""Counterexample to RA-Q7.

Reading: nothing is lost in the bounds that follow.
Family: two clients, weights (1 − ε, ε).
The form 5*n/4 - 3/2 tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def thirteen_at(eps: Any) -> tuple[Any, Any]:
    """The right side of (13) for two equal shares and weights (1 - eps, eps), all constants 1, against 1."""
    low, high = 2 * eps, 2 * (1 - eps)
    return (1 + 1 / low) / 2 + (high - low) / low, Fraction(1)


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, thirteen_at(eps=1/n))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = 5*n/4 + Fraction(-3, 2)
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
