"""Counterexample to FA-P5.

Reading: over each.
Claimed: (table2: CIFAR-100, FedAWARE, raw, accuracy − table2: CIFAR-100, FedAvgM, raw, accuracy) is at most 2.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table2_CIFAR_100_FedAWARE_raw_accuracy = Fraction("38.77")  # table2: CIFAR-100, FedAWARE, raw, accuracy
table2_CIFAR_100_FedAvgM_raw_accuracy = Fraction("31.04")  # table2: CIFAR-100, FedAvgM, raw, accuracy
left = table2_CIFAR_100_FedAWARE_raw_accuracy - table2_CIFAR_100_FedAvgM_raw_accuracy
right = 2
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
