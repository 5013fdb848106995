"""Counterexample to FA-R1.

Reading: the result, term by term.
Family: η_g = 1, η_l → 0 (K = 1, local = 0, eta_g = 1).
The form n tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

def inserted(eta_l: Fraction, eta_g: Fraction, T: Fraction, K: Fraction, local: Fraction) -> tuple[Fraction, Fraction]:
    """eta Psi with rho <= K eta_l^2 (local + 6 K) put in, and the right side of (4), with F* = sigma_g^2 = L = 1."""
    eta = eta_l * eta_g
    return eta * (local + 6 * K), 1 / (eta * K * T) + eta * local + eta_l**2 * K * local + (eta_l * K) ** 2


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, inserted(eta_l=1/(240*n), T=1000000*n**4, K=Fraction(1), local=Fraction(0), eta_g=Fraction(1)))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = n
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
