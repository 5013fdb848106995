"""Counterexample to FA-P7.

Reading: between methods.
Claimed: CIFAR-10, raw: positive covariance of e-LUDD and accuracy, summed over methods.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table2_CIFAR_10_FedAvg_raw_eludd = Fraction("2.58")  # table2: CIFAR-10, FedAvg, raw, eludd
table2_CIFAR_10_FedAvgM_raw_eludd = Fraction("2.17")  # table2: CIFAR-10, FedAvgM, raw, eludd
table2_CIFAR_10_FedCM_raw_eludd = Fraction("2.99")  # table2: CIFAR-10, FedCM, raw, eludd
table2_CIFAR_10_FedProx_raw_eludd = Fraction("2.81")  # table2: CIFAR-10, FedProx, raw, eludd
table2_CIFAR_10_FedYogi_raw_eludd = Fraction("2.47")  # table2: CIFAR-10, FedYogi, raw, eludd
table2_CIFAR_10_FedAMS_raw_eludd = Fraction("2.46")  # table2: CIFAR-10, FedAMS, raw, eludd
table2_CIFAR_10_FedAWARE_raw_eludd = Fraction("2.90")  # table2: CIFAR-10, FedAWARE, raw, eludd
table2_CIFAR_10_FedAvg_raw_accuracy = Fraction("42.78")  # table2: CIFAR-10, FedAvg, raw, accuracy
table2_CIFAR_10_FedAvgM_raw_accuracy = Fraction("50.07")  # table2: CIFAR-10, FedAvgM, raw, accuracy
table2_CIFAR_10_FedCM_raw_accuracy = Fraction("47.84")  # table2: CIFAR-10, FedCM, raw, accuracy
table2_CIFAR_10_FedProx_raw_accuracy = Fraction("46.33")  # table2: CIFAR-10, FedProx, raw, accuracy
table2_CIFAR_10_FedYogi_raw_accuracy = Fraction("54.62")  # table2: CIFAR-10, FedYogi, raw, accuracy
table2_CIFAR_10_FedAMS_raw_accuracy = Fraction("57.09")  # table2: CIFAR-10, FedAMS, raw, accuracy
table2_CIFAR_10_FedAWARE_raw_accuracy = Fraction("59.78")  # table2: CIFAR-10, FedAWARE, raw, accuracy
left = 0
right = (-table2_CIFAR_10_FedAMS_raw_accuracy/7 - table2_CIFAR_10_FedAWARE_raw_accuracy/7 - table2_CIFAR_10_FedAvgM_raw_accuracy/7 - table2_CIFAR_10_FedAvg_raw_accuracy/7 - table2_CIFAR_10_FedCM_raw_accuracy/7 - table2_CIFAR_10_FedProx_raw_accuracy/7 + 6*table2_CIFAR_10_FedYogi_raw_accuracy/7)*(-table2_CIFAR_10_FedAMS_raw_eludd/7 - table2_CIFAR_10_FedAWARE_raw_eludd/7 - table2_CIFAR_10_FedAvgM_raw_eludd/7 - table2_CIFAR_10_FedAvg_raw_eludd/7 - table2_CIFAR_10_FedCM_raw_eludd/7 - table2_CIFAR_10_FedProx_raw_eludd/7 + 6*table2_CIFAR_10_FedYogi_raw_eludd/7) + (-table2_CIFAR_10_FedAMS_raw_accuracy/7 - table2_CIFAR_10_FedAWARE_raw_accuracy/7 - table2_CIFAR_10_FedAvgM_raw_accuracy/7 - table2_CIFAR_10_FedAvg_raw_accuracy/7 - table2_CIFAR_10_FedCM_raw_accuracy/7 + 6*table2_CIFAR_10_FedProx_raw_accuracy/7 - table2_CIFAR_10_FedYogi_raw_accuracy/7)*(-table2_CIFAR_10_FedAMS_raw_eludd/7 - table2_CIFAR_10_FedAWARE_raw_eludd/7 - table2_CIFAR_10_FedAvgM_raw_eludd/7 - table2_CIFAR_10_FedAvg_raw_eludd/7 - table2_CIFAR_10_FedCM_raw_eludd/7 + 6*table2_CIFAR_10_FedProx_raw_eludd/7 - table2_CIFAR_10_FedYogi_raw_eludd/7) + (-table2_CIFAR_10_FedAMS_raw_accuracy/7 - table2_CIFAR_10_FedAWARE_raw_accuracy/7 - table2_CIFAR_10_FedAvgM_raw_accuracy/7 - table2_CIFAR_10_FedAvg_raw_accuracy/7 + 6*table2_CIFAR_10_FedCM_raw_accuracy/7 - table2_CIFAR_10_FedProx_raw_accuracy/7 - table2_CIFAR_10_FedYogi_raw_accuracy/7)*(-table2_CIFAR_10_FedAMS_raw_eludd/7 - table2_CIFAR_10_FedAWARE_raw_eludd/7 - table2_CIFAR_10_FedAvgM_raw_eludd/7 - table2_CIFAR_10_FedAvg_raw_eludd/7 + 6*table2_CIFAR_10_FedCM_raw_eludd/7 - table2_CIFAR_10_FedProx_raw_eludd/7 - table2_CIFAR_10_FedYogi_raw_eludd/7) + (-table2_CIFAR_10_FedAMS_raw_accuracy/7 - table2_CIFAR_10_FedAWARE_raw_accuracy/7 - table2_CIFAR_10_FedAvgM_raw_accuracy/7 + 6*table2_CIFAR_10_FedAvg_raw_accuracy/7 - table2_CIFAR_10_FedCM_raw_accuracy/7 - table2_CIFAR_10_FedProx_raw_accuracy/7 - table2_CIFAR_10_FedYogi_raw_accuracy/7)*(-table2_CIFAR_10_FedAMS_raw_eludd/7 - table2_CIFAR_10_FedAWARE_raw_eludd/7 - table2_CIFAR_10_FedAvgM_raw_eludd/7 + 6*table2_CIFAR_10_FedAvg_raw_eludd/7 - table2_CIFAR_10_FedCM_raw_eludd/7 - table2_CIFAR_10_FedProx_raw_eludd/7 - table2_CIFAR_10_FedYogi_raw_eludd/7) + (-table2_CIFAR_10_FedAMS_raw_accuracy/7 - table2_CIFAR_10_FedAWARE_raw_accuracy/7 + 6*table2_CIFAR_10_FedAvgM_raw_accuracy/7 - table2_CIFAR_10_FedAvg_raw_accuracy/7 - table2_CIFAR_10_FedCM_raw_accuracy/7 - table2_CIFAR_10_FedProx_raw_accuracy/7 - table2_CIFAR_10_FedYogi_raw_accuracy/7)*(-table2_CIFAR_10_FedAMS_raw_eludd/7 - table2_CIFAR_10_FedAWARE_raw_eludd/7 + 6*table2_CIFAR_10_FedAvgM_raw_eludd/7 - table2_CIFAR_10_FedAvg_raw_eludd/7 - table2_CIFAR_10_FedCM_raw_eludd/7 - table2_CIFAR_10_FedProx_raw_eludd/7 - table2_CIFAR_10_FedYogi_raw_eludd/7) + (-table2_CIFAR_10_FedAMS_raw_accuracy/7 + 6*table2_CIFAR_10_FedAWARE_raw_accuracy/7 - table2_CIFAR_10_FedAvgM_raw_accuracy/7 - table2_CIFAR_10_FedAvg_raw_accuracy/7 - table2_CIFAR_10_FedCM_raw_accuracy/7 - table2_CIFAR_10_FedProx_raw_accuracy/7 - table2_CIFAR_10_FedYogi_raw_accuracy/7)*(-table2_CIFAR_10_FedAMS_raw_eludd/7 + 6*table2_CIFAR_10_FedAWARE_raw_eludd/7 - table2_CIFAR_10_FedAvgM_raw_eludd/7 - table2_CIFAR_10_FedAvg_raw_eludd/7 - table2_CIFAR_10_FedCM_raw_eludd/7 - table2_CIFAR_10_FedProx_raw_eludd/7 - table2_CIFAR_10_FedYogi_raw_eludd/7) + (6*table2_CIFAR_10_FedAMS_raw_accuracy/7 - table2_CIFAR_10_FedAWARE_raw_accuracy/7 - table2_CIFAR_10_FedAvgM_raw_accuracy/7 - table2_CIFAR_10_FedAvg_raw_accuracy/7 - table2_CIFAR_10_FedCM_raw_accuracy/7 - table2_CIFAR_10_FedProx_raw_accuracy/7 - table2_CIFAR_10_FedYogi_raw_accuracy/7)*(6*table2_CIFAR_10_FedAMS_raw_eludd/7 - table2_CIFAR_10_FedAWARE_raw_eludd/7 - table2_CIFAR_10_FedAvgM_raw_eludd/7 - table2_CIFAR_10_FedAvg_raw_eludd/7 - table2_CIFAR_10_FedCM_raw_eludd/7 - table2_CIFAR_10_FedProx_raw_eludd/7 - table2_CIFAR_10_FedYogi_raw_eludd/7)
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
