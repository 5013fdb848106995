"""Counterexample to SSA-P05.

Reading: all others.
Claimed: largest margin rounds to stated: SSA-P05, most.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table5_CIFAR_10_NIID_2_Skew_FedSSA_K_10_rounds_100_E_local_10_beta_0_5_accuracy = Fraction("79.79")  # table5: CIFAR-10, NIID-2, Skew, FedSSA, K=10;rounds=100;E_local=10;beta=0.5, accuracy
table5_CIFAR_10_NIID_2_Skew_Local_K_10_rounds_100_E_local_10_beta_0_5_accuracy = Fraction("37.58")  # table5: CIFAR-10, NIID-2, Skew, Local, K=10;rounds=100;E_local=10;beta=0.5, accuracy
stated_SSA_P05_most = Fraction("22.31")  # stated: SSA-P05, most
left = table5_CIFAR_10_NIID_2_Skew_FedSSA_K_10_rounds_100_E_local_10_beta_0_5_accuracy - table5_CIFAR_10_NIID_2_Skew_Local_K_10_rounds_100_E_local_10_beta_0_5_accuracy
right = stated_SSA_P05_most + Fraction(1, 200)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
