"""Counterexample to SSA-S24.

Reading: as printed.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

A = Fraction(1, 2)
C = Fraction(1, 2)
W_D = Fraction(1, 2)
left = -2*A*C/(1 - C) - A*W_D + 1
right = (-2*A*C - C - W_D*(1 - C) + 1)/(1 - C)
print(f"left side  = {left}")
print(f"right side = {right}")
print("violated" if left != right else "NOT violated")
raise SystemExit(0 if left != right else 1)
