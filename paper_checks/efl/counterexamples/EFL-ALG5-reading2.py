"""Counterexample to EFL-ALG5.

Reading: any unit; FedAvg and FedProx send dense models.
Claimed: |(FedProx's bits a round, EMNIST / FedAvg's bits a round, EMNIST) − 1| is at most 0.1.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table2_EMNIST_FedProx_non_IID_total_comm_bits = Fraction("2.466e4")  # table2: EMNIST, FedProx, non-IID, total_comm_bits
table2_EMNIST_FedProx_non_IID_comm_rounds_x100 = Fraction("38")  # table2: EMNIST, FedProx, non-IID, comm_rounds_x100
table2_EMNIST_FedAvg_non_IID_total_comm_bits = Fraction("2.292e4")  # table2: EMNIST, FedAvg, non-IID, total_comm_bits
table2_EMNIST_FedAvg_non_IID_comm_rounds_x100 = Fraction("66")  # table2: EMNIST, FedAvg, non-IID, comm_rounds_x100
left = abs(table2_EMNIST_FedAvg_non_IID_comm_rounds_x100*table2_EMNIST_FedProx_non_IID_total_comm_bits/(table2_EMNIST_FedAvg_non_IID_total_comm_bits*table2_EMNIST_FedProx_non_IID_comm_rounds_x100) - 1)
right = Fraction(1, 10)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
