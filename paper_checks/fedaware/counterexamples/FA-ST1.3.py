"""Counterexample to FA-ST1.3.

Reading: as printed.
Instance: constants, L >= 0.0001, 3 clients.
Claimed: The sum of squared weights is absorbed into χ².
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def constants_exact(x: Mapping[str, Any]) -> Exact:
    """The constants of the proofs, drawn freely inside their ranges."""
    K, L, lam, tilde = x["local_steps"], x["L"], x["weights"], x["applied"]
    eta_l = x["first"] / (L * K)
    met = {
        "eta_l <= 1/(8 L K), gamma >= 1, 0 <= beta <= 1": x["first"] <= Fraction(1, 8)
        and x["gamma"] >= 1
        and 0 <= x["beta"] <= 1,
        "weights on the simplex, lambda positive": sum(lam) == 1 == sum(tilde) and min(lam) > 0 and min(tilde) >= 0,
    }
    return met, {
        "K": K,
        "L": L,
        "eta_l": eta_l,
        "eta_g": x["server"],
        "eta": eta_l * x["server"],
        "c": 1 / x["first"] ** 2,
        "chi": sum((a - b) ** 2 / a for a, b in zip(lam, tilde, strict=True)),
        "W": sum(b * b / a for a, b in zip(lam, tilde, strict=True)),
        **{name: x[name] for name in ("gamma", "sigma2", "rho", "beta", "S", "M")},
    }


def t1_exact(x: Mapping[str, Any]) -> Exact:
    """4 (L^2 + chi^2/q + 2 beta W/q) gamma S + 4 c eta_l^2 L^2 K sigma^2 on the left."""
    met, k = constants_exact(x)
    q = (k["eta_l"] * k["K"]) ** 2
    first = 4 * k["gamma"] * k["S"] * (k["L"] ** 2 + (k["chi"] + 2 * k["beta"] * k["W"]) / q)
    return met, {**k, "lhs": first + 4 * k["c"] * k["K"] * (k["eta_l"] * k["L"]) ** 2 * k["sigma2"]}


INSTANCE = {
    'weights': [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)],
    'applied': [Fraction(1), Fraction(0), Fraction(0)],
    'L': Fraction(1),
    'first': Fraction(1, 10),
    'local_steps': Fraction(1),
    'server': Fraction(1),
    'gamma': Fraction(1),
    'beta': Fraction(1),
    'sigma2': Fraction(1),
    'rho': Fraction(1),
    'S': Fraction(1),
    'M': Fraction(1),
}
hypotheses, constants = t1_exact(INSTANCE)
K = constants["K"]
L = constants["L"]
S = constants["S"]
beta = constants["beta"]
c = constants["c"]
chi = constants["chi"]
eta_l = constants["eta_l"]
gamma = constants["gamma"]
sigma2 = constants["sigma2"]
lhs = constants["lhs"]
rhs = Fraction(4*K*L**2*c*eta_l**2*sigma2 + S*gamma*(4*L**2 + 4*chi*(2*beta + 1)/(K**2*eta_l**2)))
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
