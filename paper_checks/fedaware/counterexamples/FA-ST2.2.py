"""Counterexample to FA-ST2.2.

Reading: as printed.
Instance: constants, L >= 0.0001, 3 clients.
Claimed: The size of the direction is bounded by the errors of averaging and the applied pseudo-gradient.
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


def t2_exact(x: Mapping[str, Any]) -> Exact:
    """(2/q) W 2 beta M + (2/q) S on the left."""
    met, k = constants_exact(x)
    return met, {**k, "lhs": (4 * k["beta"] * k["W"] * k["M"] + 2 * k["S"]) / (k["eta_l"] * k["K"]) ** 2}


INSTANCE = {
    'weights': [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)],
    'applied': [Fraction(0), Fraction(0), Fraction(1)],
    'L': Fraction(1),
    'first': Fraction(1, 10),
    'local_steps': Fraction(1),
    'server': Fraction(1),
    'gamma': Fraction(1),
    'beta': Fraction(0),
    'sigma2': Fraction(1),
    'rho': Fraction(1),
    'S': Fraction(1),
    'M': Fraction(1),
}
hypotheses, constants = t2_exact(INSTANCE)
M = constants["M"]
S = constants["S"]
W = constants["W"]
beta = constants["beta"]
lhs = constants["lhs"]
rhs = Fraction(8*M*W*beta + 2*S)
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
