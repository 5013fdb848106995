"""Counterexample to EA-T1d.

Reading: equal term by term.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

E = Fraction(3)
G2 = Fraction(3)
Gamma = Fraction(3)
L = Fraction(3)
T = Fraction(3)
delta0 = Fraction(3)
gamma = Fraction(3)
mu = Fraction(3)
noise = Fraction(3)
left = L*(delta0*gamma/2 + (2*G2*(8*E - 8) + 12*Gamma*L + 2*noise)/mu**2)/(T + gamma)
right = L*(delta0*gamma*mu/2 + (16*G2*(E - 1)**2 + 12*Gamma*L + 2*noise)/mu)/(mu*(T + gamma))
print(f"left side  = {left}")
print(f"right side = {right}")
print("violated" if left != right else "NOT violated")
raise SystemExit(0 if left != right else 1)
