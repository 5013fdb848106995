"""Counterexample to EA-E23.

Reading: in expectation, any joint law.
Vectors of one dimension: u, v, w.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

r = Fraction(3, 5)
p = Fraction(1, 3)
q = Fraction(1, 3)
s = Fraction(1, 3)
u = Fraction(1)
v = Fraction(1)
w = Fraction(1)
hypotheses = [r >= 0, r <= 1, p + q + s == 1, p >= 0, q >= 0, s >= 0]
left = r*(p**2*u**2 + 2*p*q*u*v + 2*p*s*u*w + q**2*v**2 + 2*q*s*v*w + s**2*w**2) + (1 - r)*(p**2*u**2 + q**2*v**2 + s**2*w**2)
right = p**2*u**2 + q**2*v**2 + s**2*w**2
print(f"left side  = {left} = {float(left):.6g}")
print(f"right side = {right} = {float(right):.6g}")
violated = all(hypotheses) and left > right
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
