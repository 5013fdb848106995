"""Counterexample to SSA-O9.

Reading: running variances.
Instance: 2 clients, 1 activations each.
Claimed: Averaging BatchNorm's running statistics like parameters gives those of the clients' pooled activations.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def pooled_exact(x: Mapping[str, Any]) -> Checked:
    """(sum of w_k statistic_k - statistic of the activations weighted by w)^2, in units of the largest activation."""
    w, values, moment = x["weights"], x["activations"], int(x["moment"])
    if "centred" in x:
        values = [[a - sum(v) / len(v) for a in v] for v in values]
    n = len(values[0])
    means = [sum(v) / n for v in values]
    spreads = [sum((a - m) ** 2 for a in v) / n for v, m in zip(values, means, strict=True)]
    size = max(max(abs(a) for a in v) for v in values)
    size = size if size > 0 else Fraction(1)
    whole = sum(p * a / n for p, v in zip(w, values, strict=True) for a in v)
    pooled = sum(p * (a - whole) ** 2 / n for p, v in zip(w, values, strict=True) for a in v)
    averaged = sum(p * s for p, s in zip(w, spreads, strict=True))
    if moment == 2:
        averaged += sum(p * (m - whole) ** 2 for p, m in zip(w, means, strict=True))
    gap = sum(p * m for p, m in zip(w, means, strict=True)) - whole if moment == 0 else averaged - pooled
    met = {"weights on the simplex": sum(w) == 1 and min(w) >= 0}
    return met, {"lhs": gap * gap / size ** (2 if moment == 0 else 4)}


INSTANCE = {
    'weights': [Fraction(1, 2), Fraction(1, 2)],
    'activations': [[Fraction(0)], [Fraction(-1)]],
    'moment': Fraction(1),
}
hypotheses, constants = pooled_exact(INSTANCE)
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
