"""Counterexample to EFL-S8.

Reading: any run.
Instance: one client waits, N = 3, T = 2.
Claimed: The gradient a waiting client has accumulated departs ever more from its gradient at the present model.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def stale_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """How far the gradient of the waiting client 0 at the present model is from that at the model it left with, by round."""
    h, m, p, n = x["curvature"], x["optimum"], x["share"], range(len(x["share"]))
    if "together" in x:
        m = [m[0] for _ in n]
    w, path, before, out = x["start"], Fraction(0), Fraction(0), []
    for present in x["present"]:
        on = [k for k in n if k > 0 and ("others" in x or present[k] >= Fraction(1, 2))]
        step = x["length"] / max(h) * sum(p[k] * h[k] * (w - m[k]) for k in on)
        w = w - step
        path = abs(step) + (0 if "short" in x else path)
        now = abs(h[0] * (w - m[0]) - h[0] * (x["start"] - m[0]))
        out.append(now - max(h) * path if "bound" in x else before - now)
        before = now
    met = {"0 < eta L <= 1": 0 < x["length"] <= 1, "p^k on the simplex": sum(p) == 1 and min(p) > 0}
    return met, {"lhs": max(out)}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(0), Fraction(-1)],
    'share': [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)],
    'start': Fraction(0),
    'present': [[Fraction(0), Fraction(0), Fraction(1)], [Fraction(0), Fraction(1), Fraction(0)]],
    'length': Fraction(1),
}
hypotheses, constants = stale_exact(INSTANCE)
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
