"""Counterexample to EA-VS.

Reading: mean of gₜ, weights that may see the samples.
Instance: 2 noisy clients, 4 kinds of weights.
Claimed: The weighted mean of the local models moves by one SGD step, whose mean is the weighted mean of full gradients.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def mean_gradient_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(E g_t - E sum rho_i grad F_i)^2, client i's noise h sigma_i or -h sigma_i with chance 1/2, independently."""
    h, n = x["curvature"], len(x["optimum"])
    gap = Fraction(0)
    for row in range(2**n):
        signs = [1 if (row >> (n - 1 - i)) & 1 else -1 for i in range(n)]
        weights = x["table"][row if x["sees"] > 2 else 0]
        drawn = [h * (x["point"][i] - x["optimum"][i]) + h * signs[i] * x["sigma"][i] for i in range(n)]
        mean = [h * (x["point"][i] - x["optimum"][i]) for i in range(n)]
        gap += sum(weights[i] * (drawn[i] - mean[i]) for i in range(n)) / 2**n
    hypotheses = {
        "strongly convex, smooth: h > 0": h > 0,
        "noise of mean 0, independent over clients": min(x["sigma"]) >= 0,
        "weights on the simplex for every outcome": all(sum(r) == 1 and min(r) >= 0 for r in x["table"]),
    }
    return hypotheses, {"lhs": gap * gap, "nothing": Fraction(0)}


INSTANCE = {
    'curvature': Fraction(1),
    'optimum': [Fraction(0), Fraction(0)],
    'point': [Fraction(0), Fraction(0)],
    'sigma': [Fraction(1), Fraction(1)],
    'table': [[Fraction(1), Fraction(0)], [Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)], [Fraction(0), Fraction(1)]],
    'sees': Fraction(3),
}
hypotheses, constants = mean_gradient_exact(INSTANCE)
nothing = constants["nothing"]
lhs = constants["lhs"]
rhs = Fraction(nothing)
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
