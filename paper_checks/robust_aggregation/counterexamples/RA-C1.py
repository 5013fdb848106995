"""Counterexample to RA-C1.

Reading: τ = 1.
Instance: FedAvg, one round of T steps.
Claimed: After T steps the expected gap is at most V/(T + γ) + E, with V falling in ρ̄ and E growing in ρ̃/ρ̄.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def left_over(k: Any, kappa: Any, n_steps: Any) -> Any:
    """The product of 1 - k/(t + 4 kappa) over t < n_steps, k a whole number."""
    out = Fraction(1)
    for j in range(1, int(k) + 1):
        out = out * (4 * kappa - j) / (n_steps + 4 * kappa - j)
    return out


def one_round_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One round of E = T steps of FedAvg; gradients bounded on the ball around w* that holds all optima and the start."""
    kappa, mu, m, p, n_steps = x["kappa"], x["mu"], x["optimum"], x["share"], x["T"]
    h = [mu, kappa * mu]
    pull = p[0] * h[0] + p[1] * h[1]
    best = (p[0] * h[0] * m[0] + p[1] * h[1] * m[1]) / pull
    start, zero, one = best + x["aim"], Fraction(0), Fraction(1)
    end = sum(p[i] * (m[i] + (start - m[i]) * left_over(h[i] / mu, kappa, n_steps)) for i in (0, 1))
    far = max(abs(x["aim"]), abs(m[0] - best), abs(m[1] - best))
    Gamma = sum(p[i] * h[i] * (m[i] - best) ** 2 for i in (0, 1)) / 2
    met = {
        "mu > 0 and a whole number kappa >= 1": mu > 0 and kappa >= 1 and kappa == int(kappa),
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "Gamma > 0 (Remark 2)": Gamma > 0,
        "T >= 1, a whole number": n_steps >= 1 and n_steps == int(n_steps),
    }
    found = {"D0": x["aim"] ** 2, "L": kappa * mu, "mu": mu, "tau": one, "T": n_steps, "sigma2": zero, "Gamma": Gamma}
    found |= {"G2": max(h[i] ** 2 * (far + abs(m[i] - best)) ** 2 for i in (0, 1)), "rho": one, "rho_best": one}
    return met, {**found, "lhs": pull * (end - best) ** 2 / 2}


INSTANCE = {
    'kappa': Fraction(8),
    'mu': Fraction(1),
    'optimum': [Fraction(0), Fraction(-1)],
    'aim': Fraction(0),
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'T': Fraction(125000),
}
hypotheses, constants = one_round_exact(INSTANCE)
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
    print(f"{side} = {value} = {float(value):.6g}" if short else f"{side} = about {float(value):.6g}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
