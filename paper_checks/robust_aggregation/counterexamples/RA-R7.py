"""Counterexample to RA-R7.

Reading: for a given federation.
Instance: two mirrored clients, start near the tie.
Claimed: For FedWorse the ratio ρ̃/ρ̄ may be as large as one likes.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def unreliable_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The first round of FedWorse, clients at 1 (share p) and -1; later rounds only widen the two extremes."""
    p = 1 / (1 + 4 * x["wanted"]) if x["share"] == 0 else x["share"]
    shares, centers, w = [p, 1 - p], [Fraction(1), Fraction(-1)], -x["side"]
    best = sum(q * c for q, c in zip(shares, centers, strict=True))
    here, there = ([(v - c) ** 2 / 2 for c in centers] for v in (w, best))
    skew, skew_best = (v[0] / sum(q * u for q, u in zip(shares, v, strict=True)) for v in (here, there))
    met = {"client 1 alone is worst": here[0] > here[1], "0 < p < 1": 0 < p < 1}
    if x["share"] > 0:
        met["no start and no round reach the ratio named: it is at least 1/min p"] = x["wanted"] * min(shares) >= 1
    return met, {"lhs": x["wanted"] - skew_best / skew}


INSTANCE = {
    'wanted': Fraction(2),
    'side': Fraction(1, 10),
    'share': Fraction(1, 2),
}
hypotheses, constants = unreliable_exact(INSTANCE)
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
