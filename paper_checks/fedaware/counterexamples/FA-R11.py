"""Counterexample to FA-R11.

Reading: β small in practice.
Instance: the settings of §5.
Claimed: Compared with (13), partial participation only adds minor terms multiplied by β, which is small.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def forgetting_exact(x: Mapping[str, Any]) -> Checked:
    """beta = (1 - alpha p)^2 against 1/2, the most generous reading of beta << 1."""
    met = {"p = 1/10, alpha from the paper's grid": x["share"] == Fraction(1, 10) and 0 < x["alpha"] < 1}
    return met, {"lhs": (1 - x["alpha"] * x["share"]) ** 2 - Fraction(1, 2)}


INSTANCE = {
    'alpha': Fraction(1, 2),
    'share': Fraction(1, 10),
}
hypotheses, constants = forgetting_exact(INSTANCE)
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
