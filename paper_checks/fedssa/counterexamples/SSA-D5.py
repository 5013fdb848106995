"""Counterexample to SSA-D5.

Reading: p is best for the error itself.
Instance: 3 clients.
Claimed: Some weights minimise the bound, and weights close to p are to be sought.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def limits_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The fixed points of the round map for weights p and w; F_k = h_k/2 (theta - m_k)^2, tau exact steps."""
    h, m, p, tau = x["curvature"], x["optimum"], x["share"], int(x["local_steps"])
    n, eta, slopes = len(h), x["reach"] / (x["local_steps"] * max(h)), []
    moved = [1 - (1 - eta * c) ** tau for c in h]
    for a in (p, x["weights"]):
        rest = sum(a[k] * moved[k] * m[k] for k in range(n)) / sum(a[k] * moved[k] for k in range(n))
        slopes.append(sum(p[k] * h[k] * (rest - m[k]) for k in range(n)) ** 2)
    met = {
        "p and w on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in (p, x["weights"])),
        "eta L <= 1/(2 tau)": 0 < 2 * x["reach"] <= 1 and min(h) > 0,
    }
    return met, {"lhs": slopes[0] - slopes[1]}


INSTANCE = {
    'curvature': [Fraction(1, 10), Fraction(1), Fraction(2)],
    'optimum': [Fraction(0), Fraction(0), Fraction(-1)],
    'share': [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)],
    'weights': [Fraction(0), Fraction(1, 2), Fraction(1, 2)],
    'reach': Fraction(1, 2),
    'local_steps': Fraction(20),
}
hypotheses, constants = limits_exact(INSTANCE)
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
