"""Counterexample to SSA-E31.

Reading: weights of sum one, any sign.
Vectors of one dimension: a1, a2.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

c = Fraction(-2)
a1 = Fraction(1)
a2 = Fraction(-1)
hypotheses = [c >= -2, c <= 3]
left = a1**2*c**2 + 2*a1*a2*c*(1 - c) + a2**2*(1 - c)**2
right = a1**2*c + a2**2*(1 - c)
print(f"left side  = {left} = {float(left):.6g}")
print(f"right side = {right} = {float(right):.6g}")
violated = all(hypotheses) and left > right
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
