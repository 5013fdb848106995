"""Counterexample to EA-L2.

Reading: independent samples, weights as Exp-α's.
Instance: many clients with rare noise, all weight on a noisy one.
Claimed: Averaging reduces the variance of the stochastic gradients to the sum of squared weights times variances.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def picked_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """N clients, noise +-sigma with chance q, else 0, independently; all weight on the first whose noise is not 0."""
    q, left, quiet = x["chance"], Fraction(0), Fraction(1)
    for _ in range(int(x["n_clients"]) if x["sees"] > 2 else 1):
        left += quiet * q * x["sigma"] ** 2  # all before are quiet, this one is not
        quiet *= 1 - q
    hypotheses = {"A3: noise of mean 0 and variance q sigma^2, independent over clients": 0 <= q <= 1}
    largest = q * x["sigma"] ** 2  # one-hot weights
    return hypotheses, {"lhs": left, "largest": largest, "cubes": largest}


INSTANCE = {
    'sigma': Fraction(1),
    'chance': Fraction(1, 2),
    'n_clients': Fraction(1000),
    'sees': Fraction(3),
}
hypotheses, constants = picked_exact(INSTANCE)
largest = constants["largest"]
lhs = constants["lhs"]
rhs = Fraction(largest)
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
