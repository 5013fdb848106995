"""Counterexample to FA-R12.

Reading: in the bound (16), some averaging against none.
Instance: any α and p.
Claimed: A suitable α lowers the influence of the gradient noise.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def gained_exact(x: Mapping[str, Any]) -> Checked:
    """16 chi gamma (beta(alpha) - beta(1)), in units of the rest; or beta at a smaller alpha for beta(1)."""
    a, p = x["alpha"], x["share"]
    other = a * x["less"] if "less" in x else Fraction(1)
    met = {"0 < alpha < 1, 0 < p <= 1": 0 < a < 1 and 0 < p <= 1, "the other alpha in (0, 1]": 0 < other <= 1}
    return met, {"lhs": 16 * x["chi"] * ((1 - a * p) ** 2 - (1 - other * p) ** 2)}


INSTANCE = {
    'alpha': Fraction(1, 2),
    'share': Fraction(1),
    'chi': Fraction(1),
}
hypotheses, constants = gained_exact(INSTANCE)
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
