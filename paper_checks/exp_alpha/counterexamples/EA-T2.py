"""Counterexample to EA-T2.

Reading: γ of A.9, any weights.
Instance: identical clients, 200 rounds of E = 1, weights see the samples.
Claimed: Drawing K clients by weight at each synchronisation adds only C = 4EG²/K to the constant of Theorem 1.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def seeing_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same; with all weight on one client each of the K draws is that client. L = mu = h, gamma = 8 - 1."""
    h, sigma, n, K = x["curvature"], x["sigma"], int(x["n_clients"]), int(x["drawn"])
    plus, first, second, G2 = 1 - Fraction(1, 2**n), Fraction(0), Fraction(0), Fraction(0)
    for t in range(int(x["n_steps"])):
        G2 = max(G2, h * h * second + sigma**2)
        eta = 2 / (h * (7 + t))
        keep, push = 1 - eta * h, eta * sigma
        second = keep**2 * second - 2 * keep * push * (2 * plus - 1) * first + push**2
        first = keep * first - push * (2 * plus - 1)
    hypotheses = {
        "A1, A2": h > 0,
        "A3: each client's own noise is +-sigma with chance 1/2, independent": sigma >= 0,
        "A5: 1 <= K <= N draws from one-hot weights": 1 <= K <= n,
    }
    zero = Fraction(0)  # Omega = Gamma = 0 is the smallest and largest they can be: identical clients
    values = {"lhs": h * second / 2, "L": h, "mu": h, "gamma": Fraction(7), "T": Fraction(int(x["n_steps"]))}
    rest = {"E": Fraction(1), "K": Fraction(K), "noise": sigma**2, "G2": G2, "Omega": zero, "Gamma": zero}
    return hypotheses, {**values, **rest, "delta0": zero}


INSTANCE = {
    'curvature': Fraction(1),
    'sigma': Fraction(1),
    'n_clients': Fraction(20),
    'drawn': Fraction(20),
    'n_steps': Fraction(200),
}
hypotheses, constants = seeing_exact(INSTANCE)
E = constants["E"]
G2 = constants["G2"]
Gamma = constants["Gamma"]
K = constants["K"]
L = constants["L"]
Omega = constants["Omega"]
T = constants["T"]
delta0 = constants["delta0"]
gamma = constants["gamma"]
mu = constants["mu"]
noise = constants["noise"]
lhs = constants["lhs"]
rhs = Fraction(L*(delta0*gamma/2 + (8*E*G2/K + 2*G2*(8*E - 8) + 12*L*Omega + 2*noise)/mu**2)/(T + gamma) + L*(Gamma - Omega)/mu)
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
