"""Counterexample to FA-SREC.4.

Reading: for all vectors.
Vectors of one dimension: v, w.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

b = Fraction(0)
v = Fraction(1)
w = Fraction(-1)
hypotheses = [b >= 0, b <= 1]
left = (1 - b)**2*(v**2 - 2*v*w + w**2)
right = (1 - b)**2*(v**2 + w**2)
print(f"left side  = {left} = {float(left):.6g}")
print(f"right side = {right} = {float(right):.6g}")
violated = all(hypotheses) and left > right
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
