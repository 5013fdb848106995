"""Counterexample to SSA-P25.

Reading: complete list.
Claimed: stated: SSA-P25, named is equal to stated: SSA-P25, announced.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

stated_SSA_P25_named = Fraction("4")  # stated: SSA-P25, named
stated_SSA_P25_announced = Fraction("5")  # stated: SSA-P25, announced
left = stated_SSA_P25_named
right = stated_SSA_P25_announced
print(f"claimed: {left} == {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left == right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
