"""Counterexample to SSA-P11.

Reading: mean of the printed deltas.
Claimed: the mean over 5 methods (printed deltas) is 47.35.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

stated = Fraction("47.35")  # text, Sec. 5.2
delta0 = Fraction("30.45")  # table3: delta_accuracy, Skew, FedAvg+FedSSA
delta1 = Fraction("51.70")  # table3: delta_accuracy, Skew, FedProx+FedSSA
delta2 = Fraction("20.55")  # table3: delta_accuracy, Skew, SCAFFOLD+FedSSA
delta3 = Fraction("27.86")  # table3: delta_accuracy, Skew, FedDyn+FedSSA
delta4 = Fraction("58.85")  # table3: delta_accuracy, Skew, MOON+FedSSA
left = abs(delta0/5 + delta1/5 + delta2/5 + delta3/5 + delta4/5 - stated)
right = Fraction(1, 100)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
