"""Counterexample to EFL-TAB1.

Reading: the row follows from Theorem 1.
Family: mu = 1/n, tau = n⁴.
The form n/8 tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def seven_inverted(tau: Any, mu: Any) -> tuple[Fraction, Fraction]:
    """(tau, EFL's row of Table 1 or more) at the accuracy that (7) has after tau rounds; E = 1, all clients, r = 0.

    L = G = S = 1, sigma = D = 0, theta = 2, Delta_0 = 1: gamma = 96/mu, C = gamma^2 + 512 tau/mu^2. L/(mu sqrt(eps)) is
    replaced by L/mu max(1, 1/eps), which is no less.
    """
    gamma = 96 / Fraction(mu)
    eps = (gamma**2 + 512 * tau / Fraction(mu) ** 2) / (tau + gamma) ** 2
    return Fraction(tau), 1 / (mu * eps) + max(Fraction(1), 1 / eps) / mu


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, seven_inverted(tau=n**4, mu=1/n))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = n/8
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
