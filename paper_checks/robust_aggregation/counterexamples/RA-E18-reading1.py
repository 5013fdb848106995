"""Counterexample to RA-E18.

Reading: minus sign as printed.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

G2 = Fraction(1)
Gamma = Fraction(1)
L = Fraction(1)
delta0 = Fraction(1)
gamma = Fraction(1)
mu = Fraction(1)
sigma2 = Fraction(1)
tau = Fraction(1)
left = 8*Gamma*L**2/mu**2 + L*delta0*gamma/2 + 4*L*(32*G2*tau**2 + sigma2)/(3*mu**2)
right = 8*Gamma*L**2/mu**2 + L*delta0*gamma/2 + (-32*G2*tau**2 + 4*L + sigma2)/(3*mu**2)
print(f"left side  = {left}")
print(f"right side = {right}")
print("violated" if left != right else "NOT violated")
raise SystemExit(0 if left != right else 1)
