"""Counterexample to SSA-P18.

Reading: as printed.
Claimed: |table2: CIFAR-10, NIID-1, Skew, FedAvg, K=5;task=sample-wise prediction after training, accuracy − table1: CIFAR-10, NIID-1, Skew, FedAvg, K=5;rounds=100;E_local=10, accuracy| is at most 0.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table2_CIFAR_10_NIID_1_Skew_FedAvg_K_5_task_sample_wise_prediction_after_training_accuracy = Fraction("37.05")  # table2: CIFAR-10, NIID-1, Skew, FedAvg, K=5;task=sample-wise prediction after training, accuracy
table1_CIFAR_10_NIID_1_Skew_FedAvg_K_5_rounds_100_E_local_10_accuracy = Fraction("56.10")  # table1: CIFAR-10, NIID-1, Skew, FedAvg, K=5;rounds=100;E_local=10, accuracy
left = abs(table1_CIFAR_10_NIID_1_Skew_FedAvg_K_5_rounds_100_E_local_10_accuracy - table2_CIFAR_10_NIID_1_Skew_FedAvg_K_5_task_sample_wise_prediction_after_training_accuracy)
right = 0
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
