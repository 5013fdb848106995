"""Counterexample to EFL-E1.

Reading: one F for all rounds.
Instance: elastic clients, rounds, N = 1.
Claimed: F has one minimiser ω*, the one that every round of the analysis refers to.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def optimum_exact(h: Any, m: Any, p: Any, pull: Any, anchor: Any) -> Any:
    """Minimiser of sum p_k h_k (w - m_k)^2/2 + sum pull_i (w - a_i)^2/2."""
    top = sum(q * c * v for q, c, v in zip(p, h, m, strict=True)) + sum(
        u * a for u, a in zip(pull, anchor, strict=True)
    )
    return top / (sum(q * c for q, c in zip(p, h, strict=True)) + sum(pull))


def minimiser_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|F'| over its curvature at the minimiser of one round, or how far the minimisers of two rounds are apart."""
    h, m, p, lam = x["curvature"], x["optimum"], x["share"], x["elastic"] * (0 if "free" in x else 1)
    pull = [lam * i for i in x["fisher"]]
    w = optimum_exact(h, m, p, pull, x["anchor"])
    met = {"shares on the simplex": sum(p) == 1, "lambda and Fisher diagonals >= 0": lam >= 0 and min(pull) >= 0}
    if "rounds" in x:
        return met, {"lhs": abs(w - optimum_exact(h, m, p, pull, x["later"]))}
    slope = sum(q * c * (w - v) for q, c, v in zip(p, h, m, strict=True))
    hold = sum(u * (w - a) for u, a in zip(pull, x["anchor"], strict=True)) * (2 if "per client" in x else 1)
    return met, {"lhs": abs(slope + hold) / (max(h) + sum(pull))}


INSTANCE = {
    'curvature': [Fraction(1)],
    'optimum': [Fraction(0)],
    'share': [Fraction(1)],
    'fisher': [Fraction(1)],
    'anchor': [Fraction(0)],
    'later': [Fraction(-1)],
    'elastic': Fraction(1),
    'point': Fraction(0),
    'rounds': Fraction(1),
}
hypotheses, constants = minimiser_exact(INSTANCE)
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
