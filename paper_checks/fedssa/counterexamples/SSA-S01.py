"""Counterexample to SSA-S01.

Reading: as printed.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

L = Fraction(1)
N1 = Fraction(1)
N2 = Fraction(1)
eta = Fraction(1)
tau = Fraction(1)
left = -L*N2*eta**2*tau**2/2 - N1*eta*tau
right = L*N2*eta**2*tau**2/2 - N1*eta*tau
print(f"left side  = {left}")
print(f"right side = {right}")
print("violated" if left != right else "NOT violated")
raise SystemExit(0 if left != right else 1)
