"""Counterexample to RA-P-T1.A4.

Reading: as printed.
Instance: any gradients, noise of three outcomes, N = 2, d = 1.
Claimed: The squared error of the mean gradient is at most the mean of the clients' variances.
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


def fourth_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One inequality of the line on A_4; joint noise of all clients with finitely many outcomes."""
    q, slope, dim = x["chance"], x["slope"], range(len(x["slope"][0]))
    clients, outcomes = range(len(slope)), range(len(q))
    mean = [[sum(q[j] * x["noise"][j][i][k] for j in outcomes) for k in dim] for i in clients]
    noise = [[[x["noise"][j][i][k] - mean[i][k] for k in dim] for i in clients] for j in outcomes]
    a = x["late_weights"] if x["sees"] > 0 else [x["weights"] for _ in outcomes]
    drawn = [[[slope[i][k] + noise[j][i][k] for k in dim] for i in clients] for j in outcomes]
    ended = summed = own = Fraction(0)
    for j in outcomes:
        moved = [sum(a[j][i] * (slope[i][k] - drawn[j][i][k]) for i in clients) for k in dim]
        ended = ended + q[j] * dot(moved, moved)
        total = [sum(drawn[j][i][k] for i in clients) for k in dim]
        for i in clients:
            summed = summed + q[j] * a[j][i] * sum((slope[i][k] - total[k]) ** 2 for k in dim)
            own = own + q[j] * a[j][i] * dot(noise[j][i], noise[j][i])
    sigma2 = max(sum(q[j] * dot(noise[j][i], noise[j][i]) for j in outcomes) for i in clients)
    square = x["eta"] ** 2
    links = {1: (ended, summed), 2: (summed, sigma2), 3: (ended, own), 4: (own, sigma2), 5: (ended, sigma2)}
    lhs, bound = links[int(x["link"])]
    weights = [x["weights"], *x["late_weights"]]
    hypotheses = {
        "probabilities": sum(q) == 1 and min(q) >= 0,
        "unbiased: the noise has mean 0": all(
            sum(q[j] * noise[j][i][k] for j in outcomes) == 0 for i in clients for k in dim
        ),
        "weights on the simplex": all(sum(w) == 1 and min(w) >= 0 for w in weights),
    }
    return hypotheses, {"lhs": square * lhs, "right": square * bound}


INSTANCE = {
    'slope': [[Fraction(0)], [Fraction(1)]],
    'chance': [Fraction(1), Fraction(0), Fraction(0)],
    'noise': [[[Fraction(0)], [Fraction(0)]], [[Fraction(0)], [Fraction(0)]], [[Fraction(0)], [Fraction(0)]]],
    'weights': [Fraction(1), Fraction(0)],
    'late_weights': [[Fraction(1), Fraction(0)], [Fraction(1), Fraction(0)], [Fraction(1), Fraction(0)]],
    'eta': Fraction(1),
    'link': Fraction(2),
    'sees': Fraction(0),
}
hypotheses, constants = fourth_exact(INSTANCE)
right_ = constants["right"]
lhs = constants["lhs"]
rhs = Fraction(right_)
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
