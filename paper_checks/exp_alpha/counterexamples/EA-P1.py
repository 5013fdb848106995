"""Counterexample to EA-P1.

Reading: speed: one over rounds.
Claimed: mean increase of 1/rounds, % rounds to stated: EA-P1, rate.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_20_acc40 = Fraction("43.33")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, proportional, 20, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_20_acc40 = Fraction("38.00")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, exp_alpha, 20, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_40_acc40 = Fraction("22.33")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, proportional, 40, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_40_acc40 = Fraction("19.67")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, exp_alpha, 40, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_80_acc40 = Fraction("11.33")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, proportional, 80, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_80_acc40 = Fraction("11.33")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, exp_alpha, 80, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_160_acc40 = Fraction("7.00")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, proportional, 160, acc40
table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_160_acc40 = Fraction("5.33")  # table10_imbalanced_cifar_std: ImbalancedCIFAR10, FedAvg, exp_alpha, 160, acc40
stated_EA_P1_rate = Fraction("12")  # stated: EA-P1, rate
left = -100 + 25*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_80_acc40/table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_80_acc40 + 25*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_40_acc40/table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_40_acc40 + 25*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_20_acc40/table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_20_acc40 + 25*table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_proportional_160_acc40/table10_imbalanced_cifar_std_ImbalancedCIFAR10_FedAvg_exp_alpha_160_acc40
right = stated_EA_P1_rate + Fraction(1, 2)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
