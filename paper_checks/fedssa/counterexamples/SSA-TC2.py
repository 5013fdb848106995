"""Counterexample to SSA-TC2.

Reading: up to rounding.
Claimed: |Skew: mean of L1 to L5 − table1: CIFAR-10, NIID-1, Skew, Local, K=5;rounds=100;E_local=10, accuracy| is at most 0.01.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table4_CIFAR_10_NIID_1_Skew_L1_K_5_accuracy = Fraction("97.30")  # table4: CIFAR-10, NIID-1, Skew, L1, K=5, accuracy
table4_CIFAR_10_NIID_1_Skew_L2_K_5_accuracy = Fraction("0.50")  # table4: CIFAR-10, NIID-1, Skew, L2, K=5, accuracy
table4_CIFAR_10_NIID_1_Skew_L3_K_5_accuracy = Fraction("0.20")  # table4: CIFAR-10, NIID-1, Skew, L3, K=5, accuracy
table4_CIFAR_10_NIID_1_Skew_L4_K_5_accuracy = Fraction("0.40")  # table4: CIFAR-10, NIID-1, Skew, L4, K=5, accuracy
table4_CIFAR_10_NIID_1_Skew_L5_K_5_accuracy = Fraction("0.50")  # table4: CIFAR-10, NIID-1, Skew, L5, K=5, accuracy
table1_CIFAR_10_NIID_1_Skew_Local_K_5_rounds_100_E_local_10_accuracy = Fraction("19.35")  # table1: CIFAR-10, NIID-1, Skew, Local, K=5;rounds=100;E_local=10, accuracy
left = abs(-table1_CIFAR_10_NIID_1_Skew_Local_K_5_rounds_100_E_local_10_accuracy + table4_CIFAR_10_NIID_1_Skew_L1_K_5_accuracy/5 + table4_CIFAR_10_NIID_1_Skew_L2_K_5_accuracy/5 + table4_CIFAR_10_NIID_1_Skew_L3_K_5_accuracy/5 + table4_CIFAR_10_NIID_1_Skew_L4_K_5_accuracy/5 + table4_CIFAR_10_NIID_1_Skew_L5_K_5_accuracy/5)
right = Fraction(1, 100)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
