"""Counterexample to EA-P25.

Reading: the samples of an epoch.
Claimed: OfficeCaltech10: samples of an epoch is at most table05_splits_office: OfficeCaltech10, DSLR, train.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table04_implementation_OfficeCaltech10_steps_per_epoch = Fraction("4")  # table04_implementation: OfficeCaltech10 [steps_per_epoch]
table04_implementation_OfficeCaltech10_batch_size = Fraction("64")  # table04_implementation: OfficeCaltech10 [batch_size]
table05_splits_office_OfficeCaltech10_DSLR_train = Fraction("87")  # table05_splits_office: OfficeCaltech10, DSLR, train
left = table04_implementation_OfficeCaltech10_batch_size*table04_implementation_OfficeCaltech10_steps_per_epoch
right = table05_splits_office_OfficeCaltech10_DSLR_train
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
