"""Counterexample to SSA-P30.

Reading: every baseline.
Claimed: table5: CIFAR-10, NIID-2, Skew, FedDyn, K=10;rounds=100;E_local=10;beta=0.5, accuracy is below table8: CIFAR-10, NIID-2, Skew, FedSSA, lambda_we=0;lambda_var=0;K=10, accuracy.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table5_CIFAR_10_NIID_2_Skew_FedDyn_K_10_rounds_100_E_local_10_beta_0_5_accuracy = Fraction("71.23")  # table5: CIFAR-10, NIID-2, Skew, FedDyn, K=10;rounds=100;E_local=10;beta=0.5, accuracy
table8_CIFAR_10_NIID_2_Skew_FedSSA_lambda_we_0_lambda_var_0_K_10_accuracy = Fraction("70.81")  # table8: CIFAR-10, NIID-2, Skew, FedSSA, lambda_we=0;lambda_var=0;K=10, accuracy
left = table5_CIFAR_10_NIID_2_Skew_FedDyn_K_10_rounds_100_E_local_10_beta_0_5_accuracy
right = table8_CIFAR_10_NIID_2_Skew_FedSSA_lambda_we_0_lambda_var_0_K_10_accuracy
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
