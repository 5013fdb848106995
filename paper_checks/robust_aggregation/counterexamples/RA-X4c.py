"""Counterexample to RA-X4c.

Reading: independent runs.
Claimed: the interval of R60(FedAvg) − R60(FedSoftBetterAvg) excludes 0.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

best = Fraction("4.97")  # r60_hybrid: FedSoftBetterAvg
best_ci = Fraction("0.57")  # r60_hybrid: FedSoftBetterAvg [ci95]
other = Fraction("5.48")  # r60_hybrid: FedAvg
other_ci = Fraction("0.75")  # r60_hybrid: FedAvg [ci95]
left = best_ci**2 + other_ci**2
right = (-best + other)**2
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
