"""Counterexample to FA-P23.

Reading: exactly, to two decimals.
Claimed: CIFAR-100, FedCM, accuracy: printed delta is the difference.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

after = Fraction("33.09")  # table2: xAWARE, CIFAR-100, FedCM, accuracy
before = Fraction("30.62")  # table2: raw, CIFAR-100, FedCM, accuracy
delta = Fraction("2.04")  # table2: xAWARE, CIFAR-100, FedCM, accuracy [delta_printed]
left = abs(-after + before + delta)
right = 0
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
