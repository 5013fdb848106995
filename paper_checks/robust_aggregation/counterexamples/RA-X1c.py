"""Counterexample to RA-X1c.

Reading: whole order.
Claimed: accuracy_mnist_iid: MNIST, FedSoftBetter, accuracy_after_100_rounds is below accuracy_mnist_iid: MNIST, FedAvg, accuracy_after_100_rounds.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

accuracy_mnist_iid_MNIST_FedSoftBetter_accuracy_after_100_rounds = Fraction("89.70")  # accuracy_mnist_iid: MNIST, FedSoftBetter, accuracy_after_100_rounds
accuracy_mnist_iid_MNIST_FedAvg_accuracy_after_100_rounds = Fraction("89.67")  # accuracy_mnist_iid: MNIST, FedAvg, accuracy_after_100_rounds
left = accuracy_mnist_iid_MNIST_FedSoftBetter_accuracy_after_100_rounds
right = accuracy_mnist_iid_MNIST_FedAvg_accuracy_after_100_rounds
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
