"""Counterexample to FA-REC.

Reading: the updates of a real run.
Instance: one client's own run, 5 rounds.
Claimed: A moving average is within 2β times the newest squared update of that update.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def own_run_exact(x: Mapping[str, Any]) -> Exact:
    """x^2 h/2, full participation, m^0 = g^0: g falls by s m in every round."""
    a, s, g, m = x["alpha"], x["step"], Fraction(1), Fraction(1)
    for _ in range(int(x["n_rounds"])):
        g, m = g - s * m, (1 - a) * m + a * (g - s * m)
    return {"0 < alpha <= 1, step > 0": 0 < a <= 1 and s > 0}, {
        "lhs": (m - g) ** 2,
        "beta": (1 - a) ** 2,
        "newest": g * g,
    }


INSTANCE = {
    'alpha': Fraction(1, 3),
    'step': Fraction(2),
    'n_rounds': Fraction(5),
}
hypotheses, constants = own_run_exact(INSTANCE)
beta = constants["beta"]
newest = constants["newest"]
lhs = constants["lhs"]
rhs = Fraction(2*beta*newest)
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
