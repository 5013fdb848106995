"""Counterexample to RA-R3.

Reading: the gap itself.
Family: all weight on one client (w0 = 0).
The form n**3/(2*n**2 + 12*n + 18) tends to oo as n grows (lhs/claimed).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def left_out(T: Any) -> Any:
    """The product of 1 - 1/(t + 4) over t < T."""
    return 3 / (T + 3)


def one_client_gap(T: Any, w0: Any) -> tuple[Any, Any]:
    """Two equal shares, curvature 1, optima -1 and 1, all weight on the second, eta_t = 1/(t + 4): F(w_T) - F*."""
    w = 1 + (w0 - 1) * left_out(T)
    return w**2 / 2, 1 / T


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, one_client_gap(T=n, w0=Fraction(0)))
    low, high = sides[0], sides[-1]
    quotient = low / claimed
    form = n**3/(2*n**2 + 12*n + 18)
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
