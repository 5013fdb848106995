"""Counterexample to SSA-S16.

Reading: as printed.
Vectors of one dimension: g, r.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

tau = Fraction(1)
eta = Fraction(1)
W = Fraction(1)
A = Fraction(1000)
g = Fraction(1)
r = Fraction(0)
hypotheses = [tau >= 1, eta >= 0, W >= 0, A >= 0]
left = -eta*g**2*tau*(-A*W + 1)/2 + eta*r**2*tau
right = -eta*g**2*tau*(1 - W)/2 + eta*r**2*tau
print(f"left side  = {left} = {float(left):.6g}")
print(f"right side = {right} = {float(right):.6g}")
violated = all(hypotheses) and left > right
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
