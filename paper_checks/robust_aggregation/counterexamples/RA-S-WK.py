"""Counterexample to RA-S-WK.

Reading: weights 1/m on the clients kept.
Instance: one round, losses in whole units, N = 2.
Claimed: FedWorse(k) leans to the extreme clients: it weighs their losses more than FedAvg does.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def strategy_weights(kind: int, p: list[Any], level: list[int], floor: list[int], odds: Any, kept: int) -> list[Any]:
    """The aggregation weights of one round, from the print."""
    n = len(p)
    if kind in (10, 11):
        level, kind = [f + v for f, v in zip(floor, level, strict=True)], kind - 9
    if kind == 0:
        return list(p)
    score = [v if kind in (1, 3, 5, 7) else -v for v in level]
    above = [sum(other > mine for other in score) for mine in score]
    alike = [score.count(mine) for mine in score]
    places = kept if kind > 4 else 1
    part = [max(Fraction(0), min(Fraction(1), Fraction(places - u, e))) for u, e in zip(above, alike, strict=True)]
    raw = {
        9: [Fraction(1)] * n,
        3: [q * odds**s for q, s in zip(p, score, strict=True)],
        7: [q * s for q, s in zip(p, part, strict=True)],
    }
    chosen = raw.get({4: 3, 8: 7}.get(kind, kind), part)
    return [v / sum(chosen) for v in chosen]


def one_round_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One line about the weights of one round; losses are F_i* + level_i in units of loss."""
    p, kind, line, odds = x["share"], int(x["strategy"]), int(x["line"]), x["odds"]
    n, kept = len(p), min(int(x["kept"]), len(p))
    level, floor, shift = ([round(v) for v in x[name]] for name in ("level", "floor", "shift"))
    a = strategy_weights(kind, p, level, floor, odds, kept)
    score = [int(x["lean"]) * v for v in level]
    best = max(score)
    top = [i for i in range(n) if score[i] == best]
    lower = [s for s in score if s < best]
    moved = [v + s for v, s in zip(level, shift, strict=True)]
    other = strategy_weights(kind, p, moved, floor, odds, kept) if line == 7 else a
    per = a if x["per_share"] == 0 else [u / q for u, q in zip(a, p, strict=True)]
    target = best if x["target"] > 0 else sum(q * s for q, s in zip(p, score, strict=True))
    zero = Fraction(0)
    if line == 1:
        lhs = max(abs(sum(a) - 1), -min(a))
    elif line == 2:
        lhs = target - sum(u * s for u, s in zip(a, score, strict=True))
    elif line == 3:
        lhs = max([abs(per[i] - per[j]) for i in range(n) for j in range(i) if level[i] == level[j]] + [zero])
    elif line == 4:
        lhs = Fraction(int(min(a) <= 0))
    elif line == 5:
        lhs = max(max(u / q, q / u) for u, q in zip(a, p, strict=True))
    elif line == 6:
        lhs = sum(abs(u - Fraction(int(i in top), len(top))) for i, u in enumerate(a)) / 2
    elif line == 7:
        lhs = sum((abs(u - v) for u, v in zip(a, other, strict=True)), zero)
    else:
        lhs = Fraction(len(top) - 1)
    hypotheses = {
        "shares positive, on the simplex": sum(p) == 1 and min(p) > 0,
        "one client has the extreme loss, where that is asked": line != 6
        or (len(lower) > 0 and (x["tied"] > 0 or len(top) == 1)),
    }
    constants = {"lhs": Fraction(lhs), "odds": odds, "span": odds ** (max(level) - min(level))}
    return hypotheses, constants | {
        "fall": odds ** (best - max(lower, default=best)),
        "share_top": sum(p[i] for i in top),
    }


INSTANCE = {
    'share': [Fraction(1000000, 1000001), Fraction(1, 1000001)],
    'level': [Fraction(1), Fraction(0)],
    'floor': [Fraction(0), Fraction(0)],
    'unit': Fraction(0),
    'odds': Fraction(2),
    'shift': [Fraction(0), Fraction(0)],
    'kept': Fraction(30),
    'strategy': Fraction(5),
    'line': Fraction(2),
    'lean': Fraction(1),
    'target': Fraction(0),
    'per_share': Fraction(0),
    'tied': Fraction(0),
}
hypotheses, constants = one_round_exact(INSTANCE)
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
