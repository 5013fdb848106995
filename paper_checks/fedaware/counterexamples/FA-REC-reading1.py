"""Counterexample to FA-REC.

Reading: any updates.
Instance: 1 rounds, dimension 1.
Claimed: A moving average is within 2β times the newest squared update of that update.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def average_exact(x: Mapping[str, Any]) -> Exact:
    """E|m - g|^2 over every pattern of participation, m^0 = g^0."""
    g, a, q, T = x["updates"], x["alpha"], x["p"], len(x["updates"]) - 1
    total = Fraction(0)
    for number in range(2**T):
        m, chance, bits = list(g[0]), Fraction(1), number
        for t in range(1, T + 1):
            there, bits = bits % 2, bits // 2
            chance *= q if there else 1 - q
            m = [(1 - a) * y + a * z for y, z in zip(m, g[t], strict=True)] if there else m
        total += chance * sum((y - z) ** 2 for y, z in zip(m, g[T], strict=True))
    met = {"0 < alpha <= 1, 0 < p <= 1": 0 < a <= 1 and 0 < q <= 1}
    return met, {"lhs": total, "beta": (1 - a * q) ** 2, "newest": sum(z * z for z in g[T])}


INSTANCE = {
    'updates': [[Fraction(-1)], [Fraction(0)]],
    'alpha': Fraction(1),
    'p': Fraction(1, 2),
}
hypotheses, constants = average_exact(INSTANCE)
beta = constants["beta"]
newest = constants["newest"]
lhs = constants["lhs"]
rhs = Fraction(2*beta*newest)
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
