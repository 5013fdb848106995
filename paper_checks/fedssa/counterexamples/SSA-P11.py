"""Counterexample to SSA-P11.

Reading: accuracy minus the base in Table 1.
Claimed: the mean over 5 methods (accuracy minus Table 1) is 47.35.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

stated = Fraction("47.35")  # text, Sec. 5.2
after0 = Fraction("96.55")  # table3: accuracy, Skew, FedAvg+FedSSA
base0 = Fraction("56.10")  # table1: CIFAR-10, NIID-1, Skew, FedAvg, accuracy
after1 = Fraction("93.90")  # table3: accuracy, Skew, FedProx+FedSSA
base1 = Fraction("42.20")  # table1: CIFAR-10, NIID-1, Skew, FedProx, accuracy
after2 = Fraction("94.95")  # table3: accuracy, Skew, SCAFFOLD+FedSSA
base2 = Fraction("74.40")  # table1: CIFAR-10, NIID-1, Skew, SCAFFOLD, accuracy
after3 = Fraction("95.56")  # table3: accuracy, Skew, FedDyn+FedSSA
base3 = Fraction("67.70")  # table1: CIFAR-10, NIID-1, Skew, FedDyn, accuracy
after4 = Fraction("95.85")  # table3: accuracy, Skew, MOON+FedSSA
base4 = Fraction("37.60")  # table1: CIFAR-10, NIID-1, Skew, MOON, accuracy
left = abs(-after0/5 - after1/5 - after2/5 - after3/5 - after4/5 + base0/5 + base1/5 + base2/5 + base3/5 + base4/5 + stated)
right = Fraction(1, 100)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
