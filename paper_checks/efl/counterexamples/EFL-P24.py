"""Counterexample to EFL-P24.

Reading: C as in Sec. 4.2.
Claimed: the threshold at E = 2 is below that at E = 1.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

E_few = Fraction("1")  # chosen: E
E_many = Fraction("2")  # chosen: E
left = (E_many**5 + E_many**2)/E_many
right = (E_few**5 + E_few**2)/E_few
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
