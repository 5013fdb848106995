"""Counterexample to FA-P21.

Reading: α = 0.9.
Claimed: (1 − αp)² is at most 0.5.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

hyperparameters_5_all_all_clients_per_round_10 = Fraction("10")  # hyperparameters: 5, all, all, clients_per_round, 10
hyperparameters_5_all_all_clients_100 = Fraction("100")  # hyperparameters: 5, all, all, clients, 100
left = (1 - 9*hyperparameters_5_all_all_clients_per_round_10/(10*hyperparameters_5_all_all_clients_100))**2
right = Fraction(1, 2)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
