"""Counterexample to EA-L2.

Reading: independent samples, weights as Exp-α's.
Instance: 2 clients, independent noise, weights may see it.
Claimed: Averaging reduces the variance of the stochastic gradients to the sum of squared weights times variances.
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


def chosen_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Client i's noise is +-sigma_i with chance q/2 each, else 0, independently; weights for every outcome."""
    q, sigma = x["chance"], x["sigma"]
    law: list[tuple[Any, list[Any]]] = [(Fraction(1), [])]
    for s in sigma:
        law = [(p * k, [*row, z]) for p, row in law for k, z in ((q / 2, -s), (1 - q, 0 * s), (q / 2, s))]
    left, sums, thirds = Fraction(0), [], []
    for number, (p, noise) in enumerate(law):
        a = x["table"][number if x["sees"] > 1 else 0]
        left += p * dot(a, noise) ** 2
        sums.append(sum(w * w * q * s * s for w, s in zip(a, sigma, strict=True)))
        thirds.append(sum(w**3 * q * s * s for w, s in zip(a, sigma, strict=True)))
    hypotheses = {
        "A3: noise of mean 0 and variance q sigma_i^2, independent over clients": 0 <= q <= 1,
        "weights on the simplex for every outcome": all(sum(a) == 1 and min(a) >= 0 for a in x["table"]),
    }
    return hypotheses, {"lhs": left, "largest": max(sums), "cubes": max(thirds)}


INSTANCE = {
    'table': [[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)], [Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)], [Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]],
    'sigma': [Fraction(1), Fraction(1)],
    'chance': Fraction(1, 2),
    'sees': Fraction(2),
}
hypotheses, constants = chosen_exact(INSTANCE)
largest = constants["largest"]
lhs = constants["lhs"]
rhs = Fraction(largest)
for name, met in hypotheses.items():
    print(f"hypothesis {name}: {met}")
for side, value in (("left side ", lhs), ("right side", rhs)):
    short = max(abs(value.numerator), value.denominator) < 10**60
    print(f"{side} = {value} = {float(value):.6g}" if short else f"{side} = about {float(value):.6g}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
