"""Counterexample to EA-ALG4.

Reading: i runs over clients 1 … K.
Instance: 1 of 2 clients, first K.
Claimed: At a synchronisation every client becomes the plain mean of K draws, which on average is the weighted mean.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def first_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(1/K) sum_(i=1)^K V_i over the clients numbered 1 to K, less sum rho_i V_i, squared."""
    a, v, K = x["weights"], x["local"], int(x["K"])
    gap = sum(v[:K]) / K - sum(w * u for w, u in zip(a, v, strict=True))
    return {"weights on the simplex": sum(a) == 1 and min(a) >= 0}, {"lhs": gap * gap, "nothing": Fraction(0)}


INSTANCE = {
    'weights': [Fraction(1, 2), Fraction(1, 2)],
    'local': [Fraction(0), Fraction(-1)],
    'K': Fraction(1),
}
hypotheses, constants = first_exact(INSTANCE)
nothing = constants["nothing"]
lhs = constants["lhs"]
rhs = Fraction(nothing)
for name, met in hypotheses.items():
    print(f"hypothesis {name}: {met}")
for side, value in (("left side ", lhs), ("right side", rhs)):
    short = max(abs(value.numerator), value.denominator) < 10**60
    try:
        about = f"{float(value):.6g}"
    except OverflowError:
        about = "beyond the range of floats"
    print(f"{side} = {value} = {about}" if short else f"{side} = about {about}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
