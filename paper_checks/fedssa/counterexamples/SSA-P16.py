"""Counterexample to SSA-P16.

Reading: within 5 points.
Claimed: (table4: CIFAR-10, NIID-1, Skew, L1, K=5, accuracy − table4: CIFAR-10, NIID-1, Skew, FedSSA, K=5, accuracy) is at most 5.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table4_CIFAR_10_NIID_1_Skew_L1_K_5_accuracy = Fraction("97.30")  # table4: CIFAR-10, NIID-1, Skew, L1, K=5, accuracy
table4_CIFAR_10_NIID_1_Skew_FedSSA_K_5_accuracy = Fraction("90.00")  # table4: CIFAR-10, NIID-1, Skew, FedSSA, K=5, accuracy
left = -table4_CIFAR_10_NIID_1_Skew_FedSSA_K_5_accuracy + table4_CIFAR_10_NIID_1_Skew_L1_K_5_accuracy
right = 5
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
