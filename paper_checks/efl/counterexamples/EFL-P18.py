"""Counterexample to EFL-P18.

Reading: no deviation.
Claimed: MNIST: samples per device deviate by at most 0.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table5_MNIST_mean_samples_per_device_std = Fraction("146")  # table5: MNIST, mean_samples_per_device [std]
left = table5_MNIST_mean_samples_per_device_std
right = 0
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
