"""Counterexample to SSA-P08.

Reading: each data set and partition.
Claimed: table5, CIFAR-100, Imb-A: margin over the second best is below table5, CIFAR-100, Skew: margin over the second best.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table5_CIFAR_100_NIID_2_Imb_A_FedSSA_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy = Fraction("68.32")  # table5: CIFAR-100, NIID-2, Imb-A, FedSSA, K=10;rounds=100;E_local=10;rho=100;beta=0.5, accuracy
table5_CIFAR_100_NIID_2_Imb_A_SCAFFOLD_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy = Fraction("59.83")  # table5: CIFAR-100, NIID-2, Imb-A, SCAFFOLD, K=10;rounds=100;E_local=10;rho=100;beta=0.5, accuracy
table5_CIFAR_100_NIID_2_Skew_FedSSA_K_10_rounds_100_E_local_10_beta_0_5_accuracy = Fraction("63.20")  # table5: CIFAR-100, NIID-2, Skew, FedSSA, K=10;rounds=100;E_local=10;beta=0.5, accuracy
table5_CIFAR_100_NIID_2_Skew_SCAFFOLD_K_10_rounds_100_E_local_10_beta_0_5_accuracy = Fraction("59.73")  # table5: CIFAR-100, NIID-2, Skew, SCAFFOLD, K=10;rounds=100;E_local=10;beta=0.5, accuracy
left = table5_CIFAR_100_NIID_2_Imb_A_FedSSA_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy - table5_CIFAR_100_NIID_2_Imb_A_SCAFFOLD_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy
right = table5_CIFAR_100_NIID_2_Skew_FedSSA_K_10_rounds_100_E_local_10_beta_0_5_accuracy - table5_CIFAR_100_NIID_2_Skew_SCAFFOLD_K_10_rounds_100_E_local_10_beta_0_5_accuracy
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
