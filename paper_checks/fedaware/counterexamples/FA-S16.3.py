"""Counterexample to FA-S16.3.

Reading: in any units.
Instance: constants, L >= 0.0001, 3 clients.
Claimed: Under η_l <= 1/(8LK) the collected terms are at most the printed coefficients of σ_l² and of ρ.
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


def line_16_exact(x: Mapping[str, Any]) -> Exact:
    """The line before, with beta, on the left."""
    met, k = constants_exact(x)
    q, seen = (k["eta_l"] * k["K"]) ** 2, k["K"] * k["eta_l"] ** 2 * k["sigma2"] + k["rho"]
    first = 4 * k["gamma"] * (k["L"] ** 2 + (1 + 2 * k["beta"]) * k["chi"] / q)
    factor = first + 2 * k["L"] * k["K"] * k["eta"] / q * (1 + 4 * k["beta"] * k["chi"] * k["gamma"])
    return met, {**k, "lhs": 4 * k["c"] * k["K"] * (k["eta_l"] * k["L"]) ** 2 * k["sigma2"] + factor * seen}


INSTANCE = {
    'weights': [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)],
    'applied': [Fraction(1), Fraction(0), Fraction(0)],
    'L': Fraction(1),
    'first': Fraction(1, 8),
    'local_steps': Fraction(50),
    'server': Fraction(1),
    'gamma': Fraction(1),
    'beta': Fraction(0),
    'sigma2': Fraction(1),
    'rho': Fraction(1),
    'S': Fraction(1),
    'M': Fraction(1),
}
hypotheses, constants = line_16_exact(INSTANCE)
K = constants["K"]
L = constants["L"]
beta = constants["beta"]
c = constants["c"]
chi = constants["chi"]
eta = constants["eta"]
eta_g = constants["eta_g"]
eta_l = constants["eta_l"]
gamma = constants["gamma"]
rho = constants["rho"]
sigma2 = constants["sigma2"]
lhs = constants["lhs"]
rhs = Fraction(K*L**2*eta_l**2*sigma2*(4*c + 4*gamma*(1 + chi*(2*beta + 1)/(K**2*L**2*eta_l**2))) + 2*L*eta*sigma2*(4*beta*chi*gamma + 1) + 2*L*eta*rho*(L*gamma/(8*eta_g) + 4*beta*chi*gamma + 1 + chi*gamma*(4*beta + 2)/(K*L*eta))/(K*eta_l**2))
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
