"""Counterexample to FA-E10.

Reading: given the model, smooth clients.
Instance: one client, concave near the start and convex far from it.
Claimed: FedAvg's average squared gradient is at most a starting term, two noise terms and its mean client consensus.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def leap_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One client at x = 0: f = -L x^2/2 up to |x| = edge, then bent upwards with curvature L; noise +-sigma."""
    L, s, K, half = x["L"], x["sigma"], 2, Fraction(1, 2)
    eta_l, eta_g = x["first"] / (L * K), x["server"]
    edge = x["flat"] * eta_l * s * (2 + eta_l * L)

    def f(at: Any) -> Any:
        far = max(abs(at) - edge, 0)
        return -L * at * at * half if far == 0 else -L * edge * edge * half - L * edge * far + L * far * far * half

    visited, after, squares, mean = [], Fraction(0), Fraction(0), Fraction(0)
    for first in (s, -s):
        for second in (s, -s):
            x1 = -eta_l * first
            x2 = x1 - eta_l * (-L * x1 + second)
            visited += [abs(x1), abs(x2)]
            after += f(eta_g * x2) / 4
            squares += x2 * x2 / 4
            mean += x2 / 4
    met = {
        "local models stay where f is concave": max(visited) <= edge,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8) and x["window"] >= 1,
        "gamma = 1, as there is one client": squares > 0,
    }
    constants = {
        "lhs": Fraction(0),
        "F": f(Fraction(0)) - after,
        "T": Fraction(1),
        "K": Fraction(K),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": x["window"] / x["first"] ** 2,
        "gamma": Fraction(1),
        "sigma2": s * s,
        "rho": mean * mean,
    }
    return met, constants


INSTANCE = {
    'L': Fraction(1),
    'sigma': Fraction(1),
    'first': Fraction(1, 8),
    'server': Fraction(1000),
    'flat': Fraction(1),
    'window': Fraction(1),
}
hypotheses, constants = leap_exact(INSTANCE)
F = constants["F"]
K = constants["K"]
L = constants["L"]
T = constants["T"]
c = constants["c"]
eta = constants["eta"]
eta_g = constants["eta_g"]
eta_l = constants["eta_l"]
gamma = constants["gamma"]
rho = constants["rho"]
sigma2 = constants["sigma2"]
lhs = constants["lhs"]
rhs = Fraction(2*F/(K*T*eta) + K*L**2*eta_l**2*sigma2*(2*c + 2*gamma) + L*eta*sigma2 + L*eta*rho*(1 + gamma/(4*eta_g))/(K*eta_l**2))
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
