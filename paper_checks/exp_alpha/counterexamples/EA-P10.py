"""Counterexample to EA-P10.

Reading: within 1 point.
Claimed: more than half of 30 differences are at most 1 points.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table03_domain_shift_DomainNet_FedAvg_proportional_16_test_acc_Infograph = Fraction("38.81")  # table03_domain_shift: DomainNet, FedAvg, proportional, 16, test_acc, Infograph
table03_domain_shift_DomainNet_FedAvg_exp_alpha_16_test_acc_Infograph = Fraction("39.93")  # table03_domain_shift: DomainNet, FedAvg, exp_alpha, 16, test_acc, Infograph
left = abs(table03_domain_shift_DomainNet_FedAvg_exp_alpha_16_test_acc_Infograph - table03_domain_shift_DomainNet_FedAvg_proportional_16_test_acc_Infograph)
right = 1
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
