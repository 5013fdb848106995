"""Counterexample to RA-Q16.

Reading: similar at w* and where the run ends.
Instance: two mirrored clients, start near the tie, FedWorse.
Claimed: Where the clients' losses are nearly equal, leaning to one of them ends at a model with an error.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def near_tie_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Gamma/2 - (F - F*) after a run of FedBetter (lean 1), FedWorse (-1) or FedAvg (0); one step a round."""
    w, centers, p = x["start"], [Fraction(-1), Fraction(1)], [x["share"], 1 - x["share"]]
    spread = []
    for t in range(int(x["rounds"]) + 1):
        loss = [(w - c) ** 2 / 2 for c in centers]
        spread.append(max(loss) <= Fraction(11, 10) * min(loss))
        if t == x["rounds"]:
            break
        chosen = [v == (min(loss) if x["lean"] > 0 else max(loss)) for v in loss]
        a = p if x["lean"] == 0 else [Fraction(int(v), sum(chosen)) for v in chosen]
        eta = x["step"] / (1 + x["fade"] * x["step"] * t)
        w = sum(q * (w - eta * (w - c)) for q, c in zip(a, centers, strict=True))
    best = sum(q * c for q, c in zip(p, centers, strict=True))
    Gamma, at_end = (sum(q * (v - c) ** 2 for q, c in zip(p, centers, strict=True)) / 2 for v in (best, w))
    met = {"losses within 10 % of each other at the start, not equal": spread[0] and x["start"] != 0}
    if x["fade"] > 0:
        met["losses within 10 % of each other at the end and at w*"] = spread[-1] and best == 0
    return met, {"lhs": Gamma / 2 - (at_end - Gamma)}


INSTANCE = {
    'start': Fraction(1, 100),
    'step': Fraction(1, 4),
    'share': Fraction(1, 2),
    'lean': Fraction(-1),
    'fade': Fraction(1),
    'rounds': Fraction(200),
}
hypotheses, constants = near_tie_exact(INSTANCE)
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
