"""Counterexample to FA-AA.1.

Reading: for the weights of the objective, along a run.
Family: two clients pulling apart.
The form n tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

def opposite(T: Fraction) -> tuple[Fraction, Fraction]:
    """|g_1|^2 and |G|^2 in round T of FedAvg, K = 1, eta = 1/2, on (x - 1)^2/2 and (x + 1)^2/2 from x = 1."""
    x = Fraction(1, 2 ** int(T))
    return ((x - 1) / 2) ** 2, (((x - 1) + (x + 1)) / 4) ** 2


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256]):
    *sides, claimed = map(Fraction, opposite(T=n))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = n
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
