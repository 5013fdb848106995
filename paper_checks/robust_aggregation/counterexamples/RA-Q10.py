"""Counterexample to RA-Q10.

Reading: the bounds depend only on π.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

Gamma = Fraction(1)
L = Fraction(1)
mu = Fraction(1)
pi = Fraction(1)
left = 8*Gamma*L*(-2 + 2/pi)/(3*mu)
right = 8*Gamma*L*(-2 + 4/pi)/(3*mu)
print(f"left side  = {left}")
print(f"right side = {right}")
print("violated" if left != right else "NOT violated")
raise SystemExit(0 if left != right else 1)
