"""Counterexample to FA-P25.

Reading: than every method, on every data set.
Claimed: table2: CIFAR-100, FedDyn, raw, accuracy is below table2: CIFAR-100, FedAWARE, raw, accuracy.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table2_CIFAR_100_FedDyn_raw_accuracy = Fraction("39.04")  # table2: CIFAR-100, FedDyn, raw, accuracy
table2_CIFAR_100_FedAWARE_raw_accuracy = Fraction("38.77")  # table2: CIFAR-100, FedAWARE, raw, accuracy
left = table2_CIFAR_100_FedDyn_raw_accuracy
right = table2_CIFAR_100_FedAWARE_raw_accuracy
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
