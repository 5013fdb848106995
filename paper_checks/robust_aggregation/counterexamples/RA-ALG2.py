"""Counterexample to RA-ALG2.

Reading: weights of all clients, those absent left out.
Instance: one round with absent clients, N = 2.
Claimed: The new model is an average of the local models of the clients that took part.
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


def partial_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """By how much the new model lies outside the local models of the clients that took part."""
    p, local, cohort = x["share"], x["local"], x["cohort"]
    here = [i for i in range(len(p)) if 2 * cohort[i] > 1 or cohort[i] == max(cohort)]
    level, who = [round(v) for v in x["level"]], here if x["renormalised"] == 1 else list(range(len(p)))
    total = sum(p[i] for i in who)
    a = strategy_weights(int(x["strategy"]), [p[i] / total for i in who], [level[i] for i in who], [], x["odds"], 1)
    new = sum(v * local[i] for v, i in zip(a, who, strict=True) if i in here or x["renormalised"] > 1)
    inside = [local[i] for i in here]
    return {"shares positive": min(p) > 0}, {"lhs": max(min(inside) - new, new - max(inside))}


INSTANCE = {
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'cohort': [Fraction(0), Fraction(1)],
    'level': [Fraction(0), Fraction(0)],
    'local': [Fraction(0), Fraction(-1)],
    'odds': Fraction(2),
    'strategy': Fraction(1),
    'renormalised': Fraction(0),
}
hypotheses, constants = partial_exact(INSTANCE)
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
