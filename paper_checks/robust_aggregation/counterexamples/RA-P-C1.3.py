"""Counterexample to RA-P-C1.3.

Reading: ψ at t, D of any sign.
Instance: 2 steps.
Claimed: A sequence that obeys the recursion with ηₜ = β/(t + γ) stays below ψ/(t + γ).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def sequence_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """A sequence with 0 <= Delta_(t+1) <= (1 - eta mu B) Delta_t + eta^2 C + eta D, and the numbers in psi at T."""
    factor = 1 + x["excess"]
    g = factor * x["room"] if "room" in x else x["gamma"]
    b, d, value, possible = factor / (x["mu"] * x["B"]), x["sign"] * x["size"], x["D0"], True
    for t, part in enumerate(x["part"]):
        eta = b / (t + g)
        most = (1 - eta * x["mu"] * x["B"]) * value + eta**2 * x["C"] + eta * d
        possible = possible and most >= 0 and 0 <= part <= 1
        value = part * most
    met = {
        "beta > 1/(mu B), gamma > 0, C >= 0, B >= 1": b * x["mu"] * x["B"] > 1 and min(g, x["C"], x["B"] - 1) >= 0,
        "0 <= Delta_(t+1) <= the recursion": possible,
        "beta mu B <= gamma, where it is asked": "room" not in x or b * x["mu"] * x["B"] <= g,
    }
    T = Fraction(len(x["part"]))
    found = {"beta": b, "gamma": g, "mu": x["mu"], "B": x["B"], "C": x["C"], "D": d, "D0": x["D0"], "T": T}
    return met, {**found, "lhs": (T + g) * value}


INSTANCE = {
    'B': Fraction(1),
    'mu': Fraction(1),
    'excess': Fraction(2),
    'C': Fraction(1),
    'size': Fraction(1),
    'D0': Fraction(1),
    'gamma': Fraction(1),
    'sign': Fraction(0),
    'part': [Fraction(0), Fraction(1)],
}
hypotheses, constants = sequence_exact(INSTANCE)
B = constants["B"]
C = constants["C"]
D = constants["D"]
D0 = constants["D0"]
T = constants["T"]
beta = constants["beta"]
gamma = constants["gamma"]
mu = constants["mu"]
lhs = constants["lhs"]
rhs = Fraction(max(D0*gamma, (C*beta**2 + D*beta*(T + gamma))/(B*beta*mu - 1)))
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
