"""Counterexample to FA-CHI.

Reading: finite on the whole simplex.
Instance: 2 clients.
Claimed: The χ² divergence measures how far the applied weights are from those of the objective.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def chi_exact(x: Mapping[str, Any]) -> Checked:
    """chi^2 of two pairs of weights and of their mean; a weight lambda_i = 0 with lambda~_i > 0 leaves it without a value."""
    lam, tilde, part = x["weights"], x["applied"], int(x["part"])
    pairs = ((lam, tilde), (x["other"], x["other_applied"])) if part != 2 else ((lam, tilde),)
    met = {"on the simplex": all(sum(w) == 1 and min(w) >= 0 for pair in pairs for w in pair)}
    if part == 2:
        return met, {"lhs": Fraction(int(any(a == 0 < b for a, b in zip(lam, tilde, strict=True))))}
    met["lambda > 0"] = min(min(w) for w, _ in pairs) > 0
    mean = tuple([(a + b) / 2 for a, b in zip(u, v, strict=True)] for u, v in zip(*pairs, strict=True))
    one, two, middle = (sum((a - b) ** 2 / a for a, b in zip(u, v, strict=True)) for u, v in (*pairs, mean))
    convex = middle - (one + two) / 2
    if part == 3:
        return met, {"lhs": abs(convex)}
    square = sum((a - b) ** 2 for a, b in zip(lam, tilde, strict=True))
    return met, {
        "lhs": max(-one, square - one, abs(sum(b * b / a for a, b in zip(lam, tilde, strict=True)) - 1 - one), convex)
    }


INSTANCE = {
    'weights': [Fraction(1), Fraction(0)],
    'applied': [Fraction(1, 2), Fraction(1, 2)],
    'part': Fraction(2),
}
hypotheses, constants = chi_exact(INSTANCE)
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
