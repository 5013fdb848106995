"""Counterexample to EFL-P23.

Reading: for small ε, one method at least at each point.
Claimed: EFL's rate is at most SCAFFOLD's at G = 0.1, L = 1, mu = 0.1, S = 10, delta = 0.1, √eps = 0.01 or MIME's.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

G_ = Fraction("0.1")  # chosen: G
L_ = Fraction("1")  # chosen: L
mu_ = Fraction("0.1")  # chosen: mu
S_ = Fraction("10")  # chosen: S
r_ = Fraction("0.01")  # chosen: √eps
delta_ = Fraction("0.1")  # chosen: delta
left = G_**2/(S_*mu_*r_**2) + L_/(mu_*r_)
right = max(G_**2/(S_*mu_*r_**2) + delta_/mu_, G_**2/(S_*mu_*r_**2) + G_/(mu_*r_) + L_/mu_)
print(f"claimed: {left} <= {right}  ({float(left):.6g}, {float(right):.6g})")
holds = left <= right
print("NOT violated" if holds else "violated")
raise SystemExit(1 if holds else 0)
