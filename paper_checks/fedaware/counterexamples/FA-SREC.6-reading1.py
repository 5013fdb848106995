"""Counterexample to FA-SREC.6.

Reading: first: the last terms only.
Instance: T = 2.
Claimed: The sum over the past is replaced by twice the last term, then by the larger, then by the newest update.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def sequences_exact(x: Mapping[str, Any]) -> Exact:
    """Squared norms of a sequence of updates, and the recursion for the error with each step's bound partly used."""
    a, b, error, T = x["norms"], x["beta"], Fraction(0), len(x["norms"]) - 1
    for t in range(1, T + 1):
        error = x["kept"][t - 1] * b * (error + a[t - 1] + a[t])
    total = sum(b ** (T - k) * (a[k] + a[k + 1]) for k in range(T))
    met = {"0 < beta < 1, steps at most as bounded": 0 < b < 1 and min(x["kept"]) >= 0 and max(x["kept"]) <= 1}
    return met, {
        "lhs": error if x["part"] == 0 else total,
        "beta": b,
        "newest": a[-1],
        "before": a[-2],
        "ceiling": total,
        "top": max(a),
    }


INSTANCE = {
    'norms': [Fraction(1), Fraction(1), Fraction(1, 2)],
    'beta': Fraction(7, 8),
    'kept': [Fraction(0), Fraction(0)],
    'part': Fraction(1),
}
hypotheses, constants = sequences_exact(INSTANCE)
before = constants["before"]
beta = constants["beta"]
newest = constants["newest"]
lhs = constants["lhs"]
rhs = Fraction(2*beta*(before + newest))
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
