"""Counterexample to EFL-S7.

Reading: identical clients in turns.
Instance: pairs of runs, alike, whole, turns, N = 2, T = 2.
Claimed: Runs in which clients are absent end farther from ω* than runs with all clients, because of the residuals.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def largest_exact(t: list[Any]) -> list[Any]:
    """ST of Algorithm 2 on two entries, k = 1, of two equal sizes the first: one entry stays as it is."""
    return [t[0], Fraction(0)] if abs(t[0]) >= abs(t[1]) else [Fraction(0), t[1]]


def final_exact(x: Mapping[str, Any], full: bool, packed: bool) -> Any:
    """|w_T - w*|^2 of a run: one step a round, uplink through ST with error feedback where `packed`."""
    h, m, p, pair = x["curvature"], x["optimum"], x["share"], range(2)
    clients = range(len(p))
    if "alike" in x:
        h, m = [h[0] for _ in clients], [m[0] for _ in clients]
    best = [sum(p[k] * h[k][i] * m[k][i] for k in clients) / sum(p[k] * h[k][i] for k in clients) for i in pair]
    eta, w, up = x["length"] / max(max(row) for row in h), list(x["start"]), [[Fraction(0)] * 2 for _ in clients]
    for r, present in enumerate(x["present"]):
        on = [k for k in clients if full or present[k] >= Fraction(1, 2)]
        if "turns" in x and not full:
            on = [r % len(p)]
        total = sum(p[k] for k in on) if "whole" in x else Fraction(1)
        move = [Fraction(0), Fraction(0)]
        for k in on:
            change = [up[k][i] - eta * h[k][i] * (w[i] - m[k][i]) for i in pair]
            sent = largest_exact(change) if packed else change
            up[k] = [a - b for a, b in zip(change, sent, strict=True)]
            move = [move[i] + p[k] / total * sent[i] for i in pair]
        w = [w[i] + move[i] for i in pair]
    return sum((w[i] - best[i]) ** 2 for i in pair)


def slower_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|w_T - w*|^2 of the run said to be faster, less that of the run with partial participation (and residuals)."""
    packed = "plain" not in x
    some = final_exact(x, "everyone" in x, packed)
    other = final_exact(x, "residuals" not in x, packed and "residuals" not in x)
    there = "turns" in x or all(max(row) >= Fraction(1, 2) for row in x["present"])
    met = {"0 < eta L <= 1": 0 < x["length"] <= 1, "someone takes part, where asked": there or "whole" not in x}
    return met, {"lhs": abs(other - some) if "apart" in x else other - some}


INSTANCE = {
    'curvature': [[Fraction(1), Fraction(1)], [Fraction(1), Fraction(1)]],
    'optimum': [[Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)]],
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'start': [Fraction(1), Fraction(1)],
    'present': [[Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)]],
    'length': Fraction(1),
    'alike': Fraction(1),
    'whole': Fraction(1),
    'turns': Fraction(1),
}
hypotheses, constants = slower_exact(INSTANCE)
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
