"""Counterexample to SSA-O10.

Reading: convolutions counted.
Claimed: convolutional layers of Sec. 5.1 and B.3.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

text = Fraction("3")  # Sec. 5.1, «3 convolutional layers and 3 fully-connected layers»
conv = Fraction("2")  # B.3, convolution layers in «5 × 5 convolution layer, max-pooling layer, 5 × 5 convolution layer»
left = text
right = conv
print(f"claimed: {left} == {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left == right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
