"""Counterexample to EFL-P14.

Reading: all data sets.
Claimed: Shakespeare: gain to q = 0.6 is below gain to q = 0.3.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table4_Shakespeare_EFL_q_0_6_test_accuracy = Fraction("60.49")  # table4: Shakespeare, EFL, q=0.6, test_accuracy
table4_Shakespeare_EFL_q_0_3_test_accuracy = Fraction("55.15")  # table4: Shakespeare, EFL, q=0.3, test_accuracy
table4_Shakespeare_EFL_q_0_1_test_accuracy = Fraction("53.07")  # table4: Shakespeare, EFL, q=0.1, test_accuracy
left = -table4_Shakespeare_EFL_q_0_3_test_accuracy + table4_Shakespeare_EFL_q_0_6_test_accuracy
right = -table4_Shakespeare_EFL_q_0_1_test_accuracy + table4_Shakespeare_EFL_q_0_3_test_accuracy
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
