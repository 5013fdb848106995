"""Counterexample to EA-D5.

Reading: path by path or in expectation.
Instance: one client, paths.
Claimed: Γ, Ω and Ω_pr are non-negative, finite and well defined.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def one_number_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One client h/2 w^2, steps of size length/h: two ways to take Omega over the noise +-n, or over T and T + 1 steps."""
    h, w, s = x["curvature"], x["point"], x["length"]
    met = {"A1, A2": h > 0, "0 < eta L < 1": 0 < s < 1}
    start = h * w * w / 2
    if "paths" in x:
        ends = [h * ((1 - s) * w + sign * s / h * x["noise"]) ** 2 / 2 for sign in (1, -1)]
        lhs = min(start, sum(ends) / 2) - sum(min(start, e) for e in ends) / 2
        return met, {"lhs": lhs, "nothing": Fraction(0)}
    T = int(x["T"])
    over = [min(h * ((1 - s) ** t * w) ** 2 / 2 for t in range(last)) for last in (T, T + 1)]
    return met, {"lhs": over[0] - over[1], "nothing": Fraction(0)}


INSTANCE = {
    'curvature': Fraction(7),
    'point': Fraction(1, 2),
    'noise': Fraction(4),
    'length': Fraction(1, 2),
    'T': Fraction(1),
    'paths': Fraction(1),
}
hypotheses, constants = one_number_exact(INSTANCE)
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
