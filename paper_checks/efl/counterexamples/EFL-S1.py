"""Counterexample to EFL-S1.

Reading: C = O(τ), any participation that A6 allows.
Family: rounds.
The form 640*n + 640 tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def dwindling_c(tau: Any) -> tuple[Fraction, Fraction]:
    """(what C_tau adds to C_0, tau): one client with E = 1 that takes part in round t with chance 1/(t + 1); the rest as before."""
    added = Fraction(0)
    for t in range(int(tau)):
        m = Fraction(1, t + 1)
        added = added + 256 * (m + 2 * 2 * m) / m**2
    return added, Fraction(tau)


confirmed = True
for n in map(Fraction, [8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, dwindling_c(tau=n))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = 640*n + 640
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
