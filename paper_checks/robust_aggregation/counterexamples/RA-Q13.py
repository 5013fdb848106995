"""Counterexample to RA-Q13.

Reading: d = 2 candidates drawn by share.
Instance: losses of one round, N = 6.
Claimed: FedWorse(k) and Power-of-Choice select and weigh the same clients.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def choice_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Largest difference of weights, FedWorse(k) with 1/m against Power-of-Choice; `how` 1: d = 2, m = 1, in mean; 2: FedBetter(k)."""
    p, n, how = x["share"], len(x["share"]), int(x["how"])
    floor = [round(v) if x["floors"] > 0 else 0 for v in x["floor"]]
    excess = [round(v) + u for v, u in zip(x["level"], x["untie"], strict=True)]
    loss = [f + e for f, e in zip(floor, excess, strict=True)]
    m = min(int(x["kept"]), n)
    sign = 1 if how == 2 else -1
    kept = sorted(range(n), key=lambda i: sign * excess[i])[:m]
    worst = [Fraction(int(i in kept), m) for i in range(n)]
    if how != 1:
        best = sorted(range(n), key=lambda i: -loss[i])[:m]
        chosen = [Fraction(int(i in best), m) for i in range(n)]
    else:
        chosen = [Fraction(0)] * n
        for i in range(n):
            for j in range(n):
                if i != j:
                    chosen[i if loss[i] > loss[j] else j] += p[i] * p[j] / (1 - p[i])
    met = {"no ties": len(set(excess)) == n and len(set(loss)) == n, "m = 1 for d = 2": how != 1 or m == 1}
    return met, {"lhs": max(abs(u - v) for u, v in zip(worst, chosen, strict=True))}


INSTANCE = {
    'share': [Fraction(1, 6), Fraction(1, 6), Fraction(1, 6), Fraction(1, 6), Fraction(1, 6), Fraction(1, 6)],
    'level': [Fraction(0), Fraction(1), Fraction(3), Fraction(2), Fraction(0), Fraction(0)],
    'untie': [Fraction(1, 2), Fraction(0), Fraction(0), Fraction(0), Fraction(0), Fraction(1, 10)],
    'floor': [Fraction(0), Fraction(0), Fraction(0), Fraction(0), Fraction(0), Fraction(0)],
    'kept': Fraction(1),
    'how': Fraction(1),
    'floors': Fraction(0),
}
hypotheses, constants = choice_exact(INSTANCE)
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
