"""Counterexample to EA-S1.

Reading: every admitted β leaves v defined.
Instance: β from 1/μ.
Claimed: There are step sizes β/(t + γ) that start small enough and halve at most once a round.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def undefined_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """1 where the denominator beta mu - 1 of v is not positive, for a beta the text admits."""
    lhs = Fraction(1 if x["beta"] - 1 <= 0 else 0)
    return {"beta >= 1/mu": x["beta"] >= 1 or "any" in x}, {"lhs": lhs, "nothing": Fraction(0)}


INSTANCE = {
    'beta': Fraction(1),
}
hypotheses, constants = undefined_exact(INSTANCE)
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
