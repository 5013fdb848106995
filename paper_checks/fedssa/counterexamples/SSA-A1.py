"""Counterexample to SSA-A1.

Reading: pₖ of any sign.
Instance: 3 quadratics, d = 1.
Claimed: Every client's gradient is L-Lipschitz; the proof needs the same of F = Σpₖ Fₖ.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def gradients_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|grad F(x) - grad F(y)|^2, or |grad F(x)|^2 and F(x) - F_inf with `below`; quadratics along common axes."""
    h, p, axes = x["curvature"], list(x["share"]), range(len(x["point"]))
    if "any_sign" in x:
        p = [*p[:-1], 1 - sum(p[:-1])]
    H = [sum(p[k] * h[k][j] for k in range(len(p))) for j in axes]
    reference = x["other"]
    if "below" in x:
        reference = [sum(p[k] * h[k][j] * x["optimum"][k][j] for k in range(len(p))) / H[j] for j in axes]
    apart = [x["point"][j] - reference[j] for j in axes]
    rows = [max(abs(v) for v in row) for row in h]
    met = {
        "sum p_k = 1": sum(p) == 1,
        "p_k >= 0 where that is asked": "any_sign" in x or min(p) >= 0,
        "F bounded below where that is asked": "below" not in x or min(H) > 0,
    }
    return met, {
        "lhs": sum((H[j] * apart[j]) ** 2 for j in axes),
        "L": min(rows) if "own" in x else max(rows),
        "far2": sum((v * v for v in apart), Fraction(0)),
        "gap": sum(H[j] * apart[j] ** 2 for j in axes) / 2,
    }


INSTANCE = {
    'curvature': [[Fraction(0)], [Fraction(0)], [Fraction(-1)]],
    'optimum': [[Fraction(0)], [Fraction(0)], [Fraction(0)]],
    'share': [Fraction(0), Fraction(-1), Fraction(0)],
    'point': [Fraction(-1)],
    'other': [Fraction(0)],
    'any_sign': Fraction(1),
}
hypotheses, constants = gradients_exact(INSTANCE)
L = constants["L"]
far2 = constants["far2"]
lhs = constants["lhs"]
rhs = Fraction(L**2*far2)
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
