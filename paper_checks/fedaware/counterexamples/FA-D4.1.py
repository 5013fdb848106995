"""Counterexample to FA-D4.1.

Reading: defined in every round.
Instance: 2 clients, 1 outcomes, d = 1.
Claimed: The diversity of the updates compares their mean square with the square of their mean.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Number = Any
Vector = list[Any]

def dot(u: Sequence[Number], v: Sequence[Number]) -> Number:
    """⟨u, v⟩."""
    total = u[0] * v[0]
    for a, b in zip(u[1:], v[1:], strict=True):
        total = total + a * b
    return total


def weighted_sum(weights: Sequence[Number], vectors: Sequence[Sequence[Number]]) -> Vector:
    """Σ aₖ uₖ."""
    return [dot(weights, [u[j] for u in vectors]) for j in range(len(vectors[0]))]


def lud_exact(x: Mapping[str, Any]) -> Checked:
    """The moments by enumeration of the equally likely outcomes g[r][i]."""
    g, lam, part = x["g"], x["weights"], int(x["part"])
    runs = [weighted_sum(lam, vectors) for vectors in g]
    second = sum(dot(v, v) for v in runs) / len(runs)
    above = sum(dot(lam, [dot(v, v) for v in vectors]) for vectors in g) / len(g)
    met = {"lambda on the simplex": sum(lam) == 1 and min(lam) >= 0}
    if part == 2:
        return met, {"lhs": above if second == 0 else Fraction(0)}
    if part == 1:
        return met, {"lhs": second - above}
    mean = [sum(c) / len(runs) for c in zip(*runs, strict=True)]
    spread = sum(sum((a - b) ** 2 for a, b in zip(v, mean, strict=True)) for v in runs) / len(runs)
    return met, {"lhs": abs(second - (spread if part == 3 else 0) - dot(mean, mean))}


INSTANCE = {
    'g': [[[Fraction(-1)], [Fraction(1)]]],
    'weights': [Fraction(1, 2), Fraction(1, 2)],
    'part': Fraction(2),
}
hypotheses, constants = lud_exact(INSTANCE)
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
