"""Counterexample to RA-X7a.

Reading: beyond the intervals.
Claimed: r60_pure: FMNIST, FedSoftWorse, R60 is above r60_pure: FMNIST, FedSoftBetter, R60 by more than 1 half width of the difference.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

r60_pure_FMNIST_FedSoftBetter_R60_ci95 = Fraction("0.32")  # r60_pure: FMNIST, FedSoftBetter, R60 [ci95]
r60_pure_FMNIST_FedSoftWorse_R60_ci95 = Fraction("0.35")  # r60_pure: FMNIST, FedSoftWorse, R60 [ci95]
r60_pure_FMNIST_FedSoftWorse_R60 = Fraction("5.73")  # r60_pure: FMNIST, FedSoftWorse, R60
r60_pure_FMNIST_FedSoftBetter_R60 = Fraction("5.57")  # r60_pure: FMNIST, FedSoftBetter, R60
left = r60_pure_FMNIST_FedSoftBetter_R60_ci95**2 + r60_pure_FMNIST_FedSoftWorse_R60_ci95**2
right = (-r60_pure_FMNIST_FedSoftBetter_R60 + r60_pure_FMNIST_FedSoftWorse_R60)*abs(r60_pure_FMNIST_FedSoftBetter_R60 - r60_pure_FMNIST_FedSoftWorse_R60)
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
