"""Counterexample to RA-X2a.

Reading: between 0.4 and 0.5.
Claimed: (stated: RA-X2a, advantage − 0.1) is at most R60(FedAvg) − R60(FedSoftBetter).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

stated_RA_X2a_advantage = Fraction("0.5")  # stated: RA-X2a, advantage
r60_pure_FMNIST_FedAvg_R60 = Fraction("5.90")  # r60_pure: FMNIST, FedAvg, R60
r60_pure_FMNIST_FedSoftBetter_R60 = Fraction("5.57")  # r60_pure: FMNIST, FedSoftBetter, R60
left = stated_RA_X2a_advantage + Fraction(-1, 10)
right = r60_pure_FMNIST_FedAvg_R60 - r60_pure_FMNIST_FedSoftBetter_R60
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
