"""Counterexample to FA-PR4.1.

Reading: given the model of the round.
Family: one noisy client, server step 1 (eta_g = 1).
The form 20961/67108864 tends to 20961/67108864 as n grows (|lhs − limit|).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction
from typing import Any

def consensus_given(T: Any, eta_g: Any) -> tuple[Any, Any]:
    """One client x^2/2 at its optimum, K = 1, noise of variance 1: (mean of E(E[G|x])^2 over T rounds, 0)."""
    eta_l = Fraction(1, 8)
    r = (1 - eta_g * eta_l) ** 2
    level = (eta_g * eta_l) ** 2 / (1 - r)
    return eta_l**2 * level * (1 - (1 - r ** int(T)) / (T * (1 - r))), Fraction(0)


confirmed = True
for n in map(Fraction, [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]):
    *sides, claimed = map(Fraction, consensus_given(T=n, eta_g=Fraction(1)))
    low, high = sides[0], sides[-1]
    quotient = max(Fraction(0), low - claimed, claimed - high)
    form = Fraction(20961, 67108864)
    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")
    confirmed = confirmed and quotient >= form
print("violated" if confirmed else "NOT violated")
raise SystemExit(0 if confirmed else 1)
