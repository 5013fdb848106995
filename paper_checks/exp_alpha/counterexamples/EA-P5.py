"""Counterexample to EA-P5.

Reading: algorithms, at every E of Table 10.
Claimed: more than half of 5 algorithms need fewer rounds at every E.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_80_acc40 = Fraction("11.33")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, proportional, 80, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_80_acc40 = Fraction("11.33")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, exp_alpha, 80, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedProx_proportional_160_acc40 = Fraction("7.33")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedProx, proportional, 160, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedProx_exp_alpha_160_acc40 = Fraction("6.33")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedProx, exp_alpha, 160, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedFor_proportional_40_acc40 = Fraction("16.33")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedFor, proportional, 40, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedFor_exp_alpha_40_acc40 = Fraction("16.67")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedFor, exp_alpha, 40, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvgM_proportional_20_acc40 = Fraction("26.67")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvgM, proportional, 20, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvgM_exp_alpha_20_acc40 = Fraction("25.00")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvgM, exp_alpha, 20, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAdam_proportional_80_acc40 = Fraction("12.00")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAdam, proportional, 80, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAdam_exp_alpha_80_acc40 = Fraction("13.67")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAdam, exp_alpha, 80, acc40
left = Fraction(5, 2)
right = min(1, max(0, -1000000*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAdam_exp_alpha_80_acc40 + 1000000*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAdam_proportional_80_acc40)) + min(1, max(0, -1000000*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvgM_exp_alpha_20_acc40 + 1000000*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvgM_proportional_20_acc40)) + min(1, max(0, -1000000*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_80_acc40 + 1000000*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_80_acc40)) + min(1, max(0, -1000000*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedFor_exp_alpha_40_acc40 + 1000000*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedFor_proportional_40_acc40)) + min(1, max(0, -1000000*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedProx_exp_alpha_160_acc40 + 1000000*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedProx_proportional_160_acc40))
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
