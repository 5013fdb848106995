"""Counterexample to EFL-P6.

Reading: by far: less than half.
Claimed: EMNIST: 2 × EFL's drop to non-IID(1) is below APFL's.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

efl_iid = Fraction("87.62")  # table6: EMNIST, EFL, IID
efl_skewed = Fraction("75.27")  # table6: EMNIST, EFL, non-IID(1)
other_iid = Fraction("84.33")  # table6: EMNIST, APFL, IID
other_skewed = Fraction("61.04")  # table6: EMNIST, APFL, non-IID(1)
left = 2*efl_iid - 2*efl_skewed
right = other_iid - other_skewed
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
