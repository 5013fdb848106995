"""Counterexample to SSA-ALG.

Reading: step 2, the clients.
Instance: one quadratic client.
Claimed: The pseudocode is the method of Section 4: local SGD, weights that lower L_SSA on the simplex, their average.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def local_exact(x: Mapping[str, Any]) -> Checked:
    """The local model after tau full gradient steps of length step/curvature, squared distance from the minimiser."""
    model = x["start"]
    for _ in range(int(x["tau"])):
        model -= x["step"] * model
    return {"0 < eta h <= 1": 0 < x["step"] <= 1, "tau >= 1": x["tau"] >= 1}, {"lhs": model * model}


INSTANCE = {
    'start': Fraction(1),
    'step': Fraction(1, 2),
    'tau': Fraction(1),
}
hypotheses, constants = local_exact(INSTANCE)
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
