"""Counterexample to EFL-E54.

Reading: middle member, index j.
Instance: 2 steps, d = 1.
Claimed: The squared distance at the end of a round is at most twice that at step j plus twice the squared path.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def chain_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sqrt(Delta_j) = |position|, eta h_i = |size_i|; the model at the end is u_j minus the moves from step j on."""
    n_local = len(x["size"])
    j = min(int(x["part"] * n_local), n_local - 1)
    rows = x["turn"] if "turn" in x else [[] for _ in range(n_local + 1)]
    units = []
    for row in rows:
        square = sum((t * t for t in row), Fraction(0))
        units.append([2 * t / (1 + square) for t in row] + [(1 - square) / (1 + square)])
    ends = [x["position"] * c for c in units[0]]
    for i in range(j, n_local):
        ends = [a - x["size"][i] * b for a, b in zip(ends, units[i + 1], strict=True)]
    lengths = [abs(v) for v in x["size"]]
    after = sum((a * a for a in ends), Fraction(0))
    constants = {
        "lhs": after / (1 + x["look"]),
        "before": abs(x["position"]),
        "moves": sum(lengths[j:], Fraction(0)),
        "first": (n_local - j) * lengths[j],
        "every": sum(lengths, Fraction(0)),
    }
    return {"directions are unit vectors": all(sum(c * c for c in row) == 1 for row in units)}, constants


INSTANCE = {
    'position': Fraction(0),
    'size': [Fraction(0), Fraction(-1)],
    'part': Fraction(0),
    'look': Fraction(0),
}
hypotheses, constants = chain_exact(INSTANCE)
before = constants["before"]
first = constants["first"]
lhs = constants["lhs"]
rhs = Fraction((before + first)**2)
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
