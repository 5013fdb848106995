"""Counterexample to SSA-P20.

Reading: in every setting.
Claimed: table9: CIFAR-10, NIID-2, Imb-A, FedAvg, K=10;rho=100, accuracy is below table9: CIFAR-10, NIID-2, Imb-A, Confidence, K=10;rho=100, accuracy.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table9_CIFAR_10_NIID_2_Imb_A_FedAvg_K_10_rho_100_accuracy = Fraction("74.82")  # table9: CIFAR-10, NIID-2, Imb-A, FedAvg, K=10;rho=100, accuracy
table9_CIFAR_10_NIID_2_Imb_A_Confidence_K_10_rho_100_accuracy = Fraction("74.33")  # table9: CIFAR-10, NIID-2, Imb-A, Confidence, K=10;rho=100, accuracy
left = table9_CIFAR_10_NIID_2_Imb_A_FedAvg_K_10_rho_100_accuracy
right = table9_CIFAR_10_NIID_2_Imb_A_Confidence_K_10_rho_100_accuracy
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
