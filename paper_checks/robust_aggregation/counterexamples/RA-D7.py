"""Counterexample to RA-D7.

Reading: defined for every weights on the simplex.
Instance: two clients, all weight on one of them.
Claimed: V and E are well-defined, non-negative amounts of loss.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def undefined_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """1 where rho = 0, so that V and E have no value: two equal shares, optima +-1, weights (a, 1 - a), model w."""
    a, w = x["a"], x["w"]
    skew = (a * (w - 1) ** 2 + (1 - a) * (w + 1) ** 2) / (((w - 1) ** 2 + (w + 1) ** 2) / 2)
    met = {"0 <= a <= 1": 0 <= a <= 1, "rho is defined": True}
    return met, {"lhs": Fraction(int(skew == 0))}


INSTANCE = {
    'a': Fraction(0),
    'w': Fraction(-1),
}
hypotheses, constants = undefined_exact(INSTANCE)
lhs = constants["lhs"]
rhs = Fraction(0)
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
