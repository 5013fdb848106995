"""Counterexample to SSA-P04.

Reading: without Local.
Claimed: smallest margin rounds to stated: SSA-P04, least.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table1_CIFAR_10_NIID_1_Skew_FedSSA_K_5_rounds_100_E_local_10_accuracy = Fraction("90.00")  # table1: CIFAR-10, NIID-1, Skew, FedSSA, K=5;rounds=100;E_local=10, accuracy
table1_CIFAR_10_NIID_1_Skew_SCAFFOLD_K_5_rounds_100_E_local_10_accuracy = Fraction("74.40")  # table1: CIFAR-10, NIID-1, Skew, SCAFFOLD, K=5;rounds=100;E_local=10, accuracy
stated_SSA_P04_least = Fraction("12.60")  # stated: SSA-P04, least
left = table1_CIFAR_10_NIID_1_Skew_FedSSA_K_5_rounds_100_E_local_10_accuracy - table1_CIFAR_10_NIID_1_Skew_SCAFFOLD_K_5_rounds_100_E_local_10_accuracy
right = stated_SSA_P04_least + Fraction(1, 200)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
