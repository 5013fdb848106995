"""Counterexample to SSA-D6.

Reading: in rounds and clients.
Family: T = 2n², K = n².
The form (2*n**4 + 5*n**3 - 2)/(n**3 - 3*n) tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

def root_exact(x: Fraction) -> Fraction:
    """The square root of a whole number that is a square."""
    r = int(x)
    while r * r > x:
        r = (r + int(x) // r) // 2
    if r * r != x:
        raise ValueError(f"root_exact({x}): not a square")
    return Fraction(r)


def right_side(T: Fraction, K: Fraction, eta: Fraction) -> Fraction:
    """Theorem A.5's right side at w = p uniform, tau = 2, L = A = B = sigma^2 = F(start) - F_inf = 1."""
    C = 4 * eta**2
    total = 2 * (1 - C) / (2 * eta * T) + 2 * (1 - C) * eta / K + 2 * eta**2 + 2 * C
    return total / (1 - 3 * C)


def per_client(T: Fraction, K: Fraction) -> list[Fraction]:
    """(bound, 1/sqrt(K tau T)) at eta = 1/sqrt(tau T)."""
    return [right_side(T, K, 1 / root_exact(2 * T)), 1 / root_exact(2 * T * K)]


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384]):
    *sides, claimed = map(Fraction, per_client(T=2*n**2, K=n**2))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = (2*n**4 + 5*n**3 - 2)/(n**3 - 3*n)
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
