"""Counterexample to FA-ST2.3.

Reading: T₂ itself.
Instance: 1 clients, d = 1.
Claimed: The sum of squared weights is absorbed into χ² in the bound on T₂ as well.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Number = Any
Vector = list[Any]

def dot(u: Sequence[Number], v: Sequence[Number]) -> Number:
    """⟨u, v⟩."""
    total = u[0] * v[0]
    for a, b in zip(u[1:], v[1:], strict=True):
        total = total + a * b
    return total


def weighted_sum(weights: Sequence[Number], vectors: Sequence[Sequence[Number]]) -> Vector:
    """Σ aₖ uₖ."""
    return [dot(weights, [u[j] for u in vectors]) for j in range(len(vectors[0]))]


def direction_exact(x: Mapping[str, Any]) -> Exact:
    """The averages m_i = g_i + off_i, with off in units of the largest entry of g."""
    g, lam, tilde = x["updates"], x["weights"], x["applied"]
    unit = max(abs(y) for v in g for y in v)
    m = [[a + unit * b for a, b in zip(v, e, strict=True)] for v, e in zip(g, x["errors"], strict=True)]
    squares = [dot(v, v) for v in g]
    wrong = [sum((a - b) ** 2 for a, b in zip(u, v, strict=True)) for u, v in zip(m, g, strict=True)]
    d, G = weighted_sum(tilde, m), weighted_sum(tilde, g)
    mean, S = dot(lam, squares), dot(G, G)
    beta = dot(lam, wrong) / (2 * mean) if mean > 0 else Fraction(2)
    far = sum((a - b) ** 2 / a for a, b in zip(lam, tilde, strict=True))
    met = {
        "weights on the simplex, lambda positive": sum(lam) == 1 == sum(tilde) and min(lam) > 0 and min(tilde) >= 0,
        "0 <= beta <= 1": 0 <= beta <= 1,
        "gamma is finite": S > 0,
        "chi^2 >= 1 where asked": "apart" not in x or far >= 1,
    }
    return met, {
        "lhs": dot(d, d) / (x["eta_l"] * x["local_steps"]) ** 2,
        "K": x["local_steps"],
        "eta_l": x["eta_l"],
        "chi": far,
        "beta": beta,
        "gamma": max(squares) / S if S > 0 else Fraction(0),
        "S": S,
    }


INSTANCE = {
    'weights': [Fraction(1)],
    'applied': [Fraction(1)],
    'updates': [[Fraction(1)]],
    'errors': [[Fraction(1)]],
    'eta_l': Fraction(1),
    'local_steps': Fraction(1),
}
hypotheses, constants = direction_exact(INSTANCE)
K = constants["K"]
S = constants["S"]
beta = constants["beta"]
chi = constants["chi"]
eta_l = constants["eta_l"]
gamma = constants["gamma"]
lhs = constants["lhs"]
rhs = Fraction(S*(8*beta*chi*gamma + 2)/(K**2*eta_l**2))
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
