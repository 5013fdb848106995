"""Counterexample to EFL-E17.

Reading: cross terms squared, as printed.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

a = Fraction(1)
b = Fraction(1)
c = Fraction(1)
p1 = Fraction(1)
p2 = Fraction(1)
p3 = Fraction(2)
left = (a*p1 + b*p2 + c*p3)**2
right = 2*a**2*b**2*p1**2*p2**2 + 2*a**2*c**2*p1**2*p3**2 + a**2*p1**2 + 2*b**2*c**2*p2**2*p3**2 + b**2*p2**2 + c**2*p3**2
print(f"left side  = {left}")
print(f"right side = {right}")
print("violated" if left != right else "NOT violated")
raise SystemExit(0 if left != right else 1)
