"""Counterexample to EFL-DEF3.

Reading: for each outcome, as printed.
Instance: three patterns, unbiased, realised, N = 2.
Claimed: In a round with r = 0 the work done, weighted by client, does not pull away from ω*.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def patterns_exact(x: Mapping[str, Any]) -> tuple[list[list[Fraction]], list[list[int]]]:
    """Coefficients and finished steps: p = E p^k/s (0 for s = 0), p^k (`plain`), or any with E[p s] = c p^k (`unbiased`)."""
    E, share, q = int(x["steps"]), x["share"], x["chance"]
    s = [[min(int(u * (E + 1)), E) for u in row] for row in x["done"]]
    if "started" in x or "unbiased" in x:
        s = [[max(v, 1) for v in row] for row in s]
    if "equally" in x:
        s = [[max(v, 1) if row[0] > 0 else 0 for v in row] for row in s]
    if "unbiased" in x:
        mean = [sum(a * f[k] * t[k] for a, f, t in zip(q, x["free"], s, strict=True)) for k in range(len(share))]
        return [[x["c"] * v * f / m for v, f, m in zip(share, row, mean, strict=True)] for row in x["free"]], s
    if "plain" in x:
        return [list(share) for _ in s], s
    return [[v * E / t if t else Fraction(0) for v, t in zip(share, row, strict=True)] for row in s], s


def gap_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum_k p s (F~_k(w*) - F~_k(w)) over the law of (p, s), or its largest value over the patterns (`realised`)."""
    p, s = patterns_exact(x)
    h, m, share, w = x["curvature"], x["optimum"], x["share"], x["point"]
    clients = range(len(share))
    best = sum(share[k] * h[k] * m[k] for k in clients) / sum(share[k] * h[k] for k in clients)
    change = [h[k] * ((best - m[k]) ** 2 - (w - m[k]) ** 2) / 2 for k in clients]
    each = [sum(a[k] * t[k] * change[k] for k in clients) for a, t in zip(p, s, strict=True)]
    ratio = [sum(q * a[k] * t[k] for q, a, t in zip(x["chance"], p, s, strict=True)) / share[k] for k in clients]
    met = {
        "p^k and chances on the simplex": sum(share) == 1 and min(share) > 0 and sum(x["chance"]) == 1,
        "r = 0: E[p s] = c p^k, where asked": "unbiased" not in x or len(set(ratio)) == 1,
    }
    return met, {"lhs": max(each) if "realised" in x else sum(q * e for q, e in zip(x["chance"], each, strict=True))}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(-1)],
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'chance': [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)],
    'done': [[Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)]],
    'free': [[Fraction(1), Fraction(1)], [Fraction(1), Fraction(2)], [Fraction(10), Fraction(1)]],
    'point': Fraction(0),
    'c': Fraction(1),
    'steps': Fraction(1),
    'unbiased': Fraction(1),
    'realised': Fraction(1),
}
hypotheses, constants = gap_exact(INSTANCE)
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
