"""Counterexample to FA-P26.

Reading: in every cell.
Claimed: 0 is below AGNews, FedCM: gain in accuracy.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table2_AGNews_FedCM_xAWARE_accuracy = Fraction("80.24")  # table2: AGNews, FedCM, xAWARE, accuracy
table2_AGNews_FedCM_raw_accuracy = Fraction("80.79")  # table2: AGNews, FedCM, raw, accuracy
left = 0
right = -table2_AGNews_FedCM_raw_accuracy + table2_AGNews_FedCM_xAWARE_accuracy
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
