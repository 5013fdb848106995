"""Counterexample to EFL-P23.

Reading: for all constants.
Claimed: EFL's rate is at most SCAFFOLD's at G = 0.1, L = 1, mu = 0.1, S = 10, delta = 0.1, √eps = 0.01.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

G__ = Fraction("0.1")  # chosen: G
L__ = Fraction("1")  # chosen: L
mu__ = Fraction("0.1")  # chosen: mu
S__ = Fraction("10")  # chosen: S
r__ = Fraction("0.01")  # chosen: √eps
left = G__**2/(S__*mu__*r__**2) + L__/(mu__*r__)
right = G__**2/(S__*mu__*r__**2) + G__/(mu__*r__) + L__/mu__
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
