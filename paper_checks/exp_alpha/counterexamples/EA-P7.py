"""Counterexample to EA-P7.

Reading: in Table 1.
Claimed: table01_imbalanced_cifar: different entries of E is equal to stated: EA-P7, configurations.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table01_imbalanced_cifar_different_entries_of_E = Fraction("3")  # table01_imbalanced_cifar: different entries of E
stated_EA_P7_configurations = Fraction("4")  # stated: EA-P7, configurations
left = table01_imbalanced_cifar_different_entries_of_E
right = stated_EA_P7_configurations
print(f"claimed: {left} == {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left == right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
