"""Counterexample to EFL-T1.

Reading: positive part, activity depends on the batches.
Instance: identical clients, activity sees the batch, 6000 rounds of E = 1.
Claimed: With decaying steps the expected squared distance to ω* is at most C/(τE+γ)² + HJ/(τE+γ).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def with_C(c: Mapping[str, Any]) -> dict[str, Any]:
    """The constants and, for each reading of the bracket, C_T of the induction."""
    out = dict(c)
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        drift = (2 + c["mu"] / (2 * (1 + c["theta"]) * c["L"])) * c["E"] * (c["E"] - 1) * c["G2"] * c[name]
        bar_b = c["noise"] + 2 * (2 + c["theta"]) * c["L"] * c["skew"] + drift
        grown = (16 * c["E"] / c["mu"]) ** 2 * (bar_b + 2 * c["E"] * c["G2"] * c["pull"])
        out[f"C_{name}"] = c["gamma"] ** 2 * c["Delta0"] + grown
    return out


def seeing_batches_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """N clients h/2 w^2, p = p^k = 1/N, E = 1, noise +-sigma, w_0 = 0; a step is done iff the client's noise is +sigma.

    `lhs` is (E w_T)^2, which E w_T^2 is never below.
    """
    h, sigma, n_clients, n_rounds = x["curvature"], x["sigma"], x["n_clients"], int(x["rounds"])
    theta, half = 1 + x["slack"], Fraction(1, 2)  # half = E[sum p s]; E[p^k s^k]/p^k = 1/2 for all: r_tau = 0
    gamma = (1 + x["later"]) * max(32 * (1 + theta) / half, 4 * theta / half, 1)
    eta = 16 / (h * (1 + gamma) * half)  # the first and largest step
    below = eta <= 1 / (2 * (1 + theta) * h) and eta <= 4 / (h * theta)
    # E w' = E w - eta (h E w + sigma)/2: (E w + sigma/h)/(sigma/h) is the product of (gamma + tau - 16)/(gamma + tau).
    left = Fraction(1)
    for i in range(1, 17):
        left = left * (gamma + i - 16) / (gamma + n_rounds - 16 + i)
    hypotheses = {
        "A1, A2: mu = L = h > 0": h > 0,
        "noise of mean 0 and variance sigma^2, independent over clients and rounds": sigma > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta): w stays in [-sigma/h, 0], second moments <= 2 sigma^2": below,
    }
    constants = {
        "lhs": (sigma / h * (1 - left)) ** 2,
        "gamma": gamma,
        "time": Fraction(n_rounds),
        "E": Fraction(1),
        "mu": h,
        "L": h,
        "theta": theta,
        "G2": 2 * sigma**2,
        "Delta0": Fraction(0),
        "noise": n_rounds * half * sigma**2 / n_clients / half**2,
        "skew": Fraction(0),
        "pull": n_rounds * half / half**2,
        "H": Fraction(0),
        "J": Fraction(0),
        "rounds": Fraction(n_rounds),
    }
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        constants[name] = n_rounds * half / half**2  # E = 1: the bracket is multiplied by E - 1 = 0
    return hypotheses, with_C(constants)


INSTANCE = {
    'curvature': Fraction(1),
    'sigma': Fraction(1),
    'slack': Fraction(1),
    'later': Fraction(1),
    'n_clients': Fraction(10),
    'rounds': Fraction(6000),
}
hypotheses, constants = seeing_batches_exact(INSTANCE)
C_plus_59 = constants["C_plus_59"]
H = constants["H"]
J = constants["J"]
gamma = constants["gamma"]
time = constants["time"]
lhs = constants["lhs"]
rhs = Fraction(C_plus_59/(gamma + time)**2 + H*J/(gamma + time))
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
