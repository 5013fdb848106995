"""Counterexample to SSA-P23.

Reading: NIID-1, the text.
Claimed: table6: CIFAR-10, NIID-2, Skew, FedAvg, K=5;participation=1.0, accuracy is equal to table1: CIFAR-10, NIID-1, Skew, FedAvg, K=5;rounds=100;E_local=10, accuracy.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table6_CIFAR_10_NIID_2_Skew_FedAvg_K_5_participation_1_0_accuracy = Fraction("65.10")  # table6: CIFAR-10, NIID-2, Skew, FedAvg, K=5;participation=1.0, accuracy
table1_CIFAR_10_NIID_1_Skew_FedAvg_K_5_rounds_100_E_local_10_accuracy = Fraction("56.10")  # table1: CIFAR-10, NIID-1, Skew, FedAvg, K=5;rounds=100;E_local=10, accuracy
left = table6_CIFAR_10_NIID_2_Skew_FedAvg_K_5_participation_1_0_accuracy
right = table1_CIFAR_10_NIID_1_Skew_FedAvg_K_5_rounds_100_E_local_10_accuracy
print(f"claimed: {left} == {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left == right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
