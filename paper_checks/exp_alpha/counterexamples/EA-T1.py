"""Counterexample to EA-T1.

Reading: γ = max{8L/μ, E} − 1 as in A.9, any weights.
Instance: identical 1-D clients, 12 rounds of E = 1, weights see the round's noise.
Claimed: FedAvg with any time-varying simplex weights ends within a vanishing term plus (L/μ)(Γ − Ω) of the optimum.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def noise_seeing_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Identical clients h/2 w^2, E = 1, start at w*; all weight on a client whose noise is +sigma, if there is one."""
    h, sigma, n_clients = x["curvature"], x["sigma"], int(x["n_clients"])
    gamma = Fraction(7) if x["proof_gamma"] > 0 else Fraction(1)  # L = mu = h, E = 1
    plus = 1 - Fraction(1, 2**n_clients)  # probability that some client draws +sigma
    first, second = Fraction(0), Fraction(0)  # E w_t and E w_t^2; each step w -> (1 - eta h) w - eta n
    for t in range(int(x["n_steps"])):
        eta = 2 / (h * (gamma + t))
        up, down = (1 - eta * h), eta * sigma
        second = up**2 * second - 2 * up * down * (2 * plus - 1) * first + down**2
        first = up * first - down * (2 * plus - 1)
    hypotheses = {
        "mu-strong convexity and L-smoothness": h > 0,
        "each client's own noise has mean 0 and variance sigma^2": sigma >= 0,
        "at least one client, weights one-hot": n_clients >= 1,
    }
    zero = Fraction(0)  # Omega = Gamma = 0: identical clients, and the run starts at the optimum
    constants = {
        "lhs": h * second / 2,
        "L": h,
        "mu": h,
        "gamma": gamma,
        "T": Fraction(int(x["n_steps"])),
        "E": Fraction(1),
        "noise": sigma**2,
        "G2": zero,
        "Omega": zero,
        "Gamma": zero,
        "delta0": zero,
    }
    return hypotheses, constants


INSTANCE = {
    'curvature': Fraction(1),
    'sigma': Fraction(1),
    'n_clients': Fraction(8),
    'n_steps': Fraction(12),
    'proof_gamma': Fraction(1),
}
hypotheses, constants = noise_seeing_exact(INSTANCE)
E = constants["E"]
G2 = constants["G2"]
Gamma = constants["Gamma"]
L = constants["L"]
Omega = constants["Omega"]
T = constants["T"]
delta0 = constants["delta0"]
gamma = constants["gamma"]
mu = constants["mu"]
noise = constants["noise"]
lhs = constants["lhs"]
rhs = Fraction(L*(delta0*gamma/2 + (2*G2*(8*E - 8) + 12*L*Omega + 2*noise)/mu**2)/(T + gamma) + L*(Gamma - Omega)/mu)
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
