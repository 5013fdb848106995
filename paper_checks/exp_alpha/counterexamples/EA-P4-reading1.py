"""Counterexample to EA-P4.

Reading: in every cell of Table 1.
Claimed: table01_imbalanced_cifar: ImbalancedCIFAR10, FedFor, exp_alpha, 40, acc40 is below table01_imbalanced_cifar: ImbalancedCIFAR10, FedFor, proportional, 40, acc40.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table01_imbalanced_cifar_ImbalancedCIFAR10_FedFor_exp_alpha_40_acc40 = Fraction("16.67")  # table01_imbalanced_cifar: ImbalancedCIFAR10, FedFor, exp_alpha, 40, acc40
table01_imbalanced_cifar_ImbalancedCIFAR10_FedFor_proportional_40_acc40 = Fraction("16.33")  # table01_imbalanced_cifar: ImbalancedCIFAR10, FedFor, proportional, 40, acc40
left = table01_imbalanced_cifar_ImbalancedCIFAR10_FedFor_exp_alpha_40_acc40
right = table01_imbalanced_cifar_ImbalancedCIFAR10_FedFor_proportional_40_acc40
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
