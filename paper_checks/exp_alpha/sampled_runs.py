"""Whole runs of FedAvg on the line with K clients drawn by weight at each synchronisation: exact first and second moments.

Client i is hᵢ/2·(w − mᵢ)² with ±σᵢ noise, independent over clients and steps. A client drawn twice has one local model.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    units,
)

__all__ = ["clones_case", "sampled_family", "seeing_case"]

_DRAWN = (1.0, 2.0, 5.0, 8.0, 20.0, 1000.0)


def _at_most(n: int, pool: bool) -> tuple[float, ...]:
    """Values of K to draw from; `pool`: at most the N clients there are, N among them."""
    return tuple(sorted({k for k in _DRAWN if k <= n} | {float(n)})) if pool else _DRAWN


def _sampled(x: Instance) -> Mapping[str, Any]:
    """Both sides of Theorem 2: mean and variance of the model, round by round."""
    h, m, p, table, K = x["curvature"], x["optimum"], x["share"], x["weights"], x["drawn"]
    sigma, n_local = x["sigma"] * x["noisy"][:, None], int(x["local_steps"][0])
    mu, L = h.min(axis=1), h.max(axis=1)
    offset = np.where(x["proof_gamma"] > 0, np.maximum(8 * L / mu, n_local) - 1, L / mu)
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    u = m - best[:, None]  # everything about W*, so that nothing cancels
    model, spread, t = x["start"] - best, np.zeros(len(h)), 0
    omegas, gammas, noises, seconds = [], [], [], []
    for r in range(table.shape[1]):
        a = table[:, r]
        mean, c, own = np.repeat(model[:, None], h.shape[1], axis=1), np.ones_like(h), np.zeros_like(h)
        gammas.append(0.5 * (a * h * u**2).sum(axis=1))
        noises.append((a**2 * sigma**2).sum(axis=1))
        for _ in range(n_local):
            center = (a * mean).sum(axis=1)
            around = (a * c).sum(axis=1) ** 2 * spread + (a**2 * own).sum(axis=1)
            omegas.append(0.5 * (a * h * ((center[:, None] - u) ** 2 + around[:, None])).sum(axis=1))
            seconds.append((h**2 * ((mean - u) ** 2 + c**2 * spread[:, None] + own) + sigma**2).max(axis=1))
            eta = (2 / (mu * (offset + t)))[:, None]
            mean, c = mean - eta * h * (mean - u), (1 - eta * h) * c
            own = (1 - eta * h) ** 2 * own + eta**2 * sigma**2
            t += 1
        model = (a * mean).sum(axis=1)
        full = (a * c).sum(axis=1) ** 2 * spread + (a**2 * own).sum(axis=1)
        one = (a * ((mean - model[:, None]) ** 2 + c**2 * spread[:, None] + own)).sum(axis=1)
        spread = full + (one - full) / K
    return {
        "lhs": 0.5 * (p * h).sum(axis=1) * (model**2 + spread),
        "L": L,
        "mu": mu,
        "gamma": offset,
        "T": np.full(len(h), float(t)),
        "E": x["local_steps"],
        "K": K,
        "noise": np.max(noises, axis=0),
        "G2": np.max(seconds, axis=0),
        "Omega": np.min(omegas, axis=0),
        "Gamma": np.max(gammas, axis=0),
        "delta0": (x["start"] - best) ** 2,
        "magnitude": L * np.maximum(np.abs(m).max(axis=1), np.abs(x["start"])) ** 2,
    }


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


def sampled_family(*, proof_gamma: bool, pool: bool = False, most: int = 100) -> Family:
    """Runs of a few rounds, weights fixed in advance, K drawn by weight; `pool`: K is at most N."""

    def at(N: float, E: float, rounds: float) -> Case:
        n, r = int(N), int(rounds)
        drawn = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-3, 1e2, (n,)),
                Simplex("share", n),
                Simplex("weights", n, (r,)),
                Signed("start", 1e-3, 1e3),
                LogScale("sigma", 1e-2, 1e1, (n,)),
                Choice("noisy", (0.0, 0.0, 1.0)),
                Choice("drawn", _at_most(n, pool)),
                Choice("local_steps", (float(E),)),
                Choice("proof_gamma", (float(proof_gamma),)),
            )
        )
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}),
            permuted_clients({"curvature": 0, "optimum": 0, "share": 0, "weights": 1, "sigma": 0}),
        )
        name = f"{n} clients, E = {int(E)}, {r} rounds, K drawn"
        cost = max(2.5, n * E * r / 50)
        return Case(name, drawn, _sampled, ExactCheck(sampled_exact), cost=cost, symmetries=same)

    sizes = (Size("N", 1, most, 2), Size("E", 1, most, 2), Size("rounds", 1, 40, 2))
    return Family("K clients drawn by weight", sizes, at)


def _clones(x: Instance) -> Mapping[str, Any]:
    """K identical noisy clients h/2·w² from their optimum, all weight on the first, K drawn; the steps of Theorem 2."""
    n, k = len(x["curvature"]), int(x["drawn"][0])
    wide, none = np.ones((n, k)), np.zeros((n, k))
    weights = np.broadcast_to(np.eye(1, k), (n, int(x["n_steps"][0]), k))
    rest = {"optimum": none, "share": wide / k, "weights": weights, "start": none[:, 0], "noisy": wide[:, 0]}
    flags = {"local_steps": wide[:, 0], "proof_gamma": none[:, 0], "drawn": x["drawn"]}
    return _sampled({**rest, **flags, "curvature": x["curvature"][:, None] * wide, "sigma": x["sigma"][:, None] * wide})


def clones_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """K identical noisy clients h/2 w^2 from their optimum, all weight on the first, K of them drawn; gamma = L/mu = 1."""
    k, one, zero = int(x["drawn"]), Fraction(1), Fraction(0)
    weights = [[one] + [zero for _ in range(k - 1)] for _ in range(int(x["n_steps"]))]
    rest = {"optimum": [zero] * k, "share": [one / k] * k, "weights": weights, "start": zero, "noisy": one}
    flags = {"local_steps": one, "proof_gamma": zero, "drawn": x["drawn"]}
    return sampled_exact({**rest, **flags, "curvature": [x["curvature"]] * k, "sigma": [x["sigma"]] * k})


def clones_case(n_clients: int, n_steps: int) -> Case:
    """N = K identical noisy clients with one-hot weights fixed in advance, `n_steps` rounds of one step, γ = L/μ."""
    drawn = Space(
        (
            LogScale("curvature", 1e-1, 1e1, at=(1.0,)),
            LogScale("sigma", 1e-1, 1e1, at=(1.0,)),
            Choice("drawn", (float(n_clients),)),
            Choice("n_steps", (float(n_steps),)),
        )
    )
    same = (units({"curvature": (1, -2), "sigma": (1, -1)}),)
    name = f"{n_clients} identical clients, all weight on one, {n_steps} rounds of E = 1"
    return Case(name, drawn, _clones, ExactCheck(clones_exact, (sampled_exact,)), symmetries=same)


def _seeing(x: Instance) -> Mapping[str, Any]:
    """Identical clients h/2·w² from their optimum, E = 1, all weight on a client whose noise is +σ if there is one."""
    h, sigma = x["curvature"], x["sigma"]
    bias = sigma * (1 - 2 * 0.5 ** x["n_clients"])
    first, second, largest, zero = np.zeros_like(h), np.zeros_like(h), np.zeros_like(h), np.zeros_like(h)
    for t in range(int(x["n_steps"][0])):
        largest = np.maximum(largest, h**2 * second + sigma**2)
        eta = 2 / (h * (7 + t))
        second = (1 - eta * h) ** 2 * second - 2 * (1 - eta * h) * eta * bias * first + eta**2 * sigma**2
        first = (1 - eta * h) * first - eta * bias
    values = {"lhs": 0.5 * h * second, "L": h, "mu": h, "gamma": 7 + zero, "T": x["n_steps"], "E": 1 + zero}
    rest = dict.fromkeys(("Omega", "Gamma", "delta0"), zero)
    pool = x["drawn"] <= x["n_clients"]
    return {**values, **rest, "K": x["drawn"], "noise": sigma**2, "G2": largest, "admissible": pool}


def seeing_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same; with all weight on one client each of the K draws is that client. L = mu = h, gamma = 8 - 1."""
    h, sigma, n, K = x["curvature"], x["sigma"], int(x["n_clients"]), int(x["drawn"])
    plus, first, second, G2 = 1 - Fraction(1, 2**n), Fraction(0), Fraction(0), Fraction(0)
    for t in range(int(x["n_steps"])):
        G2 = max(G2, h * h * second + sigma**2)
        eta = 2 / (h * (7 + t))
        keep, push = 1 - eta * h, eta * sigma
        second = keep**2 * second - 2 * keep * push * (2 * plus - 1) * first + push**2
        first = keep * first - push * (2 * plus - 1)
    hypotheses = {
        "A1, A2": h > 0,
        "A3: each client's own noise is +-sigma with chance 1/2, independent": sigma >= 0,
        "A5: 1 <= K <= N draws from one-hot weights": 1 <= K <= n,
    }
    zero = Fraction(0)  # Omega = Gamma = 0 is the smallest and largest they can be: identical clients
    values = {"lhs": h * second / 2, "L": h, "mu": h, "gamma": Fraction(7), "T": Fraction(int(x["n_steps"]))}
    rest = {"E": Fraction(1), "K": Fraction(K), "noise": sigma**2, "G2": G2, "Omega": zero, "Gamma": zero}
    return hypotheses, {**values, **rest, "delta0": zero}


def seeing_case(n_steps: int) -> Case:
    """Weights that see the round's samples: identical clients, `n_steps` rounds of one local step, steps of A.9."""
    drawn = Space(
        (
            LogScale("curvature", 1e-1, 1e1, at=(1.0,)),
            LogScale("sigma", 1e-1, 1e1, at=(1.0,)),
            Choice("n_clients", (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 20.0)),
            Choice("drawn", (1.0, 2.0, 5.0, 8.0, 20.0)),
            Choice("n_steps", (float(n_steps),)),
        )
    )
    same = (units({"curvature": (1, -2), "sigma": (1, -1)}),)
    name = f"identical clients, {n_steps} rounds of E = 1, weights see the samples"
    return Case(name, drawn, _seeing, ExactCheck(seeing_exact), symmetries=same)
