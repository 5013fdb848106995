"""Runs of FedAvg on the line stopped after any step: exact first and second moments of W̄ᵗ and all constants of A.9.

Client i is hᵢ/2·(w − mᵢ)² with ±σᵢ noise, independent over clients and steps; ηₜ = 2/(μ(γ + t)). One row of weights
serves a round, the last row every later one. `drawn` K > 0: at each synchronisation K clients are drawn by weight.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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

__all__ = ["A9", "DEGREES", "SHORT", "THEOREM", "run_family", "run_moments", "run_moments_exact"]

THEOREM, A9, SHORT = 0.0, 1.0, 2.0  # γ = L/μ; max{8L/μ, E} − 1; max{8L/μ, E} or more, which meets every condition
DEGREES = {
    **dict.fromkeys(("L", "mu"), (1, -2)),
    **dict.fromkeys(("gamma", "T", "E", "K"), (0, 0)),
    **dict.fromkeys(("noise", "G2"), (2, -2)),
    **dict.fromkeys(("Omega", "Omega_all", "Gamma", "excess"), (1, 0)),
    **dict.fromkeys(("before", "after", "first", "common", "apart"), (0, 2)),
    "eta": (-1, 2),
}
_ROWS = 4  # different rows of weights in a run


def run_moments(x: Instance) -> dict[str, Any]:
    """Everything A.9 speaks of after T steps: Δ at T (`after`), T − 1 (`before`) and 0 (`first`), and the constants."""
    h, m, p, table, K = x["curvature"], x["optimum"], x["share"], x["weights"], x["drawn"]
    sigma, E, T = x["sigma"] * x["noisy"][:, None], int(x["local_steps"][0]), int(x["n_steps"][0])
    mu, L = h.min(axis=1), h.max(axis=1)
    offset = np.maximum(8 * L / mu, E)
    gamma = np.where(x["kind"] == THEOREM, L / mu, np.where(x["kind"] == A9, offset - 1, offset * x["stretch"]))
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    u = m - best[:, None]  # everything about W*, so that nothing cancels
    model, spread = x["start"] - best, np.zeros(len(h))
    mean, carried, own = np.repeat(model[:, None], h.shape[1], axis=1), np.ones_like(h), np.zeros_like(h)
    deltas, omegas, gammas, noises, seconds = [model**2], [], [], [], []
    a, eta, apart = table[:, 0], 2 / (mu * gamma), np.zeros(len(h))
    for t in range(T):
        a = table[:, min(t // E, table.shape[1] - 1)]
        center = (a * mean).sum(axis=1)
        around = (a * carried).sum(axis=1) ** 2 * spread + (a**2 * own).sum(axis=1)
        omegas.append(0.5 * (a * h * ((center[:, None] - u) ** 2 + around[:, None])).sum(axis=1))
        gammas.append(0.5 * (a * h * u**2).sum(axis=1))
        noises.append((a**2 * sigma**2).sum(axis=1))
        seconds.append((h**2 * ((mean - u) ** 2 + carried**2 * spread[:, None] + own) + sigma**2).max(axis=1))
        eta = 2 / (mu * (gamma + t))
        step = eta[:, None] * h
        mean, carried = mean - step * (mean - u), (1 - step) * carried
        own = (1 - step) ** 2 * own + (eta[:, None] * sigma) ** 2
        center = (a * mean).sum(axis=1)
        full = (a * carried).sum(axis=1) ** 2 * spread + (a**2 * own).sum(axis=1)
        apart = np.zeros(len(h))
        if (t + 1) % E == 0:
            one = (a * ((mean - center[:, None]) ** 2 + carried**2 * spread[:, None] + own)).sum(axis=1)
            apart = np.where(K > 0, (one - full) / np.maximum(K, 1), 0.0)
            spread = full + apart
            mean, carried, own = np.repeat(center[:, None], h.shape[1], axis=1), np.ones_like(h), np.zeros_like(h)
            deltas.append(center**2 + spread)
        else:
            deltas.append(center**2 + full)
    rest = (a * h * u).sum(axis=1) / (a * h).sum(axis=1)
    floor = 0.5 * (a * h * (u - rest[:, None]) ** 2).sum(axis=1)
    omega = np.min(omegas, axis=0)
    reach = np.maximum(np.abs(m).max(axis=1), np.abs(x["start"])) ** 2
    return {
        "after": deltas[-1],
        "before": deltas[-2],
        "first": deltas[0],
        "apart": apart,
        "excess": 0.5 * (p * h).sum(axis=1) * deltas[-1],
        "eta": eta,
        "mu": mu,
        "L": L,
        "gamma": gamma,
        "T": x["n_steps"],
        "E": x["local_steps"],
        "K": K,
        "noise": np.max(noises, axis=0),
        "G2": np.max(seconds, axis=0),
        "Omega": omega,
        "Omega_all": np.minimum(omega, floor),
        "Gamma": np.max(gammas, axis=0),
        "reach": reach,
    }


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


def run_family(
    name: str,
    measure: Callable[[Instance], Mapping[str, Any]],
    exact: ExactCheck,
    *,
    kind: float,
    drawn: tuple[float, ...] = (0.0,),
    most: tuple[int, int, int] = (300, 300, 300),
    usual: tuple[int, int, int] = (2, 3, 5),
) -> Family:
    """Runs of N clients, rounds of E steps, stopped after T steps; `measure` and `exact` add the left side."""

    def at(N: float, E: float, T: float) -> Case:
        n, n_steps = int(N), int(T)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-3, 1e2, (n,)),
                Simplex("share", n),
                Simplex("weights", n, (min(_ROWS, -(-n_steps // int(E))),)),
                Signed("start", 1e-3, 1e3),
                LogScale("sigma", 1e-2, 1e1, (n,)),
                LogScale("stretch", 1.0, 1e3, at=(1.0,)),
                Choice("noisy", (0.0, 0.0, 1.0)),
                Choice("drawn", drawn),
                Choice("local_steps", (float(E),)),
                Choice("n_steps", (float(T),)),
                Choice("kind", (kind,)),
            )
        )
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}),
            permuted_clients({"curvature": 0, "optimum": 0, "share": 0, "weights": 1, "sigma": 0}),
        )
        cost = max(2.0, n_steps * max(1.0, n / 10) / 10)
        return Case(f"{n} clients, E = {int(E)}, {n_steps} steps", space, measure, exact, cost=cost, symmetries=same)

    sizes = tuple(Size(k, 1, high, mid) for k, high, mid in zip("NET", most, usual, strict=True))
    return Family(name, sizes, at)
