"""Counterexample to EFL-P21.

Reading: one q for all data sets.
Claimed: one q gives the EFL rows of all three data sets.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table4_EMNIST_EFL_q_0_6_test_accuracy = Fraction("86.04")  # table4: EMNIST, EFL, q=0.6, test_accuracy
table2_EMNIST_EFL_non_IID_test_accuracy = Fraction("85.93")  # table2: EMNIST, EFL, non-IID, test_accuracy
table4_EMNIST_EFL_q_0_6_total_comm_bits = Fraction("7.183e3")  # table4: EMNIST, EFL, q=0.6, total_comm_bits
table2_EMNIST_EFL_non_IID_total_comm_bits = Fraction("4.526e3")  # table2: EMNIST, EFL, non-IID, total_comm_bits
table4_CIFAR100_EFL_q_0_6_test_accuracy = Fraction("81.52")  # table4: CIFAR100, EFL, q=0.6, test_accuracy
table2_CIFAR100_EFL_non_IID_test_accuracy = Fraction("81.38")  # table2: CIFAR100, EFL, non-IID, test_accuracy
table4_CIFAR100_EFL_q_0_6_total_comm_bits = Fraction("6.310e8")  # table4: CIFAR100, EFL, q=0.6, total_comm_bits
table2_CIFAR100_EFL_non_IID_total_comm_bits = Fraction("3.258e8")  # table2: CIFAR100, EFL, non-IID, total_comm_bits
table4_Shakespeare_EFL_q_0_6_test_accuracy = Fraction("60.49")  # table4: Shakespeare, EFL, q=0.6, test_accuracy
table2_Shakespeare_EFL_non_IID_test_accuracy = Fraction("60.49")  # table2: Shakespeare, EFL, non-IID, test_accuracy
table4_Shakespeare_EFL_q_0_6_total_comm_bits = Fraction("1.694e9")  # table4: Shakespeare, EFL, q=0.6, total_comm_bits
table2_Shakespeare_EFL_non_IID_total_comm_bits = Fraction("1.694e9")  # table2: Shakespeare, EFL, non-IID, total_comm_bits
left = abs(table2_CIFAR100_EFL_non_IID_test_accuracy - table4_CIFAR100_EFL_q_0_6_test_accuracy) + abs(table2_CIFAR100_EFL_non_IID_total_comm_bits - table4_CIFAR100_EFL_q_0_6_total_comm_bits) + abs(table2_EMNIST_EFL_non_IID_test_accuracy - table4_EMNIST_EFL_q_0_6_test_accuracy) + abs(table2_EMNIST_EFL_non_IID_total_comm_bits - table4_EMNIST_EFL_q_0_6_total_comm_bits) + abs(table2_Shakespeare_EFL_non_IID_test_accuracy - table4_Shakespeare_EFL_q_0_6_test_accuracy) + abs(table2_Shakespeare_EFL_non_IID_total_comm_bits - table4_Shakespeare_EFL_q_0_6_total_comm_bits)
right = 0
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
