"""Counterexample to RA-E18.

Reading: minus sign as printed.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

apart = Fraction(1)
away = Fraction(1)
more = Fraction(1)
mu = Fraction(1)
sigma2 = Fraction(1)
tau = Fraction(1)
left = 4*apart**2*(more + mu)**2/mu + away**2*(more + mu)*(4*more + 4*mu)/(2*mu) + 4*(more + mu)*(sigma2 + 32*tau**2*(mu**2*(apart + away)**2 + sigma2))/(3*mu**2)
right = 4*apart**2*(more + mu)**2/mu + away**2*(more + mu)*(4*more + 4*mu)/(2*mu) + (4*more + 4*mu + sigma2 - 32*tau**2*(mu**2*(apart + away)**2 + sigma2))/(3*mu**2)
print(f"left side  = {left}")
print(f"right side = {right}")
print("violated" if left != right else "NOT violated")
raise SystemExit(0 if left != right else 1)
