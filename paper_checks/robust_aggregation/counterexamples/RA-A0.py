"""Counterexample to RA-A0.

Reading: local epochs: batches of the samples not yet used.
Instance: batches of 1 of 4 samples.
Claimed: Given the past, the mean of a mini-batch gradient is the gradient of the client's loss.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def batches_exact(x: Mapping[str, Any]) -> Exact:
    """Largest |E[g(w) | the past] - grad F(w)| over what has been drawn; losses h (w - c)^2/2."""
    h, c, size = x["curvature"], x["sample"], int(x["batch"])
    every = range(len(h))

    def mean(chosen: Any, w: Any) -> Any:
        return sum(h[i] * (w - c[i]) for i in chosen) / len(chosen)

    drawn = [b for b in range(2 ** len(h)) if b.bit_count() == size]
    sets = [[i for i in every if b >> i & 1] for b in drawn]
    w = x["model"]
    if x["fresh"] > 0:
        times = size if x["fresh"] > 1 else 1
        average = sum(times * mean(b, w) for b in sets) / len(sets)
        return {"eta > 0": x["step"] > 0}, {"lhs": abs(average - mean(every, w))}
    off = []
    for first in sets:
        then = w - x["step"] * mean(first, w)
        off.append(abs(mean([i for i in every if i not in first], then) - mean(every, then)))
    return {"eta > 0": x["step"] > 0}, {"lhs": max(off)}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1), Fraction(1), Fraction(1)],
    'sample': [Fraction(0), Fraction(0), Fraction(0), Fraction(-1)],
    'model': Fraction(0),
    'step': Fraction(1),
    'batch': Fraction(1),
    'fresh': Fraction(0),
}
hypotheses, constants = batches_exact(INSTANCE)
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
