"""Counterexample to SSA-P29.

Reading: within half a point.
Claimed: |table7: CIFAR-10, NIID-1, Imb-A, FedSSA, lambda_we=1e-3;lambda_var=1;rho=100;K=5, accuracy − table1: CIFAR-10, NIID-1, Imb-A, FedSSA, K=5;rounds=100;E_local=10;rho=100, accuracy| is at most 0.5.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table7_CIFAR_10_NIID_1_Imb_A_FedSSA_lambda_we_1e_3_lambda_var_1_rho_100_K_5_accuracy = Fraction("65.05")  # table7: CIFAR-10, NIID-1, Imb-A, FedSSA, lambda_we=1e-3;lambda_var=1;rho=100;K=5, accuracy
table1_CIFAR_10_NIID_1_Imb_A_FedSSA_K_5_rounds_100_E_local_10_rho_100_accuracy = Fraction("62.99")  # table1: CIFAR-10, NIID-1, Imb-A, FedSSA, K=5;rounds=100;E_local=10;rho=100, accuracy
left = abs(table1_CIFAR_10_NIID_1_Imb_A_FedSSA_K_5_rounds_100_E_local_10_rho_100_accuracy - table7_CIFAR_10_NIID_1_Imb_A_FedSSA_lambda_we_1e_3_lambda_var_1_rho_100_K_5_accuracy)
right = Fraction(1, 2)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
