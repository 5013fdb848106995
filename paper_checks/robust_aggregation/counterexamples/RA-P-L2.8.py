"""Counterexample to RA-P-L2.8.

Reading: any decaying step sizes.
Instance: any gradients, E = 3, N = 1, d = 1.
Claimed: The step size at the start of a round is at most twice the one at t.
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


def sums_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Gradients of every client at the steps t_0, ..., t, t = t_0 + E - 1; the sums run to t - 1."""
    g, a, line = x["gradients"], x["weights"], int(x["line"])
    E, clients, dims = len(g), range(len(a)), range(len(g[0][0]))
    first, drop = x["first"], x["drop"]
    etas = [first * (1 - (1 - drop) * Fraction(s, E - 1)) for s in range(E)]
    if x["late"] > 0:
        etas = [first] * (E - 1) + [first * drop]

    def over_pairs(v: Any) -> Any:
        middle = weighted_sum(a, v)
        return 2 * sum(a[i] * sum((v[i][c] - middle[c]) ** 2 for c in dims) for i in clients)

    moved = [[sum(etas[s] * g[s][i][c] for s in range(E - 1)) for c in dims] for i in clients]
    sizes = [[dot(v, v) for v in row] for row in g]
    c = {
        "eta": etas[-1],
        "eta0": first,
        "E": Fraction(E),
        "k": Fraction(E - 1),
        "N": Fraction(len(a)),
        "G2": max(max(row) for row in sizes),
        "pairs": over_pairs(moved),
        "apart2": sum(over_pairs(row) for row in g[:-1]),
        "now2": dot(a, sizes[-1]),
        "mean2": sum(dot(a, row) for row in sizes[:-1]),
        "all2": sum(sum(row) for row in sizes[:-1]),
    }
    left = {
        2: c["pairs"] / 2,
        4: c["pairs"],
        5: first**2 * E * c["apart2"],
        51: first**2 * E * c["apart2"],
        6: c["pairs"] / 2,
        7: 4 * c["eta"] ** 2 * E * len(a) * c["all2"],
        71: 4 * first**2 * E * (E - 1) * c["G2"],
        72: 4 * first**2 * E * c["mean2"],
        8: 4 * first**2 * E**2 * c["G2"],
    }
    hypotheses = {
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "step sizes positive and not increasing": etas[-1] > 0 and sorted(etas, reverse=True) == etas,
    }
    return hypotheses, {**c, "lhs": left[line]}


INSTANCE = {
    'gradients': [[[Fraction(0)]], [[Fraction(-1)]], [[Fraction(0)]]],
    'weights': [Fraction(1)],
    'first': Fraction(1),
    'drop': Fraction(1, 10),
    'late': Fraction(0),
    'line': Fraction(8),
}
hypotheses, constants = sums_exact(INSTANCE)
E = constants["E"]
G2 = constants["G2"]
eta = constants["eta"]
lhs = constants["lhs"]
rhs = Fraction(16*E**2*G2*eta**2)
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
