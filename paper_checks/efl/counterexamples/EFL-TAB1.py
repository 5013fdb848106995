"""Counterexample to EFL-TAB1.

Reading: no larger order than SCAFFOLD, whatever L.
Family: L = 1/ε (G = 1, mu = 1, S = 1).
The form (n**2 + n)/(2*n + 1) tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def efl_scaffold(root: Any, G: Any, L: Any, mu: Any, S: Any) -> tuple[Fraction, Fraction]:
    """(rounds of EFL, rounds of SCAFFOLD) to accuracy eps = root^2, as Table 1 prints them."""
    first = Fraction(G**2) / (mu * S * root**2)
    return first + Fraction(L) / (mu * root), first + Fraction(G) / (mu * root) + Fraction(L) / mu


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, efl_scaffold(root=1/n, L=n**2, G=Fraction(1), mu=Fraction(1), S=Fraction(1)))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = (n**2 + n)/(2*n + 1)
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
