"""Counterexample to EA-E23.

Reading: in expectation, independent samples, weights as Exp-α's.
Instance: many clients, equal weights on the more frequent sign.
Claimed: The mean square of the averaged deviation is at most the sum of squared weights times mean squares.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def majority_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """N clients, noise +-sigma: equal weights on those with the more frequent sign; E (sum rho z)^2, E sum rho^2 z^2."""
    n, left, right = int(x["n_clients"]), Fraction(0), Fraction(0)
    chance = Fraction(1, 2**n)
    for up in range(n + 1):
        among = max(up, n - up) if x["sees"] > 2 else n
        total = among if x["sees"] > 2 else 2 * up - n
        left += chance * (x["sigma"] * total / among) ** 2
        right += chance * x["sigma"] ** 2 / among
        chance = chance * (n - up) / (up + 1)
    return {"A3: mean 0, variance sigma^2; independent": x["sigma"] >= 0}, {"lhs": left, "squares": right}


INSTANCE = {
    'sigma': Fraction(1),
    'n_clients': Fraction(14),
    'sees': Fraction(3),
}
hypotheses, constants = majority_exact(INSTANCE)
squares = constants["squares"]
lhs = constants["lhs"]
rhs = Fraction(squares)
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
