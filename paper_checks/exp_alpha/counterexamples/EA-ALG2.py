"""Counterexample to EA-ALG2.

Reading: any 𝒰 >= 0.
Instance: 1 clients.
Claimed: Every non-negative, non-decreasing 𝒰 gives weights on the simplex.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def defined_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """1 where every weight is 0, else |sum of the weights - 1|; U(y) = height_0 + the heights_k with y >= -drop_k."""
    n = range(len(x["size"]))
    factor = [len(x["size"]) * s / sum(x["size"]) for s in x["size"]]
    raw = []
    for i in n:
        y = -factor[i] * x["excess"][i]
        raw.append(
            factor[i] * (x["height"][0] + sum(b for b, d in zip(x["height"][1:], x["drop"], strict=True) if y >= -d))
        )
    met = {
        "sizes positive, excess losses >= 0": min(x["size"]) > 0 and min(x["excess"]) >= 0,
        "U non-negative": min(x["height"]) >= 0,
        "U positive everywhere, where asked": "any" in x or x["height"][0] > 0,
    }
    lhs = abs(sum(r / sum(raw) for r in raw) - 1) if sum(raw) > 0 else Fraction(1)
    return met, {"lhs": lhs, "nothing": Fraction(0)}


INSTANCE = {
    'size': [Fraction(1)],
    'excess': [Fraction(1)],
    'drop': [Fraction(1), Fraction(1, 2)],
    'height': [Fraction(0), Fraction(0), Fraction(1)],
    'any': Fraction(1),
}
hypotheses, constants = defined_exact(INSTANCE)
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
