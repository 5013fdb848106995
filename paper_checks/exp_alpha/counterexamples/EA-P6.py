"""Counterexample to EA-P6.

Reading: Table 10.
Claimed: FedFor, E = 80, test_acc: Exp-α above proportional.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

exp_alpha = Fraction("73.29")  # table10_imbalanced_cifar_std: exp_alpha, FedFor, 80, test_acc
proportional = Fraction("73.34")  # table10_imbalanced_cifar_std: proportional, FedFor, 80, test_acc
left = proportional
right = exp_alpha
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
