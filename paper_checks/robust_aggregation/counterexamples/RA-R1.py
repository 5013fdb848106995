"""Counterexample to RA-R1.

Reading: the merged bound gives Assumption 3.
Instance: estimators slope ± noise.
Claimed: One bound on the expected squared gradient can take the place of Assumptions 3 and 4.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def merged_exact(x: Mapping[str, Any]) -> Exact:
    """An estimator slope ± noise, each with probability 1/2."""
    values = [x["slope"] + x["noise"], x["slope"] - x["noise"]]
    second = sum(v**2 for v in values) / 2
    variance = sum((v - x["slope"]) ** 2 for v in values) / 2
    lhs = {0: variance, 1: x["slope"] ** 2, 2: max(variance, second)}[int(x["how"])]
    A2 = second if x["how"] == 2 else x["slope"] ** 2 + x["room"]
    return {"unbiased": sum(values) == 2 * x["slope"]}, {"lhs": lhs, "A2": A2, "G2": second, "factor": x["factor"]}


INSTANCE = {
    'slope': Fraction(0),
    'noise': Fraction(-1),
    'room': Fraction(1, 2),
    'factor': Fraction(1),
    'how': Fraction(0),
}
hypotheses, constants = merged_exact(INSTANCE)
A2 = constants["A2"]
factor = constants["factor"]
lhs = constants["lhs"]
rhs = Fraction(A2*factor)
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
