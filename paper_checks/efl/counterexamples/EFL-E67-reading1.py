"""Counterexample to EFL-E67.

Reading: first to second member, ∇F as printed.
Instance: 2 clients, d = 1.
Claimed: The optimum moves by at most 2/μ times the gradient of the new objective at the old optimum, which is client a's.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def members_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Clients 0..N-2 hold one unit of samples, client N-1 = a holds size_ratio; n counts a."""
    h, m, ratio = x["curvature"], x["optimum"], x["size_ratio"]
    clients, dims = range(len(h)), range(len(h[0]))
    counts = [*x["share"], ratio]

    def optimum(sizes: Any) -> Any:
        return [
            sum(sizes[k] * h[k][i] * m[k][i] for k in clients) / sum(sizes[k] * h[k][i] for k in clients) for i in dims
        ]

    def gradient(sizes: Any, at: Any) -> Any:
        return [sum(sizes[k] * h[k][i] * (at[i] - m[k][i]) for k in clients) / sum(sizes) for i in dims]

    def gap(at: Any) -> Any:
        return sum(h[-1][i] * (at[i] - m[-1][i]) ** 2 for i in dims) / 2

    alone = [*x["share"], Fraction(0)]
    v, both = optimum(alone), optimum(counts)
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    joint = sum(c * c for c in gradient(counts, v))
    own = sum((h[-1][i] * (v[i] - m[-1][i])) ** 2 for i in dims)
    part = ratio / (1 + ratio)
    lhs = [
        sum((c - d) ** 2 for c, d in zip(v, both, strict=True)),
        abs(joint - part**2 * own),
        4 * (part / mu) ** 2 * own,
    ][int(x["look"])]
    met = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "sample counts": ratio > 0 and sum(x["share"]) == 1 and min(x["share"]) >= 0,
    }
    constants = {
        "lhs": lhs,
        "L": L,
        "mu": mu,
        "n": 1 + ratio,
        "n_a": ratio,
        "slope": joint,
        "slope_own": sum(c * c for c in gradient(alone, v)),
        "slope_a": own,
        "D_without": gap(v),
        "D_with": gap(both),
        "nothing": Fraction(0),
    }
    return met, constants


INSTANCE = {
    'curvature': [[Fraction(1)], [Fraction(1)]],
    'optimum': [[Fraction(0)], [Fraction(1)]],
    'share': [Fraction(1)],
    'size_ratio': Fraction(1),
    'look': Fraction(0),
}
hypotheses, constants = members_exact(INSTANCE)
mu = constants["mu"]
slope_own = constants["slope_own"]
lhs = constants["lhs"]
rhs = Fraction(4*slope_own/mu**2)
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
