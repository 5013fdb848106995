"""Counterexample to EFL-ALG3.

Reading: «equivalent to increasing the learning rate», any s.
Instance: one client, s = 2.
Claimed: Enlarging the coefficient of clients that finish fewer steps makes every round unbiased, like a larger learning rate.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def faster_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The move of s steps with the coefficient c times as large, against s steps with the step size c times as large."""
    h, m, s = x["curvature"], x["optimum"], int(x["done"])
    ends = []
    for eta in (x["length"] / h, x["factor"] * x["length"] / h):
        w = x["start"]
        for _ in range(s):
            w = w - eta * h * (w - m)
        ends.append(w - x["start"])
    return {"c >= 1, c eta h <= 1": x["factor"] >= 1 and x["factor"] * x["length"] <= 1}, {
        "lhs": abs(x["factor"] * ends[0] - ends[1])
    }


INSTANCE = {
    'curvature': Fraction(1),
    'optimum': Fraction(0),
    'start': Fraction(-1),
    'length': Fraction(1, 2),
    'factor': Fraction(2),
    'done': Fraction(2),
}
hypotheses, constants = faster_exact(INSTANCE)
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
