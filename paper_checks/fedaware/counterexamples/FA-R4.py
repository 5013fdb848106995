"""Counterexample to FA-R4.

Reading: the bound, in the first round.
Instance: 3 updates on a line.
Claimed: With fresh updates of all clients FedAWARE converges faster than FedAvg on heterogeneous clients.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def consensus_exact(x: Mapping[str, Any]) -> Checked:
    """Positive updates of which one alone is the shortest: the weights of smallest norm are unique."""
    g = x["m"]
    lam, short = [Fraction(1, len(g)) for _ in g], min(g)
    applied = [Fraction(int(v == short)) for v in g]
    met = {
        "one update alone is the shortest": sum(applied) == 1 and short > 0,
    }
    own = sum(a * v for a, v in zip(lam, g, strict=True)) ** 2
    chi = sum((a - b) ** 2 / a for a, b in zip(lam, applied, strict=True))
    return met, {"lhs": own - short * short if "plain" in x else chi * short * short - own}


INSTANCE = {
    'm': [Fraction(7), Fraction(10), Fraction(10)],
}
hypotheses, constants = consensus_exact(INSTANCE)
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
