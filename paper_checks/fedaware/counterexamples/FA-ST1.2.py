"""Counterexample to FA-ST1.2.

Reading: as printed.
Instance: two clients, dimension 2.
Claimed: Assumption A.1 turns all terms into the applied pseudo-gradient.
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


def smallest_square(first: Any, cross: Any, second: Any) -> Any:
    """Least value of b²·first + 2b(1 − b)·cross + (1 − b)²·second over 0 <= b <= 1."""
    apart = first + second - 2 * cross
    b = min(max((second - cross) / apart, Fraction(0)), Fraction(1)) if apart > 0 else Fraction(0)
    return b * b * first + 2 * b * (1 - b) * cross + (1 - b) * (1 - b) * second


def swap_exact(x: Mapping[str, Any]) -> Exact:
    """Two clients, any updates: the first line of T_1 on the left, times (eta_l K)^2."""
    g, lam, tilde, q = x["updates"], x["weights"], x["applied"], x["first"] ** 2
    own = [dot(v, v) for v in g]
    lowest = smallest_square(own[0], dot(g[0], g[1]), own[1])
    G, G_tilde = weighted_sum(lam, g), weighted_sum(tilde, g)
    chi, W = (
        sum(y / a for y, a in zip(ys, lam, strict=True))
        for ys in ([(a - b) ** 2 for a, b in zip(lam, tilde, strict=True)], [b * b for b in tilde])
    )
    mean = dot(lam, own)
    gamma = max(own) / lowest if lowest > 0 else Fraction(0)
    first = mean if x["early"] > 0 else gamma * dot(G, G)
    met = {
        "gamma is finite": lowest > 0,
        "weights on the simplex, lambda positive": sum(lam) == 1 == sum(tilde) and min(lam) > 0 and min(tilde) >= 0,
        "eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8),
    }
    return met, {
        "q": q,
        "beta": x["beta"],
        "chi": chi,
        "W": W,
        "plain": dot(G, G),
        "applied": dot(G_tilde, G_tilde),
        "mean": mean,
        "gamma": gamma,
        "lhs": 4 * q * first + (4 * chi + 8 * x["beta"] * W) * mean,
    }


INSTANCE = {
    'updates': [[Fraction(0), Fraction(1, 2)], [Fraction(2), Fraction(5)]],
    'weights': [Fraction(1, 2), Fraction(1, 2)],
    'applied': [Fraction(1), Fraction(0)],
    'first': Fraction(1, 8),
    'beta': Fraction(1, 85),
    'early': Fraction(-1),
}
hypotheses, constants = swap_exact(INSTANCE)
W = constants["W"]
applied = constants["applied"]
beta = constants["beta"]
chi = constants["chi"]
gamma = constants["gamma"]
q = constants["q"]
lhs = constants["lhs"]
rhs = Fraction(applied*gamma*(8*W*beta + 4*chi + 4*q))
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
