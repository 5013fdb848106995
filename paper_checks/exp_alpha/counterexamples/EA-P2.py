"""Counterexample to EA-P2.

Reading: on average.
Claimed: mean reduction of error, % rounds to stated: EA-P2, error.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_20_test_acc = Fraction("66.86")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, exp_alpha, 20, test_acc
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_20_test_acc = Fraction("64.60")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, proportional, 20, test_acc
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_40_test_acc = Fraction("65.59")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, exp_alpha, 40, test_acc
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_40_test_acc = Fraction("64.25")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, proportional, 40, test_acc
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_80_test_acc = Fraction("65.81")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, exp_alpha, 80, test_acc
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_80_test_acc = Fraction("64.73")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, proportional, 80, test_acc
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_160_test_acc = Fraction("66.09")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, exp_alpha, 160, test_acc
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_160_test_acc = Fraction("63.55")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, proportional, 160, test_acc
stated_EA_P2_error = Fraction("3")  # stated: EA-P2, error
left = -25*(100 - table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_160_test_acc)/(100 - table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_160_test_acc) - 25*(100 - table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_20_test_acc)/(100 - table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_20_test_acc) - 25*(100 - table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_40_test_acc)/(100 - table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_40_test_acc) - 25*(100 - table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_80_test_acc)/(100 - table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_80_test_acc) + 100
right = stated_EA_P2_error + Fraction(1, 2)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
