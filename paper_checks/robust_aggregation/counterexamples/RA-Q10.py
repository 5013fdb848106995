"""Counterexample to RA-Q10.

Reading: only on π, G over the run.
Instance: two clients, their weights exchanged.
Claimed: The bounds of (17) depend only on π, and a lower bound on the weights gives one on the error term.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def swapped_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """How far the right sides of (17) are apart, T = 2, for the weights (a, 1 - a) and (1 - a, a) of equal shares."""
    centers, start, half, sides = [Fraction(0), x["apart"]], x["start"] * x["apart"], Fraction(1, 2), []
    best = sum(centers) / 2
    Gamma = sum((best - c) ** 2 for c in centers) / 4
    for a in ([x["a"], 1 - x["a"]], [1 - x["a"], x["a"]]):
        pi, w, G2 = min(v / half for v in a), start, Fraction(0)
        for t in range(2):
            G2 = max([G2] + [(w - c) ** 2 for c in centers])
            w = w - sum(v * (w - c) for v, c in zip(a, centers, strict=True)) / (t + 4)
        speed = 8 * Gamma + 2 * (start - best) ** 2 + 128 * G2 / (3 * pi)
        sides.append(speed / 6 + 8 * Gamma / 3 * (1 / (pi * half) - 2))
    met = {"0 < a < 1": 0 < x["a"] < 1, "Gamma > 0": Gamma > 0}
    return met, {"lhs": abs(sides[0] - sides[1])}


INSTANCE = {
    'a': Fraction(1, 10),
    'apart': Fraction(1),
    'start': Fraction(3, 7),
}
hypotheses, constants = swapped_exact(INSTANCE)
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
