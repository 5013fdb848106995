"""Counterexample to EFL-P9.

Reading: within 1 point.
Claimed: Shakespeare: the three lie within 1 point of each other.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table3_Shakespeare_EFL_non_IID_BMTA = Fraction("60.49")  # table3: Shakespeare, EFL, non-IID, BMTA
table3_Shakespeare_FedGATE_non_IID_BMTA = Fraction("54.71")  # table3: Shakespeare, FedGATE, non-IID, BMTA
left = table3_Shakespeare_EFL_non_IID_BMTA - table3_Shakespeare_FedGATE_non_IID_BMTA
right = 1
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
