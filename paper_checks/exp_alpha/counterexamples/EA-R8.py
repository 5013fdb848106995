"""Counterexample to EA-R8.

Reading: an epoch is 4 batches of 64, as in A.3.
Claimed: DomainNet, Real: two passes is below 16 steps with backward passes of 4 forward passes.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

table06_splits_domainnet_DomainNet_Real_train = Fraction("3404")  # table06_splits_domainnet: DomainNet, Real, train
table04_implementation_DomainNet_batch_size = Fraction("64")  # table04_implementation: DomainNet [batch_size]
left = 2*table06_splits_domainnet_DomainNet_Real_train
right = 80*table04_implementation_DomainNet_batch_size
print(f"claimed: {left} < {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left < right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
