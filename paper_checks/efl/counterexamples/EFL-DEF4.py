"""Counterexample to EFL-DEF4.

Reading: Fₖ read as fₖ or as F̃ₖ: one value.
Instance: elastic clients, both, N = 2.
Claimed: D̂ₖ is never negative, and the same with the objectives F̃ₖ of Sec. 3.1 as with the Fₖ printed here.
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


def gap_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """D_k = F~_k(w*) - min F~_k at the minimiser w* of F; `both`: its distance from the same without elastic term."""
    h, m, p, lam = x["curvature"], x["optimum"], x["share"], x["elastic"]
    if "alike" in x:
        h, m = [h[0] for _ in h], [m[0] for _ in m]
    pull, anchor, clients = [lam * i for i in x["fisher"]], x["anchor"], range(len(h))

    def value(k: int, z: Any) -> Any:
        return h[k] * (z - m[k]) ** 2 / 2 + sum(u * (z - a) ** 2 for u, a in zip(pull, anchor, strict=True)) / 2

    best = optimum_exact(h, m, p, pull, anchor)
    plain = optimum_exact(h, m, p, [Fraction(0) for _ in pull], anchor)
    own = []
    for k in clients:
        low = m[k] if "wrong" in x else optimum_exact([h[k]], [m[k]], [1], pull, anchor)
        own.append(value(k, best) - value(k, low))
    met = {"shares on the simplex": sum(p) == 1, "lambda and Fisher diagonals >= 0": lam >= 0 and min(pull) >= 0}
    if "both" in x:
        return met, {"lhs": max(abs(own[k] - h[k] * (plain - m[k]) ** 2 / 2) for k in clients)}
    return met, {"lhs": max(own) if "alike" in x else -min(own)}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(-1)],
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'fisher': [Fraction(0), Fraction(1)],
    'anchor': [Fraction(0), Fraction(0)],
    'later': [Fraction(0), Fraction(0)],
    'elastic': Fraction(1),
    'point': Fraction(0),
    'both': Fraction(1),
}
hypotheses, constants = gap_exact(INSTANCE)
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
