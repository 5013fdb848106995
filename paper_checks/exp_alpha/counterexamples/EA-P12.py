"""Counterexample to EA-P12.

Reading: to the nearest percent.
Claimed: Webcam: relative gain, % is at most (stated: EA-P12, gain + 0.5).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table03_domain_shift_OfficeCaltech10_FedAvg_exp_alpha_16_test_acc_Webcam = Fraction("86.44")  # table03_domain_shift: OfficeCaltech10, FedAvg, exp_alpha, 16, test_acc, Webcam
table03_domain_shift_OfficeCaltech10_FedAvg_proportional_16_test_acc_Webcam = Fraction("77.40")  # table03_domain_shift: OfficeCaltech10, FedAvg, proportional, 16, test_acc, Webcam
stated_EA_P12_gain = Fraction("10")  # stated: EA-P12, gain
left = 100*table03_domain_shift_OfficeCaltech10_FedAvg_exp_alpha_16_test_acc_Webcam/table03_domain_shift_OfficeCaltech10_FedAvg_proportional_16_test_acc_Webcam - 100
right = stated_EA_P12_gain + Fraction(1, 2)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
