"""Counterexample to EA-S5.

Reading: B at the step of the bound.
Instance: 1 steps, B at t = T.
Claimed: One number B carries the recursion (7) through the induction (8) to the bound (11).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def recursion_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Delta_(t+1) = (1 - eta_t mu) Delta_t + eta_t^2 B_t with B_t = B_bar + (2/eta_t)(Gamma - Omega)."""
    value, values, parts, n = x["delta0"], [x["delta0"]], [], int(x["n_steps"])
    for t in range(n + 1):
        eta = 2 / (x["mu"] * (x["gamma"] + t))
        parts.append(x["B_bar"] + 2 * x["difference"] / eta)
        if t < n:
            value = value - eta * x["mu"] * value + eta * eta * parts[t]
            values.append(value)
    hypotheses = {
        "gamma >= 7, as max(8 L/mu, E) - 1 is": x["gamma"] >= 7,
        "mu, B_bar > 0": x["mu"] > 0 and x["B_bar"] > 0,
        "every Delta_t >= 0": min(values) >= 0,
    }
    which = int(x["which"])
    constants = {
        "lhs": value,
        "B": parts[0] if which == 0 else parts[n] if which == 1 else max(parts),
        "mu": x["mu"],
        "gamma": x["gamma"],
        "T": Fraction(n),
        "delta0": x["delta0"],
    }
    return hypotheses, constants


INSTANCE = {
    'mu': Fraction(5),
    'gamma': Fraction(7),
    'B_bar': Fraction(37),
    'difference': Fraction(-1),
    'delta0': Fraction(1, 100),
    'n_steps': Fraction(1),
    'which': Fraction(1),
}
hypotheses, constants = recursion_exact(INSTANCE)
B = constants["B"]
T = constants["T"]
delta0 = constants["delta0"]
gamma = constants["gamma"]
mu = constants["mu"]
lhs = constants["lhs"]
rhs = Fraction(max(delta0*gamma, 4*B/mu**2)/(T + gamma))
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
