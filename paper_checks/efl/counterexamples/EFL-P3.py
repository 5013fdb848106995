"""Counterexample to EFL-P3.

Reading: than each method of Table 2.
Claimed: table2: EMNIST, EFL, non-IID, comm_rounds_x100 is below table2: EMNIST, FedProx, non-IID, comm_rounds_x100.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table2_EMNIST_EFL_non_IID_comm_rounds_x100 = Fraction("41")  # table2: EMNIST, EFL, non-IID, comm_rounds_x100
table2_EMNIST_FedProx_non_IID_comm_rounds_x100 = Fraction("38")  # table2: EMNIST, FedProx, non-IID, comm_rounds_x100
left = table2_EMNIST_EFL_non_IID_comm_rounds_x100
right = table2_EMNIST_FedProx_non_IID_comm_rounds_x100
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
