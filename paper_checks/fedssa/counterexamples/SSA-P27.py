"""Counterexample to SSA-P27.

Reading: every λ_var > 0.
Claimed: |λ_we = 0, λ_var = 1e-1: gain − stated: SSA-P27, gain| is at most 1.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table8_CIFAR_10_NIID_2_Skew_FedSSA_lambda_we_0_lambda_var_1e_1_K_10_accuracy = Fraction("71.14")  # table8: CIFAR-10, NIID-2, Skew, FedSSA, lambda_we=0;lambda_var=1e-1;K=10, accuracy
table8_CIFAR_10_NIID_2_Skew_FedSSA_lambda_we_0_lambda_var_0_K_10_accuracy = Fraction("70.81")  # table8: CIFAR-10, NIID-2, Skew, FedSSA, lambda_we=0;lambda_var=0;K=10, accuracy
stated_SSA_P27_gain = Fraction("10")  # stated: SSA-P27, gain
left = abs(stated_SSA_P27_gain + table8_CIFAR_10_NIID_2_Skew_FedSSA_lambda_we_0_lambda_var_0_K_10_accuracy - table8_CIFAR_10_NIID_2_Skew_FedSSA_lambda_we_0_lambda_var_1e_1_K_10_accuracy)
right = 1
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
