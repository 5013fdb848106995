"""Counterexample to FA-R11.

Reading: nothing but β terms.
Instance: any constants, β = 0 to 0.
Claimed: Compared with (13), partial participation only adds minor terms multiplied by β, which is small.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def both_exact(x: Mapping[str, Any]) -> Checked:
    """The right sides of (13) and of (16), with beta as given, written out from the print."""
    T, K, eta_l, L, c, gamma, chi, beta = (x[k] for k in ("T", "K", "eta_l", "L", "c", "gamma", "chi", "beta"))
    eta_g, noise, drop, rho = x["eta_g"], x["noise"], x["drop"], x["rho"]
    eta = eta_l * eta_g
    Psi = rho / (eta_l**2 * K)
    full = 2 * drop / (T * K * eta) + eta * L * noise
    full += 4 * (c + gamma + chi * gamma / (2 * (eta_l * L * K) ** 2)) * (eta_l * L) ** 2 * K * noise
    full += eta * L * (1 + L * gamma / (2 * eta_g) + 2 * chi * gamma / (eta * K * L)) * Psi
    part = 2 * drop / (eta * T * K) + 2 * L * (1 + 4 * beta * chi * gamma) * eta * noise
    part += 4 * (c + gamma + (1 + 2 * beta) * chi * gamma / (eta_l * L * K) ** 2) * (eta_l * L) ** 2 * K * noise
    inner = 1 + L * gamma / (8 * eta_g) + 2 * (1 + 2 * beta) * chi * gamma / (eta * K * L) + 4 * beta * chi * gamma
    part += 2 * eta * L * inner * Psi
    return {"all constants positive": min(x.values()) >= 0}, {"lhs": part, "full": full}


INSTANCE = {
    'T': Fraction(1),
    'K': Fraction(1),
    'eta_l': Fraction(1),
    'L': Fraction(1),
    'c': Fraction(1),
    'gamma': Fraction(1),
    'chi': Fraction(1),
    'eta_g': Fraction(1),
    'noise': Fraction(1),
    'drop': Fraction(1),
    'rho': Fraction(1),
    'beta': Fraction(0),
}
hypotheses, constants = both_exact(INSTANCE)
full = constants["full"]
lhs = constants["lhs"]
rhs = Fraction(full)
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
