"""Counterexample to EFL-E42.

Reading: C₁ the last two terms of (39).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

L = Fraction(1)
a1 = Fraction(1)
a2 = Fraction(1)
eta = Fraction(1)
m1 = Fraction(1)
m2 = Fraction(1)
s1 = Fraction(1)
s2 = Fraction(2)
theta = Fraction(1)
w1 = Fraction(1)
w2 = Fraction(1)
left = L*eta**2*(2*theta + 2)*(w1*(a1 - m1) + w2*(a2 - m2)) - 2*eta*(w1*(a1 - m1) + w2*(a2 - m2))
right = -2*eta*(w1*(a1 - m1) + w2*(a2 - m2))*(-L*eta*(theta + 1) + 1) + 2*eta*(w1*(-m1 + s1) + w2*(-m2 + s2))
print(f"left side  = {left}")
print(f"right side = {right}")
print("violated" if left != right else "NOT violated")
raise SystemExit(0 if left != right else 1)
