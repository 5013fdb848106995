"""Counterexample to EA-L2.

Reading: any joint law of the samples.
Instance: 2 clients, d = 2, correlated noise.
Claimed: Averaging reduces the variance of the stochastic gradients to the sum of squared weights times variances.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Number = Any

def dot(u: Sequence[Number], v: Sequence[Number]) -> Number:
    """⟨u, v⟩."""
    total = u[0] * v[0]
    for a, b in zip(u[1:], v[1:], strict=True):
        total = total + a * b
    return total


def together_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E |sum rho_i zeta_i v_i|^2 term by term, E zeta_i zeta_j = r for i != j, E zeta_i^2 = 1; sigma_i = |v_i|."""
    a, later, v, r = x["weights"][0], x["weights"][1], x["noise"], x["correlation"]
    clients = range(len(v))
    own = [dot(u, u) for u in v]
    left = sum((a[i] ** 2 * own[i] for i in clients), Fraction(0))
    left += sum((2 * r * a[i] * a[j] * dot(v[i], v[j]) for i in clients for j in range(i)), Fraction(0))
    hypotheses = {
        "A3: each client's noise has mean 0 and variance sigma_i^2, a joint law exists": 0 <= r <= 1,
        "weights on the simplex": all(sum(w) == 1 and min(w) >= 0 for w in (a, later)),
    }
    largest = max(sum(w[i] ** 2 * own[i] for i in clients) for w in (a, later))
    cubes = max(sum(w[i] ** 3 * own[i] for i in clients) for w in (a, later))
    return hypotheses, {"lhs": left, "largest": largest, "cubes": cubes}


INSTANCE = {
    'weights': [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 2), Fraction(1, 2)]],
    'noise': [[Fraction(0), Fraction(-1)], [Fraction(0), Fraction(-1)]],
    'correlation': Fraction(1),
}
hypotheses, constants = together_exact(INSTANCE)
largest = constants["largest"]
lhs = constants["lhs"]
rhs = Fraction(largest)
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
