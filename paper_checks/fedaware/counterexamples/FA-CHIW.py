"""Counterexample to FA-CHIW.

Reading: for all weights.
Instance: 1 clients.
Claimed: The weighted sum of squared applied weights is at most the χ² divergence, without loss of generality.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def weights_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Objective weights lam > 0 and applied weights lam_tilde."""
    lam, tilde = x["weights"], x["applied"]
    hypotheses = {
        "lambda on the simplex, all positive": sum(lam) == 1 and min(lam) > 0,
        "lambda tilde on the simplex": sum(tilde) == 1 and min(tilde) >= 0,
    }
    constants = {
        "lhs": sum(b * b / a for a, b in zip(lam, tilde, strict=True)),
        "chi2": sum((a - b) ** 2 / a for a, b in zip(lam, tilde, strict=True)),
    }
    return hypotheses, constants


INSTANCE = {
    'weights': [Fraction(1)],
    'applied': [Fraction(1)],
}
hypotheses, constants = weights_exact(INSTANCE)
chi2 = constants["chi2"]
lhs = constants["lhs"]
rhs = Fraction(chi2)
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
