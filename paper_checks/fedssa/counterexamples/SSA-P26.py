"""Counterexample to SSA-P26.

Reading: within 2 points.
Claimed: table7: the grid spans at most 2 points.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table7_CIFAR_10_NIID_1_Imb_A_FedSSA_lambda_we_1e_2_lambda_var_1e_1_rho_100_K_5_accuracy = Fraction("65.86")  # table7: CIFAR-10, NIID-1, Imb-A, FedSSA, lambda_we=1e-2;lambda_var=1e-1;rho=100;K=5, accuracy
table7_CIFAR_10_NIID_1_Imb_A_FedSSA_lambda_we_0_lambda_var_10_rho_100_K_5_accuracy = Fraction("63.20")  # table7: CIFAR-10, NIID-1, Imb-A, FedSSA, lambda_we=0;lambda_var=10;rho=100;K=5, accuracy
left = -table7_CIFAR_10_NIID_1_Imb_A_FedSSA_lambda_we_0_lambda_var_10_rho_100_K_5_accuracy + table7_CIFAR_10_NIID_1_Imb_A_FedSSA_lambda_we_1e_2_lambda_var_1e_1_rho_100_K_5_accuracy
right = 2
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
