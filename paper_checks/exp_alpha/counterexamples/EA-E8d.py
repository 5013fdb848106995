"""Counterexample to EA-E8d.

Reading: carried on, v of each step.
Instance: β > 1/μ, η₁ <= 0.25/L, any B̄, Γ − Ω, Δ₀, t.
Claimed: The factor is at most 1/(t + γ + 1), the base case holds, and so does Δₜ <= v/(γ + t) for all t.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def induction_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """What the lines of (8) miss: beta = (1 + surplus)/mu, L = kappa mu, eta_1 = beta/(gamma + 1) = length/L."""
    mu, t, gap = x["mu"], x["t"], x["difference"]
    beta, L = (1 + x["surplus"]) / mu, x["kappa"] * mu
    gamma = beta * L / x["length"] - 1
    eta = beta / (gamma + t)
    B = x["B_bar"] + 2 * gap / eta
    next_B = B if x["own"] > 0 else x["B_bar"] + 2 * gap * (gamma + t + 1) / beta
    v = max(beta**2 * B / (beta * mu - 1), gamma * x["delta0"])
    next_v = max(beta**2 * next_B / (beta * mu - 1), gamma * x["delta0"])
    delta = x["portion"] * v / (gamma + t)
    step = delta - eta * mu * delta + eta**2 * B
    which = int(x["which"])
    if which == 0:
        missed = step - (v / (gamma + t) - eta * mu * v / (gamma + t) + eta**2 * B)
    elif which == 1:
        missed = eta**2 * B - (beta * mu - 1) * v / (gamma + t) ** 2
    elif which == 2:
        missed = x["delta0"] - v / gamma
    elif which == 3:
        missed = (v - next_v) / (gamma + t)
    elif which == 4:
        missed = step - v / (gamma + t + 1)
    elif which == 6:
        missed = x["delta0"] - beta**2 * B / (beta * mu - 1) / gamma
    else:
        missed = eta**2 * next_B - (beta * mu - 1) * v / (gamma + t) ** 2
    met = {
        "beta > 1/mu, mu > 0, L >= mu": x["surplus"] > 0 and mu > 0 and x["kappa"] >= 1,
        "gamma > 0": gamma > 0,
        "0 <= Delta_t <= v/(gamma + t)": 0 <= x["portion"] <= 1,
        "Delta_0 > 0, B_bar > 0": min(x["delta0"], x["B_bar"]) > 0,
    }
    return met, {"lhs": missed, "nothing": Fraction(0)}


INSTANCE = {
    'mu': Fraction(1, 10),
    'kappa': Fraction(1),
    'surplus': Fraction(1),
    'length': Fraction(1, 4),
    't': Fraction(0),
    'B_bar': Fraction(1),
    'difference': Fraction(-1),
    'delta0': Fraction(1),
    'portion': Fraction(1),
    'which': Fraction(3),
    'own': Fraction(0),
}
hypotheses, constants = induction_exact(INSTANCE)
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
