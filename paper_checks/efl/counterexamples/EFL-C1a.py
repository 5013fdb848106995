"""Counterexample to EFL-C1a.

Reading: abandoning gives the smaller loss over all clients.
Instance: 2 clients of one curvature, E = 1, T → ∞.
Claimed: An inactive client should be abandoned if yᵃJ, where the bound with it settles, exceeds the bound without it.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def losses_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Limits of the models for T to infinity: w = sum of q_k m_k, q_k the mean weights E[p^k], client 0 with y or gone."""
    p, m, clients = x["share"], x["optimum"], range(len(x["share"]))
    over = [p[k] if k > 0 or x["everyone"] > 0 else Fraction(0) for k in clients]

    def loss(weights: Any) -> Any:
        end = sum(weights[k] * m[k] for k in clients) / sum(weights)
        return x["curvature"] * sum(over[k] * (end - m[k]) ** 2 for k in clients) / 2

    without = [p[k] if k > 0 else Fraction(0) for k in clients]
    kept = [p[k] if k > 0 else p[k] * (1 - x["inactive"]) for k in clients]
    met = {
        "0 < y < 1": 0 < x["inactive"] < 1,
        "p^k on the simplex, all positive": sum(p) == 1 and min(p) > 0,
        "y J > f_1(T) -> 0: some D_k > 0": len(set(m)) > 1,
    }
    return met, {"lhs": loss(without), "keeping": loss(kept)}


INSTANCE = {
    'curvature': Fraction(1),
    'optimum': [Fraction(0), Fraction(-1)],
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'inactive': Fraction(1, 2),
    'everyone': Fraction(1),
}
hypotheses, constants = losses_exact(INSTANCE)
keeping = constants["keeping"]
lhs = constants["lhs"]
rhs = Fraction(keeping)
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
