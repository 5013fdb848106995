"""Counterexample to EA-P8.

Reading: in the complete tables.
Claimed: table10_imbalanced_cifar_std: different entries of backbone is equal to stated: EA-P8, algorithms.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table10_imbalanced_cifar_std_different_entries_of_backbone = Fraction("5")  # table10_imbalanced_cifar_std: different entries of backbone
stated_EA_P8_algorithms = Fraction("6")  # stated: EA-P8, algorithms
left = table10_imbalanced_cifar_std_different_entries_of_backbone
right = stated_EA_P8_algorithms
print(f"claimed: {left} == {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left == right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
