"""Counterexample to EFL-P4.

Reading: within the deviations.
Claimed: |table6: CIFAR100, SCAFFOLD, IID, test_accuracy − table6: CIFAR100, FedProx, IID, test_accuracy| is at most (the sum × 2).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table6_CIFAR100_SCAFFOLD_IID_test_accuracy = Fraction("81.04")  # table6: CIFAR100, SCAFFOLD, IID, test_accuracy
table6_CIFAR100_FedProx_IID_test_accuracy = Fraction("82.48")  # table6: CIFAR100, FedProx, IID, test_accuracy
table6_CIFAR100_SCAFFOLD_IID_test_accuracy_std = Fraction("0.18")  # table6: CIFAR100, SCAFFOLD, IID, test_accuracy [std]
table6_CIFAR100_FedProx_IID_test_accuracy_std = Fraction("0.15")  # table6: CIFAR100, FedProx, IID, test_accuracy [std]
left = abs(table6_CIFAR100_FedProx_IID_test_accuracy - table6_CIFAR100_SCAFFOLD_IID_test_accuracy)
right = 2*table6_CIFAR100_FedProx_IID_test_accuracy_std + 2*table6_CIFAR100_SCAFFOLD_IID_test_accuracy_std
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
