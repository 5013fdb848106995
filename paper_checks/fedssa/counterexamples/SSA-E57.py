"""Counterexample to SSA-E57.

Reading: as an expansion, both factors transposed.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

a00 = Fraction(1)
a01 = Fraction(1)
a10 = Fraction(2)
a11 = Fraction(1)
b00 = Fraction(1)
b01 = Fraction(1)
b10 = Fraction(2)
b11 = Fraction(1)
left = (a00 + b00)**2 + (a01 + b01)**2 + (a10 + b10)**2 + (a11 + b11)**2
right = a00**2 + 2*a00*b00 + a01**2 + 2*a01*b10 + a10**2 + 2*a10*b01 + a11**2 + 2*a11*b11 + b00**2 + b01**2 + b10**2 + b11**2
print(f"left side  = {left}")
print(f"right side = {right}")
print("violated" if left != right else "NOT violated")
raise SystemExit(0 if left != right else 1)
