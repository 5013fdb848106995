"""Counterexample to SSA-S24.

Reading: as printed.
Vectors of one dimension: g.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

A = Fraction(1000)
C = Fraction(0)
W = Fraction(1)
g = Fraction(1)
hypotheses = [A >= 0, C >= 0, W >= 0, C <= 1]
left = g**2*(2*A*C + (C - 1)*(-A*W + 1))
right = g**2*(2*A*C + C + W*(1 - C) - 1)
print(f"left side  = {left} = {float(left):.6g}")
print(f"right side = {right} = {float(right):.6g}")
violated = all(hypotheses) and left > right
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
