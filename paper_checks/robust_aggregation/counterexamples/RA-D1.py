"""Counterexample to RA-D1.

Reading: as printed, E >= 2.
Instance: two rounds of 5 full-batch steps, N = 2.
Claimed: The recursion (1), with (2) between aggregations, returns the w_TE of Algorithm 1.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def recursed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """`mode` 0 to 2: (w_TE of the recursion - w_TE of Algorithm 1)^2; 3, 4: largest (w_t - average of the w_t^i)^2."""
    h, m, p, E, mode = x["curvature"], x["optimum"], x["share"], int(x["local_steps"]), int(x["mode"])
    clients, eta = range(len(h)), x["step"] / max(x["curvature"])
    boxed = x["start"]
    for a in x["weights"]:
        models = [boxed for _ in clients]
        for _ in range(E):
            models = [v - eta * h[i] * (v - m[i]) for i, v in enumerate(models)]
        boxed = sum(u * v for u, v in zip(a, models, strict=True))
    w, local, apart = x["start"], [x["start"] for _ in clients], [Fraction(0)]
    for t in range(len(x["weights"]) * E):
        a, g = x["weights"][t // E], [h[i] * (local[i] - m[i]) for i in clients]
        ends = [local[i] - eta * g[i] for i in clients]
        if mode == 2 or (mode == 0 and t % E == 0) or (mode in (1, 3, 4) and (t + 1) % E == 0):
            w = sum(a[i] * ends[i] for i in clients)
            local = [w for _ in clients]
        else:
            w, local = w - eta * sum(p[i] * g[i] for i in clients), ends
        over = a if mode == 4 else p
        apart.append((w - sum(over[i] * local[i] for i in clients)) ** 2)
    met = {"shares and weights on the simplex": all(sum(v) == 1 and min(v) >= 0 for v in [p, *x["weights"]])}
    return met, {"lhs": max(apart) if mode >= 3 else (w - boxed) ** 2}


INSTANCE = {
    'share': [Fraction(1), Fraction(0)],
    'weights': [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]],
    'curvature': [Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(1)],
    'start': Fraction(0),
    'step': Fraction(1),
    'local_steps': Fraction(5),
    'mode': Fraction(0),
}
hypotheses, constants = recursed_exact(INSTANCE)
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
