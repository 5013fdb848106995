"""Counterexample to EA-E10.

Reading: Γ and Ω over the run.
Instance: 1 clients, E = 1, 1 steps.
Claimed: The larger of two terms is at most their sum.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def run_moments_exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Any]]:
    """The same from E w and E w^2 of the last synchronisation: client i stands at c_i w + b_i + noise of variance v_i."""
    h, m, p, E, K = x["curvature"], x["optimum"], x["share"], int(x["local_steps"]), int(x["drawn"])
    clients, sigma = range(len(h)), [s * x["noisy"] for s in x["sigma"]]
    mu, L = min(h), max(h)
    offset = max(8 * L / mu, Fraction(E))
    gamma = L / mu if x["kind"] == 0 else offset - 1 if x["kind"] == 1 else offset * x["stretch"]
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    first, second, eta, apart = x["start"], x["start"] ** 2, 2 / (mu * gamma), Fraction(0)
    one, zero = [Fraction(1) for i in clients], [Fraction(0) for i in clients]
    c, b, v = one, zero, zero
    deltas, Omegas, Gammas, noises, G2 = [(x["start"] - best) ** 2], [], [], [], Fraction(0)
    for t in range(int(x["n_steps"])):
        a = x["weights"][min(t // E, len(x["weights"]) - 1)]
        C, B = sum(a[i] * c[i] for i in clients), sum(a[i] * b[i] for i in clients)
        mean = C * first + B
        square = C * C * second + 2 * C * B * first + B * B + sum(a[i] ** 2 * v[i] for i in clients)
        Omegas.append(sum(a[i] * h[i] * (square - 2 * m[i] * mean + m[i] ** 2) for i in clients) / 2)
        Gammas.append(sum(a[i] * h[i] * (best - m[i]) ** 2 for i in clients) / 2)
        noises.append(sum(a[i] ** 2 * sigma[i] ** 2 for i in clients))
        for i in clients:
            d = b[i] - m[i]
            G2 = max(G2, h[i] ** 2 * (c[i] ** 2 * second + 2 * c[i] * d * first + d * d + v[i]) + sigma[i] ** 2)
        eta = 2 / (mu * (gamma + t))
        v = [(1 - eta * h[i]) ** 2 * v[i] + eta**2 * sigma[i] ** 2 for i in clients]
        b = [(1 - eta * h[i]) * b[i] + eta * h[i] * m[i] for i in clients]
        c = [(1 - eta * h[i]) * c[i] for i in clients]
        C, B = sum(a[i] * c[i] for i in clients), sum(a[i] * b[i] for i in clients)
        mean = C * first + B
        square = C * C * second + 2 * C * B * first + B * B + sum(a[i] ** 2 * v[i] for i in clients)
        apart = Fraction(0)
        if (t + 1) % E == 0:
            same = sum(a[i] * (c[i] ** 2 * second + 2 * c[i] * b[i] * first + b[i] ** 2 + v[i]) for i in clients)
            apart = (same - square) / K if K > 0 else Fraction(0)
            first, second, c, b, v = mean, square + apart, one, zero, zero
            square = second
        deltas.append(square - 2 * best * mean + best**2)
    rest = sum(a[i] * h[i] * m[i] for i in clients) / sum(a[i] * h[i] for i in clients)
    floor = sum(a[i] * h[i] * (rest - m[i]) ** 2 for i in clients) / 2
    met = {
        "A1, A2: mu > 0": mu > 0,
        "weights on the simplex in every round, fixed in advance": all(
            sum(r) == 1 and min(r) >= 0 for r in x["weights"]
        ),
        "data shares on the simplex": sum(p) == 1 and min(p) >= 0,
        "noise +-sigma_i, independent over clients and steps": min(sigma) >= 0,
        "gamma as named": x["stretch"] >= 1,
    }
    found = {
        "after": deltas[-1],
        "before": deltas[-2],
        "first": deltas[0],
        "apart": apart,
        "excess": sum(p[i] * h[i] for i in clients) * deltas[-1] / 2,
        "eta": eta,
        "mu": mu,
        "L": L,
        "gamma": gamma,
        "T": Fraction(int(x["n_steps"])),
        "E": Fraction(E),
        "K": Fraction(K),
        "noise": max(noises),
        "G2": G2,
        "Omega": min(Omegas),
        "Omega_all": min([*Omegas, floor]),
        "Gamma": max(Gammas),
    }
    return met, found


def constant_b(found: Mapping[str, Any], Omega: Any) -> Any:
    """The B of A.9 with eta_t of the step t = T."""
    bar = found["noise"] + 8 * (found["E"] - 1) * found["G2"] + 6 * found["L"] * Omega
    return bar + found["mu"] * (found["gamma"] + found["T"]) * (found["Gamma"] - Omega)


def largest_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """v = max(4 B/mu^2, gamma Delta_0), Omega over the run."""
    met, found = run_moments_exact(x)
    B = constant_b(found, found["Omega"])
    return met, {**found, "lhs": max(4 * B / found["mu"] ** 2, found["gamma"] * found["first"]), "B": B}


INSTANCE = {
    'curvature': [Fraction(1)],
    'optimum': [Fraction(0)],
    'share': [Fraction(1)],
    'weights': [[Fraction(1)]],
    'start': Fraction(-1),
    'sigma': [Fraction(1)],
    'stretch': Fraction(1),
    'noisy': Fraction(0),
    'drawn': Fraction(0),
    'local_steps': Fraction(1),
    'n_steps': Fraction(1),
    'kind': Fraction(1),
}
hypotheses, constants = largest_exact(INSTANCE)
B = constants["B"]
first = constants["first"]
gamma = constants["gamma"]
mu = constants["mu"]
lhs = constants["lhs"]
rhs = Fraction(4*B/mu**2 + first*gamma)
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
