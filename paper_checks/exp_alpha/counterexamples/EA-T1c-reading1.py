"""Counterexample to EA-T1c.

Reading: γ = L/μ, Γ = 0 as the closing line prints.
Instance: 1-D, 1 clients, E = 1, 1 rounds, proportional weights.
Claimed: With proportional weights FedAvg ends within the vanishing term alone.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def scalar_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg on one-dimensional clients with weights fixed in advance: exact first and second moments."""
    h, m, p, n_local = x["curvature"], x["optimum"], x["share"], int(x["local_steps"])
    clients = range(len(h))
    sigma = [s * x["noisy"] for s in x["sigma"]]
    mu, L = min(h), max(h)
    gamma = max(8 * L / mu, Fraction(n_local)) - 1 if x["proof_gamma"] > 0 else L / mu
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    model, spread, t, G2 = x["start"], Fraction(0), 0, Fraction(0)
    Omegas, Gammas, noises = [], [], []
    for a in x["weights"]:
        w = [model for i in clients]  # mean of each local model
        c = [Fraction(1) for i in clients]  # how much of the broadcast model's deviation it still carries
        v = [Fraction(0) for i in clients]  # variance from its own noise
        for _ in range(n_local):
            mean = sum(a[i] * w[i] for i in clients)
            var = sum(a[i] * c[i] for i in clients) ** 2 * spread + sum(a[i] ** 2 * v[i] for i in clients)
            Omegas.append(sum(a[i] * h[i] * ((mean - m[i]) ** 2 + var) for i in clients) / 2)
            Gammas.append(sum(a[i] * h[i] * (best - m[i]) ** 2 for i in clients) / 2)
            noises.append(sum(a[i] ** 2 * sigma[i] ** 2 for i in clients))
            G2 = max(
                [G2] + [h[i] ** 2 * ((w[i] - m[i]) ** 2 + c[i] ** 2 * spread + v[i]) + sigma[i] ** 2 for i in clients]
            )
            eta = 2 / (mu * (gamma + t))
            w = [w[i] - eta * h[i] * (w[i] - m[i]) for i in clients]
            v = [(1 - eta * h[i]) ** 2 * v[i] + eta**2 * sigma[i] ** 2 for i in clients]
            c = [(1 - eta * h[i]) * c[i] for i in clients]
            t = t + 1
        spread = sum(a[i] * c[i] for i in clients) ** 2 * spread + sum(a[i] ** 2 * v[i] for i in clients)
        model = sum(a[i] * w[i] for i in clients)
    Omega = min(Omegas)
    if x["all_time"] > 0 and 12 * L * L / (mu * mu * (gamma + t)) < L / mu:
        Omega = Fraction(0)  # all t >= 0, last weights kept: any value between 0 and the run's; this favours the bound
    hypotheses = {
        "mu-strong convexity and L-smoothness": mu > 0,
        "data shares on the simplex": sum(p) == 1 and min(p) >= 0,
        "weights on the simplex in every round": all(sum(a) == 1 and min(a) >= 0 for a in x["weights"]),
        "noise +-sigma_i, independent over clients and steps: variance sigma_i^2": min(sigma) >= 0,
    }
    constants = {
        "lhs": sum(p[i] * h[i] for i in clients) * ((model - best) ** 2 + spread) / 2,
        "L": L,
        "mu": mu,
        "gamma": gamma,
        "T": Fraction(t),
        "E": Fraction(n_local),
        "noise": max(noises),
        "G2": G2,
        "Omega": Omega,
        "Gamma": max(Gammas),
        "delta0": (x["start"] - best) ** 2,
    }
    return hypotheses, constants


def shared_scalar_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg on one-dimensional clients, every round weighted by the data shares."""
    return scalar_exact({**x, "weights": [x["share"] for _ in x["weights"]]})


INSTANCE = {
    'curvature': [Fraction(1)],
    'optimum': [Fraction(0)],
    'share': [Fraction(1)],
    'weights': [[Fraction(1)]],
    'start': Fraction(0),
    'sigma': [Fraction(1)],
    'noisy': Fraction(1),
    'local_steps': Fraction(1),
    'proof_gamma': Fraction(0),
    'all_time': Fraction(0),
}
hypotheses, constants = shared_scalar_exact(INSTANCE)
E = constants["E"]
G2 = constants["G2"]
L = constants["L"]
T = constants["T"]
delta0 = constants["delta0"]
gamma = constants["gamma"]
mu = constants["mu"]
noise = constants["noise"]
lhs = constants["lhs"]
rhs = Fraction(L*(delta0*gamma/2 + (2*G2*(8*E - 8) + 2*noise)/mu**2)/(T + gamma))
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
