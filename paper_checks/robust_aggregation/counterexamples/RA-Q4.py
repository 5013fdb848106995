"""Counterexample to RA-Q4.

Reading: every federation with Γ > 0.
Instance: two clients of one curvature, start between them.
Claimed: No weights minimise V and E together: some have a larger ρ̄ than FedAvg, for which E = 0 is least.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def no_faster_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """1 if the largest rho(0, w_0) of any weights is 1, that of p, so that rho-bar <= 1 for all weights; else 0."""
    p, centers = [x["share"], 1 - x["share"]], [Fraction(-1), Fraction(1)]
    best = sum(q * c for q, c in zip(p, centers, strict=True))
    first, at_best = ([x["curvature"] * (v - c) ** 2 / 2 for c in centers] for v in (x["start"], best))
    Gamma = sum(q * u for q, u in zip(p, at_best, strict=True))
    largest = max(first) / sum(q * u for q, u in zip(p, first, strict=True))
    met = {
        "0 < p_1 < 1": 0 < x["share"] < 1,
        "Gamma > 0": Gamma > 0,
        "the losses at w* differ": at_best[0] != at_best[1],
    }
    return met, {"lhs": Fraction(int(largest <= 1))}


INSTANCE = {
    'share': Fraction(1, 4),
    'curvature': Fraction(1),
    'start': Fraction(0),
}
hypotheses, constants = no_faster_exact(INSTANCE)
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
