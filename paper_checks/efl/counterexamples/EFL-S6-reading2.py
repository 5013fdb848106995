"""Counterexample to EFL-S6.

Reading: all clients, several steps.
Instance: all clients, N = 2, K = 1, E = 16.
Claimed: At the minimiser of Σpᵏfₖ the mean update of a round is 0, whoever takes part.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def update_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The mean over all outcomes of a round's update at w* = argmin sum p_k h_k (w - m_k)^2/2, E local steps, no noise."""
    h, m, p, n, K, law = x["curvature"], x["optimum"], x["share"], len(x["share"]), int(x["taking"]), int(x["law"])
    best = sum(p[k] * h[k] * m[k] for k in range(n)) / sum(p[k] * h[k] for k in range(n))
    eta, moved = x["length"] / max(h), []
    for k in range(n):
        w = best
        for _ in range(1 if "one" in x else int(x["local_steps"])):
            w = w - eta * h[k] * (w - m[k])
        moved.append(w - best)
    outcomes: list[tuple[Any, list[int]]] = [(Fraction(1), list(range(n)))]
    if law in (1, 4):
        chosen = [[k for k in range(n) if mask >> k & 1] for mask in range(2**n)]
        chosen = [s for s in chosen if len(s) == K]
        outcomes = [(Fraction(1, len(chosen)), s) for s in chosen]
    if law == 2:
        outcomes = []
        for code in range(n**K):
            s = [code // n**i % n for i in range(K)]
            chance = Fraction(1)
            for k in s:
                chance = chance * p[k]
            outcomes.append((chance, s))
    if law == 3:
        worst = sorted(range(n), key=lambda k: (-h[k] * (best - m[k]) ** 2, k))
        outcomes = [(Fraction(1), worst[:K])]
    mean = Fraction(0)
    for chance, s in outcomes:
        total = sum(p[k] for k in s)
        for k in s:
            weight = p[k] / total if law == 4 else Fraction(1, K) if "plain" in x else p[k]
            mean = mean + chance * weight * moved[k]
    met = {"p^k on the simplex, all positive": sum(p) == 1 and min(p) > 0, "0 < eta L <= 1": 0 < x["length"] <= 1}
    return met, {"lhs": abs(mean)}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(2)],
    'optimum': [Fraction(0), Fraction(1)],
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'length': Fraction(1),
    'taking': Fraction(1),
    'local_steps': Fraction(16),
    'law': Fraction(0),
}
hypotheses, constants = update_exact(INSTANCE)
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
