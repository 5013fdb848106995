"""Counterexample to EFL-ALG2.

Reading: residuals stay bounded under error feedback.
Instance: error feedback, k = 1, ties, T = 5, n = 4.
Claimed: ST quantises the top-k entries to their mean size, so it is ternary, shrinks the error, and residuals stay bounded.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def root_exact(value: Any) -> Fraction:
    """A square root, to about 60 bits."""
    scale = 2**120
    whole, low, high = int(value * scale), 0, int(value * scale) + 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle * middle <= whole else (low, middle - 1)
    return Fraction(low, 2**60)


def residual_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """R <- (R + x) - ST(R + x) with k = 1, the size of R after the last round less rho max|x|/(1 - rho), over max|x|."""
    update = x["update"]
    if "ties" in x and x["alike"] > 0:
        update = [[update[0][0] for _ in row] for row in update]
    n = len(update[0])
    residual = [Fraction(0)] * n
    for row in update:
        whole = [r + u for r, u in zip(residual, row, strict=True)]
        top = max(abs(v) for v in whole)
        kept = [i for i in range(n) if abs(whole[i]) == top]
        kept = kept if "ties" in x else kept[:1]
        mean = top * len(kept)  # (sum of the kept sizes)/k, k = 1
        residual = [v - (mean * ((v > 0) - (v < 0)) if i in kept else 0) for i, v in enumerate(whole)]
    largest = root_exact(max(sum(u * u for u in row) for row in update))
    rho = root_exact(1 - Fraction(1, n))
    cap = rho / (1 - rho) if "short" not in x else Fraction(1, n)
    met = {"some update is not 0": largest > 0}
    return met, {"lhs": root_exact(sum(r * r for r in residual)) / largest - cap if largest > 0 else Fraction(-1)}


INSTANCE = {
    'update': [[Fraction(0), Fraction(1), Fraction(1), Fraction(1)], [Fraction(0), Fraction(1), Fraction(1), Fraction(1)], [Fraction(0), Fraction(1), Fraction(1), Fraction(1)], [Fraction(0), Fraction(1), Fraction(1), Fraction(1)], [Fraction(0), Fraction(0), Fraction(0), Fraction(0)]],
    'alike': Fraction(0),
    'ties': Fraction(1),
}
hypotheses, constants = residual_exact(INSTANCE)
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
