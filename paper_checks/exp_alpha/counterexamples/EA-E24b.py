"""Counterexample to EA-E24b.

Reading: weights free at every step.
Vectors of one dimension: w, x, y.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

p1 = Fraction(1)
p2 = Fraction(0)
p3 = Fraction(0)
q1 = Fraction(1, 3)
q2 = Fraction(1, 3)
q3 = Fraction(1, 3)
w = Fraction(-1)
x = Fraction(1)
y = Fraction(-1)
hypotheses = [p1 + p2 + p3 == 1, p1 >= 0, p2 >= 0, p3 >= 0, q1 + q2 + q3 == 1, q1 >= 0, q2 >= 0, q3 >= 0]
left = q1*(p2**2*y**2 + 2*p2*p3*w*y - 2*p2*x*y*(1 - p1) + p3**2*w**2 - 2*p3*w*x*(1 - p1) + x**2*(1 - p1)**2) + q2*(p1**2*x**2 + 2*p1*p3*w*x - 2*p1*x*y*(1 - p2) + p3**2*w**2 - 2*p3*w*y*(1 - p2) + y**2*(1 - p2)**2) + q3*(p1**2*x**2 + 2*p1*p2*x*y - 2*p1*w*x*(1 - p3) + p2**2*y**2 - 2*p2*w*y*(1 - p3) + w**2*(1 - p3)**2)
right = q1*x**2 + q2*y**2 + q3*w**2
print(f"left side  = {left} = {float(left):.6g}")
print(f"right side = {right} = {float(right):.6g}")
violated = all(hypotheses) and left > right
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
