"""Counterexample to FA-P6.

Reading: in every cell.
Claimed: 3 is below CIFAR-10, FedYogi: gain in accuracy.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table2_CIFAR_10_FedYogi_xAWARE_accuracy = Fraction("54.92")  # table2: CIFAR-10, FedYogi, xAWARE, accuracy
table2_CIFAR_10_FedYogi_raw_accuracy = Fraction("54.62")  # table2: CIFAR-10, FedYogi, raw, accuracy
left = 3
right = -table2_CIFAR_10_FedYogi_raw_accuracy + table2_CIFAR_10_FedYogi_xAWARE_accuracy
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
