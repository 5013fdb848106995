"""Counterexample to SSA-S10.

Reading: weights that sum to one.
Instance: 3 vectors, d = 1.
Claimed: The square of the weighted sum of gradient differences is at most the weighted sum of their squares.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def vectors_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Free vectors x_k (gradients, or gradient differences), weights w and coefficients p, at one point."""
    v, p, n, axes = x["vectors"], x["share"], len(x["share"]), range(len(x["vectors"][0]))
    w = list(x["weights"])
    if "one" in x:
        w = [*w[:-1], 1 - sum(w[:-1])]
    if "equal" in x:
        w = [Fraction(1, n) for _ in range(n)]

    def norm2(factors: list[Fraction]) -> Fraction:
        return sum((sum(factors[k] * v[k][j] for k in range(n)) ** 2 for j in axes), Fraction(0))

    own = [sum(c * c for c in row) for row in v]
    gap2 = sum(((p[k] - w[k]) ** 2 for k in range(n)), Fraction(0))
    if "mixed" in x:
        lhs = norm2(w)
    elif "total" in x:
        lhs = norm2([Fraction(1)] * n)
    elif "apart" in x:
        lhs = 2 * norm2([p[k] - w[k] for k in range(n)])
    else:
        lhs = 2 * gap2 * sum(own)
    met = sum(p[k] * own[k] for k in range(n)) if "average" in x else max(own)
    B = max(met - x["A"] * norm2(p), Fraction(0)) + x["room"] * sum(own)
    hypotheses = {
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "w on the simplex where that is asked": "simplex" not in x or (sum(w) == 1 and min(w) >= 0),
        "A.4 at this point where that is asked": "average" in x or all(o <= x["A"] * norm2(p) + B for o in own),
    }
    return hypotheses, {
        "lhs": lhs,
        "gaps2": gap2,
        "all2": sum(own, Fraction(0)),
        "mean2": sum((w[k] * own[k] for k in range(n)), Fraction(0)),
        "tau": Fraction(n),
        "K": Fraction(n),
        "W_D": 2 * n * gap2,
        "A": x["A"],
        "grad2": norm2(p),
        "B": B,
    }


INSTANCE = {
    'vectors': [[Fraction(0)], [Fraction(0)], [Fraction(-1)]],
    'weights': [Fraction(0), Fraction(-1), Fraction(0)],
    'share': [Fraction(0), Fraction(0), Fraction(1)],
    'A': Fraction(1),
    'room': Fraction(1),
    'mixed': Fraction(1),
    'one': Fraction(1),
}
hypotheses, constants = vectors_exact(INSTANCE)
mean2 = constants["mean2"]
lhs = constants["lhs"]
rhs = Fraction(mean2)
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
