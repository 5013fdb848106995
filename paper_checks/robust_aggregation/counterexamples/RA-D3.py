"""Counterexample to RA-D3.

Reading: as printed, Fᵢ* = F(wᵢ*).
Instance: clients on a line, N = 2.
Claimed: Fᵢ* is the least value of Fᵢ, so no client has a negative excess.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def floors_exact(x: Mapping[str, Any]) -> Exact:
    """-min_i (F_i(w) - F_i*), F_i*: 1 F(w_i*) as printed, 2 F_i(w*), 0 F_i(w_i*) = 0."""
    p, h, m, w = x["share"], x["curvature"], x["optimum"], x["model"]
    terms = list(zip(p, h, m, strict=True))
    best = sum(q * k * c for q, k, c in terms) / sum(q * k for q, k, _ in terms)
    floors = [Fraction(0) for _ in m]
    if x["as_printed"] == 1:
        floors = [sum(q * k * (at - c) ** 2 / 2 for q, k, c in terms) for at in m]
    elif x["as_printed"] == 2:
        floors = [k * (best - c) ** 2 / 2 for _, k, c in terms]
    return {"shares on the simplex": sum(p) == 1}, {
        "lhs": -min(k * (w - c) ** 2 / 2 - f for k, c, f in zip(h, m, floors, strict=True))
    }


INSTANCE = {
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'curvature': [Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(-1)],
    'model': Fraction(0),
    'as_printed': Fraction(1),
}
hypotheses, constants = floors_exact(INSTANCE)
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
