"""Counterexample to EA-P4.

Reading: in every cell of Table 10.
Claimed: table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, exp_alpha, 80, acc40 is below table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, proportional, 80, acc40.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_80_acc40 = Fraction("11.33")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, exp_alpha, 80, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_80_acc40 = Fraction("11.33")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, proportional, 80, acc40
left = table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_80_acc40
right = table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_80_acc40
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
