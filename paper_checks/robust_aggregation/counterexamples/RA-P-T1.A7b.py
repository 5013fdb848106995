"""Counterexample to RA-P-T1.A7b.

Reading: from the line before, as printed.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

Gamma = Fraction(1)
n1 = Fraction(1)
n2 = Fraction(1)
over1 = Fraction(1)
over2 = Fraction(1)
star1 = Fraction(1)
star2 = Fraction(1)
left = 2*Gamma - n1*star1/(n1 + n2) - n2*star2/(n1 + n2) + over1 + over2 + star1 + star2
right = -n1*star1/(n1 + n2) + n1*(Gamma + over1 + star1)/(n1 + n2) - n2*star2/(n1 + n2) + n2*(Gamma + over2 + star2)/(n1 + n2)
print(f"left side  = {left}")
print(f"right side = {right}")
print("violated" if left != right else "NOT violated")
raise SystemExit(0 if left != right else 1)
