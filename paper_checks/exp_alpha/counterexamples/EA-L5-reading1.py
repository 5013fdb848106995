"""Counterexample to EA-L5.

Reading: over the draw alone.
Instance: 2 clients, one local step, given the samples.
Claimed: Drawing K clients instead of averaging all moves the aggregate by at most 4η²EG²/K in the mean square.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def given_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E_s |W_tilde - W_bar|^2 after one local step for samples of positive chance; noise +-n_i with chance q each."""
    a, K, q = x["weights"], int(x["drawn"]), x["chance"]
    clients = range(len(a))
    g = [x["curvature"][i] * (x["start"] - x["optimum"][i]) for i in clients]
    V = [x["start"] - x["step"] * (g[i] + x["noise"][i]) for i in clients]
    center = sum(a[i] * V[i] for i in clients)
    constants = {
        "lhs": sum(a[i] * (V[i] - center) ** 2 for i in clients) / K,
        "eta": x["step"],
        "E": Fraction(1),
        "G2": max(g[i] ** 2 + 2 * q * x["noise"][i] ** 2 for i in clients),
        "K": Fraction(K),
    }
    hypotheses = {
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "noise n_i and -n_i with chance q each, else 0: mean 0": 0 < 2 * q <= 1,
        "constant positive steps": x["step"] > 0,
    }
    return hypotheses, constants


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(0)],
    'start': Fraction(0),
    'noise': [Fraction(0), Fraction(-1)],
    'chance': Fraction(1, 100),
    'weights': [Fraction(1, 2), Fraction(1, 2)],
    'step': Fraction(1),
    'drawn': Fraction(1),
}
hypotheses, constants = given_exact(INSTANCE)
E = constants["E"]
G2 = constants["G2"]
K = constants["K"]
eta = constants["eta"]
lhs = constants["lhs"]
rhs = Fraction(4*E*G2*eta**2/K)
for name, met in hypotheses.items():
    print(f"hypothesis {name}: {met}")
for side, value in (("left side ", lhs), ("right side", rhs)):
    short = max(abs(value.numerator), value.denominator) < 10**60
    print(f"{side} = {value} = {float(value):.6g}" if short else f"{side} = about {float(value):.6g}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
