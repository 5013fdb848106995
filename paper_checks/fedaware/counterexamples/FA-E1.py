"""Counterexample to FA-E1.

Reading: eq. (1).
Instance: a quadratic client, d = 2, K = 20.
Claimed: The uploaded difference of models is the step size times the sum of the local stochastic gradients.
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


def local_exact(x: Mapping[str, Any]) -> Checked:
    """K steps x <- x - eta_l grad F(x) on one quadratic client; the noise changes sign from step to step."""
    h, m, at = x["curvature"], x["optimum"], x["start"]
    eta = x["step"] / max(abs(c) for c in h)
    here, total = list(at), [Fraction(0) for _ in at]
    for k in range(int(x["local_steps"])):
        noise = [c * (-1) ** k for c in x["noise"]]
        slope = [a * (b - c) + e for a, b, c, e in zip(h, here, m, noise, strict=True)]
        here = [b - eta * s for b, s in zip(here, slope, strict=True)]
        if "late" in x:
            slope = [a * (b - c) + e for a, b, c, e in zip(h, here, m, noise, strict=True)]
        total = [a + b for a, b in zip(total, slope, strict=True)]
    missed = [x["sign"] * (b - a) - eta * s for a, b, s in zip(at, here, total, strict=True)]
    return {"eta_l > 0": eta > 0}, {"lhs": dot(missed, missed)}


INSTANCE = {
    'curvature': [Fraction(0), Fraction(-1)],
    'optimum': [Fraction(0), Fraction(0)],
    'start': [Fraction(0), Fraction(0)],
    'noise': [Fraction(0), Fraction(1)],
    'step': Fraction(1),
    'local_steps': Fraction(20),
    'sign': Fraction(1),
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
