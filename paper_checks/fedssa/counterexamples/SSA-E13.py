"""Counterexample to SSA-E13.

Reading: weights of any sum.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

eta = Fraction(1)
g1 = Fraction(1)
g2 = Fraction(1)
g3 = Fraction(1)
g4 = Fraction(1)
theta = Fraction(1)
w1 = Fraction(1)
w2 = Fraction(1)
left = -theta + w1*(-eta*(g1 + g2) + theta) + w2*(-eta*(g3 + g4) + theta)
right = -2*eta*(w1*(g1/2 + g2/2) + w2*(g3/2 + g4/2))
print(f"left side  = {left}")
print(f"right side = {right}")
print("violated" if left != right else "NOT violated")
raise SystemExit(0 if left != right else 1)
