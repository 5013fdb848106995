"""Counterexample to EFL-S7.

Reading: on average over who takes part.
Instance: mean over who takes part, N = 2, T = 2.
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


def average_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|w_T - w*|^2 with all clients, less its mean when each takes part in each round with the chance q, independently."""
    clients, n_rounds, q = range(len(x["share"])), int(x["rounds"]), x["chance"]
    packed, slots, mean = "plain" not in x, len(x["share"]) * n_rounds, Fraction(0)
    for mask in range(2**slots):
        rows = [[Fraction(mask >> (r * len(clients) + k) & 1) for k in clients] for r in range(n_rounds)]
        there = sum(sum(row) for row in rows)
        mean = mean + q**there * (1 - q) ** (slots - there) * final_exact({**x, "present": rows}, False, packed)
    everyone = [[Fraction(1) for _ in clients] for _ in range(n_rounds)]
    met = {"0 < eta L <= 1": 0 < x["length"] <= 1, "0 < q < 1": 0 < q < 1}
    return met, {"lhs": final_exact({**x, "present": everyone}, True, packed) - mean}


INSTANCE = {
    'curvature': [[Fraction(1), Fraction(1)], [Fraction(1), Fraction(1)]],
    'optimum': [[Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)]],
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'start': [Fraction(100), Fraction(100)],
    'length': Fraction(1),
    'chance': Fraction(1, 2),
    'rounds': Fraction(2),
}
hypotheses, constants = average_exact(INSTANCE)
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
