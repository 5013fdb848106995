"""Counterexample to SSA-D4.

Reading: w = p.
Instance: 1 clients, matched.
Claimed: The denominator of Theorem A.5 is positive, so that its right side bounds anything.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def denominator_exact(x: Mapping[str, Any]) -> Checked:
    """-(1 - C - 2 A C - W_D (1 - C)) at eta L = length/(2 tau)."""
    tau = x["tau"]
    if "ratio" in x:
        raw = [Fraction(1), *(x["ratio"] ** k for k in (1, 2, 3, 4))]
        p, w = [v / sum(raw) for v in raw], [Fraction(1, 5)] * 5
    else:
        p, part = x["share"], x["part"]
        w = p if "matched" in x else [(1 - part) * a + part * b for a, b in zip(p, x["other"], strict=True)]
    gap = 2 * len(p) * sum((a - b) ** 2 for a, b in zip(p, w, strict=True))
    C = 2 * tau * (tau - 1) * (x["length"] / (2 * tau)) ** 2
    met = {
        "p and w on the simplex": sum(p) == sum(w) == 1 and min([*p, *w]) >= 0,
        "eta L <= 1/(2 tau), A > 0": 0 < x["length"] <= 1 and x["A"] > 0,
        "extra: eta L <= 1/(2 tau sqrt(1 + 2 A)), W_D <= 1/2": (
            "small" not in x or (x["length"] ** 2 * (1 + 2 * x["A"]) <= 1 and 2 * gap <= 1)
        ),
    }
    return met, {"lhs": -(1 - C - 2 * x["A"] * C - gap * (1 - C))}


INSTANCE = {
    'share': [Fraction(1)],
    'other': [Fraction(1)],
    'part': Fraction(1),
    'A': Fraction(1),
    'tau': Fraction(7),
    'length': Fraction(1),
    'matched': Fraction(1),
}
hypotheses, constants = denominator_exact(INSTANCE)
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
