"""Counterexample to EA-T2.

Reading: γ = L/μ as in the theorem.
Instance: 5 identical clients, all weight on one, 1 rounds of E = 1.
Claimed: Drawing K clients by weight at each synchronisation adds only C = 4EG²/K to the constant of Theorem 1.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def sampled_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg on the line, K clients drawn by weight: E w and E w^2 by the two draws that a product of the mean needs."""
    h, m, p, E, K = x["curvature"], x["optimum"], x["share"], int(x["local_steps"]), int(x["drawn"])
    clients, sigma = range(len(h)), [s * x["noisy"] for s in x["sigma"]]
    mu, L = min(h), max(h)
    gamma = max(8 * L / mu, Fraction(E)) - 1 if x["proof_gamma"] > 0 else L / mu
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    first, second, t = x["start"], x["start"] ** 2, 0  # E w and E w^2
    Omegas, Gammas, noises, G2 = [], [], [], Fraction(0)
    for a in x["weights"]:
        c, b, v = [Fraction(1) for i in clients], [Fraction(0) for i in clients], [Fraction(0) for i in clients]
        Gammas.append(sum(a[i] * h[i] * (best - m[i]) ** 2 for i in clients) / 2)
        noises.append(sum(a[i] ** 2 * sigma[i] ** 2 for i in clients))
        for _ in range(E):
            C, B = sum(a[i] * c[i] for i in clients), sum(a[i] * b[i] for i in clients)
            mean = C * first + B
            square = C * C * second + 2 * C * B * first + B * B + sum(a[i] ** 2 * v[i] for i in clients)
            Omegas.append(sum(a[i] * h[i] * (square - 2 * m[i] * mean + m[i] ** 2) for i in clients) / 2)
            for i in clients:
                d = b[i] - m[i]
                away = c[i] ** 2 * second + 2 * c[i] * d * first + d * d + v[i]
                G2 = max(G2, h[i] ** 2 * away + sigma[i] ** 2)
            eta = 2 / (mu * (gamma + t))
            v = [(1 - eta * h[i]) ** 2 * v[i] + eta**2 * sigma[i] ** 2 for i in clients]
            b = [(1 - eta * h[i]) * b[i] + eta * h[i] * m[i] for i in clients]
            c = [(1 - eta * h[i]) * c[i] for i in clients]
            t = t + 1
        C, B = sum(a[i] * c[i] for i in clients), sum(a[i] * b[i] for i in clients)
        apart = C * C * second + 2 * C * B * first + B * B + sum(a[i] ** 2 * v[i] for i in clients)
        same = sum(a[i] * (c[i] ** 2 * second + 2 * c[i] * b[i] * first + b[i] ** 2 + v[i]) for i in clients)
        first, second = C * first + B, same / K + apart * (K - 1) / K
    hypotheses = {
        "A1, A2: mu > 0": mu > 0,
        "A5: K >= 1 draws by weight, weights on the simplex": K >= 1
        and all(sum(a) == 1 and min(a) >= 0 for a in x["weights"]),
        "data shares on the simplex": sum(p) == 1 and min(p) >= 0,
        "noise +-sigma_i, independent over clients and steps": min(sigma) >= 0,
    }
    constants = {
        "lhs": sum(p[i] * h[i] for i in clients) * (second - 2 * best * first + best**2) / 2,
        "L": L,
        "mu": mu,
        "gamma": gamma,
        "T": Fraction(t),
        "E": Fraction(E),
        "K": Fraction(K),
        "noise": max(noises),
        "G2": G2,
        "Omega": min(Omegas),
        "Gamma": max(Gammas),
        "delta0": (x["start"] - best) ** 2,
    }
    return hypotheses, constants


def clones_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """K identical noisy clients h/2 w^2 from their optimum, all weight on the first, K of them drawn; gamma = L/mu = 1."""
    k, one, zero = int(x["drawn"]), Fraction(1), Fraction(0)
    weights = [[one] + [zero for _ in range(k - 1)] for _ in range(int(x["n_steps"]))]
    rest = {"optimum": [zero] * k, "share": [one / k] * k, "weights": weights, "start": zero, "noisy": one}
    flags = {"local_steps": one, "proof_gamma": zero, "drawn": x["drawn"]}
    return sampled_exact({**rest, **flags, "curvature": [x["curvature"]] * k, "sigma": [x["sigma"]] * k})


INSTANCE = {
    'curvature': Fraction(1),
    'sigma': Fraction(1),
    'drawn': Fraction(5),
    'n_steps': Fraction(1),
}
hypotheses, constants = clones_exact(INSTANCE)
E = constants["E"]
G2 = constants["G2"]
Gamma = constants["Gamma"]
K = constants["K"]
L = constants["L"]
Omega = constants["Omega"]
T = constants["T"]
delta0 = constants["delta0"]
gamma = constants["gamma"]
mu = constants["mu"]
noise = constants["noise"]
lhs = constants["lhs"]
rhs = Fraction(L*(delta0*gamma/2 + (8*E*G2/K + 2*G2*(8*E - 8) + 12*L*Omega + 2*noise)/mu**2)/(T + gamma) + L*(Gamma - Omega)/mu)
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
