"""Counterexample to EA-E7.

Reading: itself, weights that may see the samples.
Instance: identical clients, 5 steps of E = 1, one-hot weights.
Claimed: Each step multiplies the mean squared distance by 1 − ημ and adds η²B.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def recursion_seeing_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same; each step w -> (1 - eta h) w - eta (noise of the client chosen), gamma = 8 = 8 L/mu."""
    h, s, n = x["curvature"], x["sigma"], int(x["n_clients"])
    plus = 1 - Fraction(1, 2**n) if x["seen"] > 0 else Fraction(1, 2)
    first, second, last, G2, eta = Fraction(0), Fraction(0), Fraction(0), Fraction(0), Fraction(0)
    for t in range(int(x["n_steps"])):
        G2 = max(G2, h * h * second + s * s)
        eta, last = 2 / (h * (8 + t)), second
        keep, push = 1 - eta * h, eta * s
        # E(keep w - push)^2 with chance plus, E(keep w + push)^2 else; the choice does not depend on w.
        second = plus * (keep**2 * last - 2 * keep * push * first + push**2) + (1 - plus) * (
            keep**2 * last + 2 * keep * push * first + push**2
        )
        first = keep * first - (2 * plus - 1) * push
    met = {"A1, A2: h > 0": h > 0, "noise +-sigma, independent; weights one-hot": s >= 0 and n >= 1}
    zero = Fraction(0)  # identical clients that start at their optimum: Gamma = 0, and Omega = 0 at t = 0
    values = {"lhs": second, "eta": eta, "mu": h, "L": h, "E": Fraction(1), "noise": s * s, "before": last}
    return met, {**values, "G2": G2, "Omega": zero, "Gamma": zero}


INSTANCE = {
    'curvature': Fraction(1),
    'sigma': Fraction(1),
    'n_clients': Fraction(8),
    'n_steps': Fraction(5),
    'seen': Fraction(1),
}
hypotheses, constants = recursion_seeing_exact(INSTANCE)
E = constants["E"]
G2 = constants["G2"]
Gamma = constants["Gamma"]
L = constants["L"]
Omega = constants["Omega"]
before = constants["before"]
eta = constants["eta"]
mu = constants["mu"]
noise = constants["noise"]
lhs = constants["lhs"]
rhs = Fraction(before*(-eta*mu + 1) + eta**2*(G2*(8*E - 8) + 6*L*Omega + noise + 2*(Gamma - Omega)/eta))
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
