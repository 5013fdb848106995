"""Runs of FedAvg on the line whose weights change at every step, inside rounds too: both sides of Theorems 1 and 2.

W̄ᵗ = Σρᵢᵗ·Wᵢᵗ, and Ωₜ and Γₜ are weighted by ρᵗ⁺¹; only the weights of a synchronisation step move the models. Client i is
hᵢ/2·(w − mᵢ)² with ±σᵢ noise, independent over clients and steps; steps of A.9. `drawn` K > 0: K clients drawn by weight.
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

__all__ = ["alone_family", "changing_family"]


def _changing(x: Instance) -> Mapping[str, Any]:
    """Both sides, `weights` (n, T, N): mean and variance of the models, step by step."""
    h, m, p, table, K = x["curvature"], x["optimum"], x["share"], x["weights"], x["drawn"]
    sigma, n_local = x["sigma"] * x["noisy"][:, None], int(x["local_steps"][0])
    mu, L = h.min(axis=1), h.max(axis=1)
    offset = np.maximum(8 * L / mu, n_local) - 1
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    u = m - best[:, None]  # everything about W*, so that nothing cancels
    model, spread = x["start"] - best, np.zeros(len(h))
    mean, c, own = np.repeat(model[:, None], h.shape[1], axis=1), np.ones_like(h), np.zeros_like(h)
    omegas, gammas, noises, seconds = [], [], [], []
    for t in range(table.shape[1]):
        last, a = table[:, max(t - 1, 0)], table[:, t]
        center = (last * mean).sum(axis=1)
        around = (last * c).sum(axis=1) ** 2 * spread + (last**2 * own).sum(axis=1)
        omegas.append(0.5 * (a * h * ((center[:, None] - u) ** 2 + around[:, None])).sum(axis=1))
        gammas.append(0.5 * (a * h * u**2).sum(axis=1))
        noises.append((a**2 * sigma**2).sum(axis=1))
        seconds.append((h**2 * ((mean - u) ** 2 + c**2 * spread[:, None] + own) + sigma**2).max(axis=1))
        step = (2 / (mu * (offset + t)))[:, None]
        mean, c = mean - step * h * (mean - u), (1 - step * h) * c
        own = (1 - step * h) ** 2 * own + step**2 * sigma**2
        if (t + 1) % n_local == 0:
            model = (a * mean).sum(axis=1)
            full = (a * c).sum(axis=1) ** 2 * spread + (a**2 * own).sum(axis=1)
            one = (a * ((mean - model[:, None]) ** 2 + c**2 * spread[:, None] + own)).sum(axis=1)
            spread = full + np.where(K > 0, (one - full) / np.maximum(K, 1), 0.0)
            mean, c, own = np.repeat(model[:, None], h.shape[1], axis=1), np.ones_like(h), np.zeros_like(h)
    return {
        "lhs": 0.5 * (p * h).sum(axis=1) * (model**2 + spread),
        "L": L,
        "mu": mu,
        "gamma": offset,
        "T": np.full(len(h), float(table.shape[1])),
        "E": x["local_steps"],
        "K": K,
        "noise": np.max(noises, axis=0),
        "G2": np.max(seconds, axis=0),
        "Omega": np.min(omegas, axis=0),
        "Gamma": np.max(gammas, axis=0),
        "delta0": (x["start"] - best) ** 2,
        "magnitude": L * np.maximum(np.abs(m).max(axis=1), np.abs(x["start"])) ** 2,
    }


def changing_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg on the line, a row of weights a step: client i stands at c_i w + b_i + noise of variance v_i."""
    h, m, p, E, K = x["curvature"], x["optimum"], x["share"], int(x["local_steps"]), int(x["drawn"])
    clients, sigma = range(len(h)), [s * x["noisy"] for s in x["sigma"]]
    mu, L = min(h), max(h)
    gamma = max(8 * L / mu, Fraction(E)) - 1
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    first, second = x["start"], x["start"] ** 2  # E w and E w^2 of the last synchronisation
    one, zero = [Fraction(1) for i in clients], [Fraction(0) for i in clients]
    c, b, v, last = one, zero, zero, x["weights"][0]
    Omegas, Gammas, noises, G2 = [], [], [], Fraction(0)
    for t, a in enumerate(x["weights"]):
        C, B = sum(last[i] * c[i] for i in clients), sum(last[i] * b[i] for i in clients)
        mean = C * first + B
        square = C * C * second + 2 * C * B * first + B * B + sum(last[i] ** 2 * v[i] for i in clients)
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
        if (t + 1) % E == 0:
            C, B = sum(a[i] * c[i] for i in clients), sum(a[i] * b[i] for i in clients)
            apart = C * C * second + 2 * C * B * first + B * B + sum(a[i] ** 2 * v[i] for i in clients)
            same = sum(a[i] * (c[i] ** 2 * second + 2 * c[i] * b[i] * first + b[i] ** 2 + v[i]) for i in clients)
            first, second = C * first + B, apart + (same - apart) / K if K > 0 else apart
            c, b, v = one, zero, zero
        last = a
    hypotheses = {
        "A1, A2: mu > 0": mu > 0,
        "weights on the simplex at every step, fixed in advance": all(
            sum(a) == 1 and min(a) >= 0 for a in x["weights"]
        ),
        "data shares on the simplex": sum(p) == 1 and min(p) >= 0,
        "noise +-sigma_i, independent over clients and steps": min(sigma) >= 0,
        "T is a synchronisation step": len(x["weights"]) % E == 0,
    }
    constants = {
        "lhs": sum(p[i] * h[i] for i in clients) * (second - 2 * best * first + best**2) / 2,
        "L": L,
        "mu": mu,
        "gamma": gamma,
        "T": Fraction(len(x["weights"])),
        "E": Fraction(E),
        "K": Fraction(K),
        "noise": max(noises),
        "G2": G2,
        "Omega": min(Omegas),
        "Gamma": max(Gammas),
        "delta0": (x["start"] - best) ** 2,
    }
    return hypotheses, constants


def changing_family(drawn: tuple[float, ...] = (0.0,), most: int = 40) -> Family:
    """N clients, rounds of E >= 2 steps, weights free at each of them; `drawn` as in the module's first lines."""

    def at(N: float, E: float, rounds: float) -> Case:
        n, steps = int(N), int(E) * int(rounds)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-3, 1e2, (n,)),
                Simplex("share", n),
                Simplex("weights", n, (steps,)),
                Signed("start", 1e-3, 1e3),
                LogScale("sigma", 1e-2, 1e1, (n,)),
                Choice("noisy", (0.0, 0.0, 1.0)),
                Choice("drawn", drawn),
                Choice("local_steps", (float(E),)),
            )
        )
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}),
            permuted_clients({"curvature": 0, "optimum": 0, "share": 0, "weights": 1, "sigma": 0}),
        )
        name = f"{n} clients, E = {int(E)}, {int(rounds)} rounds, weights changing inside"
        return Case(name, space, _changing, ExactCheck(changing_exact), cost=max(2.5, n * steps / 50), symmetries=same)

    sizes = (Size("N", 2, most, 2), Size("E", 2, most, 2), Size("rounds", 1, most, 2))
    return Family("weights changing inside a round", sizes, at)


def _alone(x: Instance) -> Mapping[str, Any]:
    """Two clients of equal shares, all weight on the first, no noise, from a point beside its optimum."""
    wide, n_steps = np.ones((len(x["first"]), 2)), int(x["n_steps"][0])
    weights = np.broadcast_to(np.asarray([1.0, 0.0]), (len(wide), n_steps, 2))
    rest = {"share": wide / 2, "weights": weights, "sigma": wide, "noisy": 0 * x["first"], "drawn": x["drawn"]}
    optimum = np.stack([x["first"], x["second"]], axis=1)
    return _changing(
        {**rest, "curvature": x["curvature"], "optimum": optimum, "start": x["first"] + x["beside"]}
        | {"local_steps": x["local_steps"]}
    )


def alone_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two clients of equal shares, all weight on the first, no noise, from a point beside its optimum."""
    half, zero, one = Fraction(1, 2), Fraction(0), Fraction(1)
    weights = [[one, zero] for _ in range(int(x["n_steps"]))]
    rest = {"share": [half, half], "weights": weights, "sigma": [zero, zero], "noisy": zero, "drawn": x["drawn"]}
    at = {"optimum": [x["first"], x["second"]], "start": x["first"] + x["beside"], "curvature": x["curvature"]}
    return changing_exact({**rest, **at, "local_steps": x["local_steps"]})


def alone_family(drawn: tuple[float, ...] = (0.0,), most: int = 1000) -> Family:
    """All weight on one client for T steps, from its optimum or beside it: where the bound is tight as T grows."""

    def at(E: float, rounds: float) -> Case:
        steps = int(E) * int(rounds)
        space = Space(
            (
                LogScale("curvature", 1e-1, 1e1, (2,), at=(1.0,)),
                Signed("first", 1e-1, 1e1),
                Signed("second", 1e-1, 1e1),
                Signed("beside", 1e-3, 1e0),
                Choice("drawn", drawn),
                Choice("local_steps", (float(E),)),
                Choice("n_steps", (float(steps),)),
            )
        )
        same = (units({"curvature": (1, -2), "first": (0, 1), "second": (0, 1), "beside": (0, 1)}),)
        name = f"all weight on one client, E = {int(E)}, {steps} steps"
        check = ExactCheck(alone_exact, (changing_exact,))
        return Case(name, space, _alone, check, cost=max(2.5, steps / 25), symmetries=same)

    sizes = (Size("E", 1, 5, 1), Size("rounds", 1, most, 40, ladder=True))
    return Family("all weight on one client", sizes, at)
