"""Counterexample to RA-X4a.

Reading: beyond the intervals.
Claimed: r60_hybrid: FMNIST, FedAvg, R60 is above r60_hybrid: FMNIST, FedSoftBetterAvg, R60 by more than 1 half width of the difference.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

r60_hybrid_FMNIST_FedSoftBetterAvg_R60_ci95 = Fraction("0.57")  # r60_hybrid: FMNIST, FedSoftBetterAvg, R60 [ci95]
r60_hybrid_FMNIST_FedAvg_R60_ci95 = Fraction("0.75")  # r60_hybrid: FMNIST, FedAvg, R60 [ci95]
r60_hybrid_FMNIST_FedAvg_R60 = Fraction("5.48")  # r60_hybrid: FMNIST, FedAvg, R60
r60_hybrid_FMNIST_FedSoftBetterAvg_R60 = Fraction("4.97")  # r60_hybrid: FMNIST, FedSoftBetterAvg, R60
left = r60_hybrid_FMNIST_FedAvg_R60_ci95**2 + r60_hybrid_FMNIST_FedSoftBetterAvg_R60_ci95**2
right = (r60_hybrid_FMNIST_FedAvg_R60 - r60_hybrid_FMNIST_FedSoftBetterAvg_R60)*abs(r60_hybrid_FMNIST_FedAvg_R60 - r60_hybrid_FMNIST_FedSoftBetterAvg_R60)
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
