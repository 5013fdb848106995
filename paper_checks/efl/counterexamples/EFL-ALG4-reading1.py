"""Counterexample to EFL-ALG4.

Reading: γ any positive number.
Instance: rounds, free, T = 3.
Claimed: «A learning rate that decays with τ», below the two caps 1/(2(1+θ)L) and 4/(μEθ) that the proof assumes.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def rate_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """eta_tau = 16 E/(mu ((tau + 1) E + gamma) m_tau): its growth from round to round, or against the caps of the proof."""
    E, theta, mu, L = int(x["steps"]), x["theta"], x["mu"], x["mu"] * x["condition"]
    m = [v * theta * E for v in x["work"]]
    if "same" in x:
        m = [m[0] for _ in m]
    gamma = (1 + x["later"]) * max(max(32 * E * (1 + theta) * L / (mu * v), 4 * E**2 * theta / v, E) for v in m)
    if "free" in x:
        gamma = x["gamma"]
    scale = 64 if "large" in x else 16
    eta = [scale * E / (mu * ((tau + 1) * E + gamma) * v) for tau, v in enumerate(m)]
    met = {"0 < E sum p s <= theta E": min(m) > 0 and max(m) <= theta * E, "0 < mu <= L": 0 < mu <= L}
    if "decay" in x:
        return met, {"lhs": max(eta[i + 1] / eta[i] for i in range(len(eta) - 1)) - 1}
    cap = min(1 / (2 * (1 + theta) * L), 4 / (mu * E * theta))
    return met, {"lhs": max(eta) / cap - 1}


INSTANCE = {
    'mu': Fraction(1),
    'condition': Fraction(1),
    'theta': Fraction(1),
    'work': [Fraction(1), Fraction(1), Fraction(1)],
    'later': Fraction(1),
    'gamma': Fraction(1),
    'steps': Fraction(1),
    'free': Fraction(1),
}
hypotheses, constants = rate_exact(INSTANCE)
lhs = constants["lhs"]
rhs = Fraction(0)
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
