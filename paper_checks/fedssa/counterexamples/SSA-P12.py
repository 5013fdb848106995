"""Counterexample to SSA-P12.

Reading: up to rounding.
Claimed: FedAvg+FedSSA, Skew: accuracy minus Table 1 equals table3: CIFAR-10, NIID-1, Skew, FedAvg+FedSSA, K=5;extra_weight_epochs=10, delta_accuracy up to rounding.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table3_CIFAR_10_NIID_1_Skew_FedAvg_FedSSA_K_5_extra_weight_epochs_10_accuracy = Fraction("96.55")  # table3: CIFAR-10, NIID-1, Skew, FedAvg+FedSSA, K=5;extra_weight_epochs=10, accuracy
table1_CIFAR_10_NIID_1_Skew_FedAvg_K_5_rounds_100_E_local_10_accuracy = Fraction("56.10")  # table1: CIFAR-10, NIID-1, Skew, FedAvg, K=5;rounds=100;E_local=10, accuracy
table3_CIFAR_10_NIID_1_Skew_FedAvg_FedSSA_K_5_extra_weight_epochs_10_delta_accuracy = Fraction("30.45")  # table3: CIFAR-10, NIID-1, Skew, FedAvg+FedSSA, K=5;extra_weight_epochs=10, delta_accuracy
left = -table1_CIFAR_10_NIID_1_Skew_FedAvg_K_5_rounds_100_E_local_10_accuracy + table3_CIFAR_10_NIID_1_Skew_FedAvg_FedSSA_K_5_extra_weight_epochs_10_accuracy + Fraction(-1, 100)
right = table3_CIFAR_10_NIID_1_Skew_FedAvg_FedSSA_K_5_extra_weight_epochs_10_delta_accuracy + Fraction(1, 200)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
