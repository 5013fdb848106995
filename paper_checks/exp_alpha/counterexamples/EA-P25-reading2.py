"""Counterexample to EA-P25.

Reading: within a tenth.
Claimed: table05_splits_office: training sets differ by at most 0.1 of the first.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table05_splits_office_OfficeCaltech10_Caltech_train = Fraction("628")  # table05_splits_office: OfficeCaltech10, Caltech, train
table05_splits_office_OfficeCaltech10_DSLR_train = Fraction("87")  # table05_splits_office: OfficeCaltech10, DSLR, train
table05_splits_office_OfficeCaltech10_Amazon_train = Fraction("536")  # table05_splits_office: OfficeCaltech10, Amazon, train
left = table05_splits_office_OfficeCaltech10_Caltech_train - table05_splits_office_OfficeCaltech10_DSLR_train
right = table05_splits_office_OfficeCaltech10_Amazon_train/10
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
