"""Counterexample to SSA-P32.

Reading: over the second best.
Claimed: 5 is below mean margin.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table5_Fashion_MNIST_NIID_2_Skew_FedSSA_K_10_rounds_100_E_local_10_beta_0_5_accuracy = Fraction("96.40")  # table5: Fashion-MNIST, NIID-2, Skew, FedSSA, K=10;rounds=100;E_local=10;beta=0.5, accuracy
table5_Fashion_MNIST_NIID_2_Skew_FedDF_K_10_rounds_100_E_local_10_beta_0_5_accuracy = Fraction("93.36")  # table5: Fashion-MNIST, NIID-2, Skew, FedDF, K=10;rounds=100;E_local=10;beta=0.5, accuracy
table5_Fashion_MNIST_NIID_2_Imb_A_FedSSA_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy = Fraction("90.92")  # table5: Fashion-MNIST, NIID-2, Imb-A, FedSSA, K=10;rounds=100;E_local=10;rho=100;beta=0.5, accuracy
table5_Fashion_MNIST_NIID_2_Imb_A_SCAFFOLD_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy = Fraction("90.27")  # table5: Fashion-MNIST, NIID-2, Imb-A, SCAFFOLD, K=10;rounds=100;E_local=10;rho=100;beta=0.5, accuracy
table5_Fashion_MNIST_NIID_2_Imb_B_FedSSA_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy = Fraction("90.20")  # table5: Fashion-MNIST, NIID-2, Imb-B, FedSSA, K=10;rounds=100;E_local=10;rho=50;beta=0.5, accuracy
table5_Fashion_MNIST_NIID_2_Imb_B_SCAFFOLD_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy = Fraction("89.73")  # table5: Fashion-MNIST, NIID-2, Imb-B, SCAFFOLD, K=10;rounds=100;E_local=10;rho=50;beta=0.5, accuracy
table5_CIFAR_10_NIID_2_Skew_FedSSA_K_10_rounds_100_E_local_10_beta_0_5_accuracy = Fraction("79.79")  # table5: CIFAR-10, NIID-2, Skew, FedSSA, K=10;rounds=100;E_local=10;beta=0.5, accuracy
table5_CIFAR_10_NIID_2_Skew_FedDyn_K_10_rounds_100_E_local_10_beta_0_5_accuracy = Fraction("71.23")  # table5: CIFAR-10, NIID-2, Skew, FedDyn, K=10;rounds=100;E_local=10;beta=0.5, accuracy
table5_CIFAR_10_NIID_2_Imb_A_FedSSA_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy = Fraction("79.58")  # table5: CIFAR-10, NIID-2, Imb-A, FedSSA, K=10;rounds=100;E_local=10;rho=100;beta=0.5, accuracy
table5_CIFAR_10_NIID_2_Imb_A_AFL_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy = Fraction("77.20")  # table5: CIFAR-10, NIID-2, Imb-A, AFL, K=10;rounds=100;E_local=10;rho=100;beta=0.5, accuracy
table5_CIFAR_10_NIID_2_Imb_B_FedSSA_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy = Fraction("77.39")  # table5: CIFAR-10, NIID-2, Imb-B, FedSSA, K=10;rounds=100;E_local=10;rho=50;beta=0.5, accuracy
table5_CIFAR_10_NIID_2_Imb_B_AFL_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy = Fraction("76.31")  # table5: CIFAR-10, NIID-2, Imb-B, AFL, K=10;rounds=100;E_local=10;rho=50;beta=0.5, accuracy
table5_CINIC_10_NIID_2_Skew_FedSSA_K_10_rounds_100_E_local_10_beta_0_5_accuracy = Fraction("49.62")  # table5: CINIC-10, NIID-2, Skew, FedSSA, K=10;rounds=100;E_local=10;beta=0.5, accuracy
table5_CINIC_10_NIID_2_Skew_FedProx_K_10_rounds_100_E_local_10_beta_0_5_accuracy = Fraction("44.33")  # table5: CINIC-10, NIID-2, Skew, FedProx, K=10;rounds=100;E_local=10;beta=0.5, accuracy
table5_CINIC_10_NIID_2_Imb_A_FedSSA_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy = Fraction("70.34")  # table5: CINIC-10, NIID-2, Imb-A, FedSSA, K=10;rounds=100;E_local=10;rho=100;beta=0.5, accuracy
table5_CINIC_10_NIID_2_Imb_A_MOON_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy = Fraction("68.56")  # table5: CINIC-10, NIID-2, Imb-A, MOON, K=10;rounds=100;E_local=10;rho=100;beta=0.5, accuracy
table5_CINIC_10_NIID_2_Imb_B_FedSSA_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy = Fraction("66.51")  # table5: CINIC-10, NIID-2, Imb-B, FedSSA, K=10;rounds=100;E_local=10;rho=50;beta=0.5, accuracy
table5_CINIC_10_NIID_2_Imb_B_AFL_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy = Fraction("66.37")  # table5: CINIC-10, NIID-2, Imb-B, AFL, K=10;rounds=100;E_local=10;rho=50;beta=0.5, accuracy
table5_CIFAR_100_NIID_2_Skew_FedSSA_K_10_rounds_100_E_local_10_beta_0_5_accuracy = Fraction("63.20")  # table5: CIFAR-100, NIID-2, Skew, FedSSA, K=10;rounds=100;E_local=10;beta=0.5, accuracy
table5_CIFAR_100_NIID_2_Skew_SCAFFOLD_K_10_rounds_100_E_local_10_beta_0_5_accuracy = Fraction("59.73")  # table5: CIFAR-100, NIID-2, Skew, SCAFFOLD, K=10;rounds=100;E_local=10;beta=0.5, accuracy
table5_CIFAR_100_NIID_2_Imb_A_FedSSA_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy = Fraction("68.32")  # table5: CIFAR-100, NIID-2, Imb-A, FedSSA, K=10;rounds=100;E_local=10;rho=100;beta=0.5, accuracy
table5_CIFAR_100_NIID_2_Imb_A_SCAFFOLD_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy = Fraction("59.83")  # table5: CIFAR-100, NIID-2, Imb-A, SCAFFOLD, K=10;rounds=100;E_local=10;rho=100;beta=0.5, accuracy
table5_CIFAR_100_NIID_2_Imb_B_FedSSA_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy = Fraction("60.78")  # table5: CIFAR-100, NIID-2, Imb-B, FedSSA, K=10;rounds=100;E_local=10;rho=50;beta=0.5, accuracy
table5_CIFAR_100_NIID_2_Imb_B_SCAFFOLD_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy = Fraction("59.98")  # table5: CIFAR-100, NIID-2, Imb-B, SCAFFOLD, K=10;rounds=100;E_local=10;rho=50;beta=0.5, accuracy
left = 5
right = table5_CIFAR_100_NIID_2_Imb_A_FedSSA_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy/12 - table5_CIFAR_100_NIID_2_Imb_A_SCAFFOLD_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy/12 + table5_CIFAR_100_NIID_2_Imb_B_FedSSA_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy/12 - table5_CIFAR_100_NIID_2_Imb_B_SCAFFOLD_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy/12 + table5_CIFAR_100_NIID_2_Skew_FedSSA_K_10_rounds_100_E_local_10_beta_0_5_accuracy/12 - table5_CIFAR_100_NIID_2_Skew_SCAFFOLD_K_10_rounds_100_E_local_10_beta_0_5_accuracy/12 - table5_CIFAR_10_NIID_2_Imb_A_AFL_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy/12 + table5_CIFAR_10_NIID_2_Imb_A_FedSSA_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy/12 - table5_CIFAR_10_NIID_2_Imb_B_AFL_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy/12 + table5_CIFAR_10_NIID_2_Imb_B_FedSSA_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy/12 - table5_CIFAR_10_NIID_2_Skew_FedDyn_K_10_rounds_100_E_local_10_beta_0_5_accuracy/12 + table5_CIFAR_10_NIID_2_Skew_FedSSA_K_10_rounds_100_E_local_10_beta_0_5_accuracy/12 + table5_CINIC_10_NIID_2_Imb_A_FedSSA_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy/12 - table5_CINIC_10_NIID_2_Imb_A_MOON_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy/12 - table5_CINIC_10_NIID_2_Imb_B_AFL_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy/12 + table5_CINIC_10_NIID_2_Imb_B_FedSSA_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy/12 - table5_CINIC_10_NIID_2_Skew_FedProx_K_10_rounds_100_E_local_10_beta_0_5_accuracy/12 + table5_CINIC_10_NIID_2_Skew_FedSSA_K_10_rounds_100_E_local_10_beta_0_5_accuracy/12 + table5_Fashion_MNIST_NIID_2_Imb_A_FedSSA_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy/12 - table5_Fashion_MNIST_NIID_2_Imb_A_SCAFFOLD_K_10_rounds_100_E_local_10_rho_100_beta_0_5_accuracy/12 + table5_Fashion_MNIST_NIID_2_Imb_B_FedSSA_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy/12 - table5_Fashion_MNIST_NIID_2_Imb_B_SCAFFOLD_K_10_rounds_100_E_local_10_rho_50_beta_0_5_accuracy/12 - table5_Fashion_MNIST_NIID_2_Skew_FedDF_K_10_rounds_100_E_local_10_beta_0_5_accuracy/12 + table5_Fashion_MNIST_NIID_2_Skew_FedSSA_K_10_rounds_100_E_local_10_beta_0_5_accuracy/12
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
