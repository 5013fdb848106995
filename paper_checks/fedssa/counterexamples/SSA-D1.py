"""Counterexample to SSA-D1.

Reading: the conventional form gives A.4.
Instance: 2 1-D clients.
Claimed: Bounding every client's gradient instead of the weighted mean is only a slight change of the assumption.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def constants_exact(x: Mapping[str, Any]) -> Checked:
    """Smallest B of one form less what the other's allows; both forms for all w at the same A."""
    h, m, p = x["curvature"], x["optimum"], x["share"]
    clients = range(len(h))
    H = sum(p[k] * h[k] for k in clients)
    best = sum(p[k] * h[k] * m[k] for k in clients) / H
    lean, pull = [h[k] / H for k in clients], [h[k] * (best - m[k]) for k in clients]
    A = max(v * v for v in lean) * (1 + x["slack"])
    way = int(x["way"])
    least = min(p) if way == 2 else Fraction(1)
    own = max(pull[k] ** 2 / (1 - lean[k] ** 2 * least / A) for k in clients)
    mean = sum(p[k] * lean[k] * pull[k] for k in clients)
    mixed = sum(p[k] * pull[k] ** 2 for k in clients) + mean**2 / (A - sum(p[k] * lean[k] ** 2 for k in clients))
    gap = [mixed - own, own - mixed, own - mixed / least, mixed - own / 2][way]
    met = {
        "convex quadratics": min(h) > 0,
        "p positive, of sum 1": sum(p) == 1 and min(p) > 0,
        "A large enough for both forms": max(v * v for v in lean) < A,
        "clients that differ": any(v != 0 for v in pull),
    }
    return met, {"lhs": gap / max(v * v for v in pull)}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(-1)],
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'slack': Fraction(1),
    'way': Fraction(1),
}
hypotheses, constants = constants_exact(INSTANCE)
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
