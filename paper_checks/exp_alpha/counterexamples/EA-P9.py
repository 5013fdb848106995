"""Counterexample to EA-P9.

Reading: t-test at 5%.
Claimed: table12_flipped_cifar_std: FlippedCIFAR10, FedProx, proportional, 80, acc40 is above table12_flipped_cifar_std: FlippedCIFAR10, FedProx, exp_alpha, 80, acc40 by more than 2.776 standard errors.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table12_flipped_cifar_std_FlippedCIFAR10_FedProx_exp_alpha_80_acc40_std = Fraction("1.15")  # table12_flipped_cifar_std: FlippedCIFAR10, FedProx, exp_alpha, 80, acc40 [std]
table12_flipped_cifar_std_FlippedCIFAR10_FedProx_proportional_80_acc40_std = Fraction("4.04")  # table12_flipped_cifar_std: FlippedCIFAR10, FedProx, proportional, 80, acc40 [std]
stated_EA_P24_runs = Fraction("3")  # stated: EA-P24, runs
table12_flipped_cifar_std_FlippedCIFAR10_FedProx_proportional_80_acc40 = Fraction("15.67")  # table12_flipped_cifar_std: FlippedCIFAR10, FedProx, proportional, 80, acc40
table12_flipped_cifar_std_FlippedCIFAR10_FedProx_exp_alpha_80_acc40 = Fraction("9.33")  # table12_flipped_cifar_std: FlippedCIFAR10, FedProx, exp_alpha, 80, acc40
left = 120409*(table12_flipped_cifar_std_FlippedCIFAR10_FedProx_exp_alpha_80_acc40_std**2 + table12_flipped_cifar_std_FlippedCIFAR10_FedProx_proportional_80_acc40_std**2)/(15625*stated_EA_P24_runs)
right = (-table12_flipped_cifar_std_FlippedCIFAR10_FedProx_exp_alpha_80_acc40 + table12_flipped_cifar_std_FlippedCIFAR10_FedProx_proportional_80_acc40)*abs(table12_flipped_cifar_std_FlippedCIFAR10_FedProx_exp_alpha_80_acc40 - table12_flipped_cifar_std_FlippedCIFAR10_FedProx_proportional_80_acc40)
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
