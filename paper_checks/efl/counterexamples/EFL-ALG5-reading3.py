"""Counterexample to EFL-ALG5.

Reading: any unit; u and v counted.
Claimed: FedAvg's bits a round, EMNIST is at most EFL's bits a round, EMNIST.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table2_EMNIST_FedAvg_non_IID_total_comm_bits = Fraction("2.292e4")  # table2: EMNIST, FedAvg, non-IID, total_comm_bits
table2_EMNIST_FedAvg_non_IID_comm_rounds_x100 = Fraction("66")  # table2: EMNIST, FedAvg, non-IID, comm_rounds_x100
table2_EMNIST_EFL_non_IID_total_comm_bits = Fraction("4.526e3")  # table2: EMNIST, EFL, non-IID, total_comm_bits
table2_EMNIST_EFL_non_IID_comm_rounds_x100 = Fraction("41")  # table2: EMNIST, EFL, non-IID, comm_rounds_x100
left = table2_EMNIST_FedAvg_non_IID_total_comm_bits/(100*table2_EMNIST_FedAvg_non_IID_comm_rounds_x100)
right = table2_EMNIST_EFL_non_IID_total_comm_bits/(100*table2_EMNIST_EFL_non_IID_comm_rounds_x100)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
