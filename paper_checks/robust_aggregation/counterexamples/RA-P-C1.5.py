"""Counterexample to RA-P-C1.5.

Reading: any ρ̃.
Instance: all constants.
Claimed: With β = 1/μ and γ = 4L/μ the bound by ψ is at most V/(T + γ) + E.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def substituted_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(L/2) psi/(T + gamma) with beta = 1/mu, gamma = 4L/mu."""
    L, mu, rho, best, Gamma = x["L"], x["L"] * x["part"], x["rho"], x["rho"] * x["times"], x["Gamma"]
    gamma, beta, B = 4 * L / mu, 1 / mu, 1 + rho * Fraction(3, 8)
    C, D = 32 * x["E"] ** 2 * x["G2"] + 6 * rho * L * Gamma + x["sigma2"], 2 * Gamma * (best - rho)
    psi = max(gamma * x["D0"], (beta**2 * C + D * beta * (x["T"] + gamma)) / (beta * mu * B - 1))
    met = {"0 < mu <= L": 0 < mu <= L, "rho > 0": rho > 0}
    found = {name: Fraction(x[name]) for name in ("L", "T", "G2", "sigma2", "Gamma", "D0", "rho")}
    found |= {"mu": mu, "tau": x["E"] if x["tau_is_E"] > 0 else Fraction(1), "rho_best": best}
    return met, {**found, "lhs": L / 2 * psi / (x["T"] + gamma)}


INSTANCE = {
    'L': Fraction(1),
    'part': Fraction(1),
    'rho': Fraction(1),
    'times': Fraction(1, 2),
    'G2': Fraction(1),
    'sigma2': Fraction(1),
    'Gamma': Fraction(1),
    'D0': Fraction(1),
    'E': Fraction(1),
    'T': Fraction(61),
    'tau_is_E': Fraction(1),
}
hypotheses, constants = substituted_exact(INSTANCE)
D0 = constants["D0"]
G2 = constants["G2"]
Gamma = constants["Gamma"]
L = constants["L"]
T = constants["T"]
mu = constants["mu"]
rho = constants["rho"]
rho_best = constants["rho_best"]
sigma2 = constants["sigma2"]
tau = constants["tau"]
lhs = constants["lhs"]
rhs = Fraction(8*Gamma*L*(-1 + rho_best/rho)/(3*mu) + (2*D0*L**2/mu + 8*Gamma*L**2/mu**2 + 4*L*(32*G2*tau**2 + sigma2)/(3*mu**2*rho))/(4*L/mu + T))
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
