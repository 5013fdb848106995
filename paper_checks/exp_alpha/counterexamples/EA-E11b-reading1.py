"""Counterexample to EA-E11b.

Reading: as printed, an equality.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

E = Fraction(2)
G2 = Fraction(2)
Gamma = Fraction(2)
L = Fraction(2)
Omega = Fraction(3)
T = Fraction(2)
delta0 = Fraction(2)
gamma = Fraction(2)
mu = Fraction(2)
noise = Fraction(2)
left = L*(delta0*gamma/2 + 2*(G2*(8*E - 8) + 6*L*Omega + mu*(Gamma - Omega)*(T + gamma) + noise)/mu**2)/(T + gamma)
right = L*(delta0*gamma/2 + (2*G2*(8*E - 8) + 12*L*Omega + 2*noise)/mu**2)/(T + gamma) + L*(Gamma - Omega)/mu
print(f"left side  = {left}")
print(f"right side = {right}")
print("violated" if left != right else "NOT violated")
raise SystemExit(0 if left != right else 1)
