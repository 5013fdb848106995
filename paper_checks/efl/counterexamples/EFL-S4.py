"""Counterexample to EFL-S4.

Reading: the model does not tend to ω*.
Instance: one client leaves, limit, N = 2, T = 1.
Claimed: After a client has left, H grows in every round, the model cannot reach ω*, and it ends farther off the earlier that was.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def departure_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Client 0 leaves after stay*T rounds and the others go on with coefficients p^k, one step of size length/max h a round."""
    h, p, T = x["curvature"], x["share"], int(x["rounds"])
    n, left = range(len(h)), min(int(x["stay"] * T), T)
    rest = sum(p[k] * h[k] * x["optimum"][k] for k in n if k > 0) / sum(p[k] * h[k] for k in n if k > 0)
    m = [rest if k == 0 and x["same"] > 0 else x["optimum"][k] for k in n]
    best = sum(p[k] * h[k] * m[k] for k in n) / sum(p[k] * h[k] for k in n)
    met = {"p^k on the simplex, all positive": sum(p) == 1 and min(p) > 0, "0 < eta L <= 1": 0 < x["length"] <= 1}
    if "count" in x:
        H = 0
        for tau in range(T):
            gone = tau >= left and "returns" not in x
            taken = [Fraction(0) if gone and k == 0 else p[k] * (1 + int(x["done"][k] * 4)) for k in n]
            one = len({t / q for t, q in zip(taken, p, strict=True)}) == 1
            H += 0 if one or (tau >= left and "returns" in x) else 1
        return met, {"lhs": Fraction(T - left - H)}
    if "limit" in x:
        if "differ" in x:
            met["the others' optimum is not w*"] = rest != best
        return met, {"lhs": Fraction(1 if rest == best else -1)}
    ends, eta = [], x["length"] / max(h)
    for stayed in (left, min(left + 1, T)):
        w = best if "settled" in x else x["start"]
        for tau in range(T):
            w = w - eta * sum(p[k] * h[k] * (w - m[k]) for k in n if k > 0 or tau < stayed)
        ends.append(abs(w - best))
    return met, {"lhs": ends[0] - ends[1] if "later" in x else ends[1] - ends[0]}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(0)],
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'start': Fraction(0),
    'length': Fraction(1),
    'stay': Fraction(0),
    'done': [Fraction(0), Fraction(0)],
    'same': Fraction(1),
    'rounds': Fraction(1),
    'limit': Fraction(1),
}
hypotheses, constants = departure_exact(INSTANCE)
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
