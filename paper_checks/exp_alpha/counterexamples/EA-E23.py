"""Counterexample to EA-E23.

Reading: in expectation, independent samples, weights as Exp-α's.
Instance: 2 clients, signs ±σᵢ, weights may see them.
Claimed: The mean square of the averaged deviation is at most the sum of squared weights times mean squares.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Number = Any

def dot(u: Sequence[Number], v: Sequence[Number]) -> Number:
    """⟨u, v⟩."""
    total = u[0] * v[0]
    for a, b in zip(u[1:], v[1:], strict=True):
        total = total + a * b
    return total


def seen_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E (sum rho_i z_i)^2 and E sum rho_i^2 z_i^2 over all signs z_i = +-sigma_i; weights for every outcome."""
    n, left, right = len(x["sigma"]), Fraction(0), Fraction(0)
    for row in range(2**n):
        z = [x["sigma"][i] * (1 if (row >> (n - 1 - i)) & 1 else -1) for i in range(n)]
        a = x["table"][row if x["sees"] > 1 else 0]
        left += dot(a, z) ** 2 / 2**n
        right += sum(a[i] ** 2 * z[i] ** 2 for i in range(n)) / 2**n
    met = {
        "A3: mean 0, variance sigma_i^2; independent": min(x["sigma"]) >= 0,
        "weights on the simplex for every outcome": all(sum(a) == 1 and min(a) >= 0 for a in x["table"]),
    }
    return met, {"lhs": left, "squares": right}


INSTANCE = {
    'table': [[Fraction(0), Fraction(1)], [Fraction(0), Fraction(1)], [Fraction(0), Fraction(1)], [Fraction(1, 2), Fraction(1, 2)]],
    'sigma': [Fraction(1), Fraction(1)],
    'sees': Fraction(2),
}
hypotheses, constants = seen_exact(INSTANCE)
squares = constants["squares"]
lhs = constants["lhs"]
rhs = Fraction(squares)
for name, met in hypotheses.items():
    print(f"hypothesis {name}: {met}")
for side, value in (("left side ", lhs), ("right side", rhs)):
    short = max(abs(value.numerator), value.denominator) < 10**60
    print(f"{side} = {value} = {float(value):.6g}" if short else f"{side} = about {float(value):.6g}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
