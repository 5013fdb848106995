"""Counterexample to FA-SREC.1.

Reading: participation random, 0 < p < 1.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

alpha = Fraction(1, 10)
p = Fraction(1, 10)
left = p*(1 - alpha)**2 - p + 1
right = (-alpha*p + 1)**2
print(f"left side  = {left}")
print(f"right side = {right}")
print("violated" if left != right else "NOT violated")
raise SystemExit(0 if left != right else 1)
