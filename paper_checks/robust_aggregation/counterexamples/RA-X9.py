"""Counterexample to RA-X9.

Reading: every number.
Claimed: accuracy_mnist_iid: numbers with an interval is equal to accuracy_mnist_iid: numbers.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

accuracy_mnist_iid_numbers_with_an_interval = Fraction("0")  # accuracy_mnist_iid: numbers with an interval
accuracy_mnist_iid_numbers = Fraction("3")  # accuracy_mnist_iid: numbers
left = accuracy_mnist_iid_numbers_with_an_interval
right = accuracy_mnist_iid_numbers
print(f"claimed: {left} == {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left == right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
