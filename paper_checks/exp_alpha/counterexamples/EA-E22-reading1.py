"""Counterexample to EA-E22.

Reading: A₂ left out path by path.
Vectors of one dimension: g, g_bar, x.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

eta = Fraction(1, 1000)
g = Fraction(-1)
g_bar = Fraction(1)
x = Fraction(1)
hypotheses = [eta >= 0]
left = eta**2*g**2 - 2*eta*g*x + x**2
right = eta**2*g_bar**2 + eta**2*(g**2 - 2*g*g_bar + g_bar**2) - 2*eta*g_bar*x + x**2
print(f"left side  = {left} = {float(left):.6g}")
print(f"right side = {right} = {float(right):.6g}")
violated = all(hypotheses) and left > right
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
