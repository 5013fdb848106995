"""Counterexample to EFL-P19.

Reading: rounded.
Claimed: |table5: Shakespeare, mean_samples_per_device − Shakespeare: samples / devices| is at most 0.5.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table5_Shakespeare_mean_samples_per_device = Fraction("2719")  # table5: Shakespeare, mean_samples_per_device
table5_Shakespeare_samples = Fraction("359016")  # table5: Shakespeare, samples
table5_Shakespeare_devices = Fraction("132")  # table5: Shakespeare, devices
left = abs(table5_Shakespeare_mean_samples_per_device - table5_Shakespeare_samples/table5_Shakespeare_devices)
right = Fraction(1, 2)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
