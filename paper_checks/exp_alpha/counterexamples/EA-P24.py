"""Counterexample to EA-P24.

Reading: a unit off.
Claimed: table03_domain_shift: OfficeCaltech10, FedBN, proportional, 16, test_acc, Amazon is a whole number of 576 samples, rounded.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table03_domain_shift_OfficeCaltech10_FedBN_proportional_16_test_acc_Amazon = Fraction("76.30")  # table03_domain_shift: OfficeCaltech10, FedBN, proportional, 16, test_acc, Amazon
table05_splits_office_OfficeCaltech10_Amazon_test = Fraction("192")  # table05_splits_office: OfficeCaltech10, Amazon, test
left = abs(table03_domain_shift_OfficeCaltech10_FedBN_proportional_16_test_acc_Amazon - 43900/(3*table05_splits_office_OfficeCaltech10_Amazon_test))
right = Fraction(3, 200)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
