"""Counterexample to RA-A4.

Reading: at every point of ℝᵈ.
Instance: one sample of two.
Claimed: There is a G that bounds the mini-batch gradients.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def noisy_exact(x: Mapping[str, Any]) -> Exact:
    """Variance, or second moment, of a gradient of one sample of two, minus its supposed bound."""
    (h, k), (c, e), R = x["curvature"], x["sample"], x["bound"]
    offset, pull = abs(h * c - k * e), max(h * abs(c), k * abs(e))
    if x["where"] > 0:
        w = x["inside"] * R
    elif x["what"] == 0:
        w = x["reach"] * (2 * R + offset) / abs(h - k)
    else:
        w = x["reach"] * (R + pull) / min(h, k)
    first, second = h * (w - c), k * (w - e)
    mean = (first + second) / 2
    if x["what"] == 0:
        offset = offset if x["where"] == 1 else Fraction(0)
        value, within = ((first - mean) ** 2 + (second - mean) ** 2) / 2, (abs(h - k) * R + offset) ** 2 / 4
    else:
        pull = pull if x["where"] == 1 else Fraction(0)
        value, within = (first**2 + second**2) / 2, (max(h, k) * R + pull) ** 2
    met = {
        "strong convexity and smoothness": min(h, k) > 0,
        "bound positive": R > 0,
        "inside the ball": abs(x["inside"]) <= 1,
    }
    return met, {"lhs": value - (within if x["where"] > 0 else R**2)}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1)],
    'sample': [Fraction(0), Fraction(0)],
    'bound': Fraction(1),
    'reach': Fraction(2),
    'inside': Fraction(0),
    'what': Fraction(1),
    'where': Fraction(0),
}
hypotheses, constants = noisy_exact(INSTANCE)
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
