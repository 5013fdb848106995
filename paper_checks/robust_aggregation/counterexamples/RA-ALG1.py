"""Counterexample to RA-ALG1.

Reading: as printed.
Instance: C and N.
Claimed: m is a number of clients: whole, at least 1 and at most N.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def count_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """By how much m is not a number of clients; `how`: 0 as printed, 1 down, 2 up, 3 down without the maximum."""
    C, N, how = x["ratio"], x["clients"], int(x["how"])
    m = C * N if how == 3 else max(C * N, Fraction(1))
    if how in (1, 3):
        m = Fraction(m.numerator // m.denominator)
    elif how == 2:
        m = Fraction(-(-m.numerator // m.denominator))
    return {"0 < C <= 1, N >= 1": 0 < C <= 1 and N >= 1}, {"lhs": max(1 - m, m - N, Fraction(int(m.denominator != 1)))}


INSTANCE = {
    'ratio': Fraction(1, 3),
    'clients': Fraction(5),
    'how': Fraction(0),
}
hypotheses, constants = count_exact(INSTANCE)
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
