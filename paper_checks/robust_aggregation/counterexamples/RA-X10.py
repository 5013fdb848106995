"""Counterexample to RA-X10.

Reading: same number.
Claimed: FedAvg's two R60 agree.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

r60_pure_FMNIST_FedAvg_R60 = Fraction("5.90")  # r60_pure: FMNIST, FedAvg, R60
r60_hybrid_FMNIST_FedAvg_R60 = Fraction("5.48")  # r60_hybrid: FMNIST, FedAvg, R60
r60_pure_FMNIST_FedAvg_R60_ci95 = Fraction("0.37")  # r60_pure: FMNIST, FedAvg, R60 [ci95]
r60_hybrid_FMNIST_FedAvg_R60_ci95 = Fraction("0.75")  # r60_hybrid: FMNIST, FedAvg, R60 [ci95]
left = (-r60_hybrid_FMNIST_FedAvg_R60 + r60_pure_FMNIST_FedAvg_R60)**2
right = 0
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
