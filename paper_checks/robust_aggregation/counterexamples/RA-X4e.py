"""Counterexample to RA-X4e.

Reading: both parts act.
Claimed: protocol: strategy_switch_round is below r60_hybrid: FMNIST, FedSoftBetterAvg, R60.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

protocol_strategy_switch_round = Fraction("20")  # protocol: strategy_switch_round
r60_hybrid_FMNIST_FedSoftBetterAvg_R60 = Fraction("4.97")  # r60_hybrid: FMNIST, FedSoftBetterAvg, R60
left = protocol_strategy_switch_round
right = r60_hybrid_FMNIST_FedSoftBetterAvg_R60
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
