"""Counterexample to EFL-P1.

Reading: 10% fewer bits, in every case.
Claimed: |EFL's bits over FedAvg's, EMNIST − (1 − (stated: EFL-P1, share / 100))| is at most 0.05.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table2_EMNIST_EFL_non_IID_total_comm_bits = Fraction("4.526e3")  # table2: EMNIST, EFL, non-IID, total_comm_bits
table2_EMNIST_FedAvg_non_IID_total_comm_bits = Fraction("2.292e4")  # table2: EMNIST, FedAvg, non-IID, total_comm_bits
stated_EFL_P1_share = Fraction("10")  # stated: EFL-P1, share
left = abs(stated_EFL_P1_share/100 + table2_EMNIST_EFL_non_IID_total_comm_bits/table2_EMNIST_FedAvg_non_IID_total_comm_bits - 1)
right = Fraction(1, 20)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
