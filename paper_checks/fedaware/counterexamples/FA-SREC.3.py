"""Counterexample to FA-SREC.3.

Reading: for all vectors.
Vectors of one dimension: u, v, w.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

b = Fraction(0)
u = Fraction(1)
v = Fraction(-1)
w = Fraction(0)
hypotheses = [b >= 0, b <= 1]
left = (1 - b)**2*(u**2 - 2*u*v + v**2)
right = (1 - b)**2*(u**2 - 2*u*w + v**2 - 2*v*w + 2*w**2)
print(f"left side  = {left} = {float(left):.6g}")
print(f"right side = {right} = {float(right):.6g}")
violated = all(hypotheses) and left > right
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
