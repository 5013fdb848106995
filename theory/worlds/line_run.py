"""Runs of FedAvg on the line, stopped after any step: exact first and second moments, and the constants of bounds.

Client i is hᵢ/2·(w − mᵢ)² with ±σᵢ noise, independent over clients and steps; weights are fixed in advance.
W̄ᵗ = Σρᵢᵗ·Wᵢᵗ, and Ωₜ and Γₜ are weighted by ρᵗ⁺¹; only the weights of a synchronisation step move the models.
`drawn` K > 0: there K clients are drawn by weight. ηₜ = 2/(μ(γ + t)).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np

__all__ = ["Gamma", "Rows", "line_run", "line_run_exact"]

Gamma: TypeAlias = Literal["L/μ", "A.9", "longer"]
"""γ = L/μ; max{8L/μ, E} − 1; `stretch` times max{8L/μ, E}, with which every step is short enough."""
Rows: TypeAlias = Literal["round", "step"]
"""One row of weights a round, the last one kept for ever; or one a step."""


def line_run(x: Mapping[str, Any], *, E: int, T: int, gamma: Gamma = "A.9", rows: Rows = "round") -> dict[str, Any]:
    """What bounds speak of after T steps, each of shape (n,).

    `curvature`, `optimum`, `share`, `sigma` (n, N); `weights` (n, R, N), or the shares; `start`, `noisy` (n,); `drawn`,
    `stretch` (n,) where there are any. Δ = E(W̄ − W*)² at T (`after`), T − 1 (`before`) and 0 (`first`); what drawing
    adds to it (`apart`); E F(W̄) − F* at T (`excess`) and 0 (`excess_first`); `Omega_all` is at most Ω over all t >= 0.
    """
    # Clients first, instances last: sums over a few clients then add whole rows.
    h, m, p, sigma = (np.ascontiguousarray(x[name].T) for name in ("curvature", "optimum", "share", "sigma"))
    table = np.ascontiguousarray(x["weights"].transpose(1, 2, 0)) if "weights" in x else p[None]
    sigma, K = sigma * x["noisy"], x.get("drawn", np.zeros(1))
    mu, L = h.min(axis=0), h.max(axis=0)
    offset = np.maximum(8 * L / mu, E)
    g = L / mu if gamma == "L/μ" else offset - 1 if gamma == "A.9" else offset * x["stretch"]
    best = (p * h * m).sum(axis=0) / (p * h).sum(axis=0)
    u = m - best  # everything about W*, so that nothing cancels
    squares, noise = h**2, sigma**2
    center, full, none = x["start"] - best, np.zeros(h.shape[1]), np.zeros_like(h)
    mean, carried, own, spread = np.repeat(center[None], len(h), axis=0), np.ones_like(h), none, full
    deltas, omegas, seconds = [center**2], [], []
    row, eta, apart = 0, 2 / (mu * g), np.zeros(h.shape[1])
    for t in range(T):
        row = min(t // E if rows == "round" else t, len(table) - 1)
        a = table[row]
        omegas.append(0.5 * (a * h * ((center - u) ** 2 + full)).sum(axis=0))
        away = mean - u
        seconds.append((squares * (away**2 + carried**2 * spread + own) + noise).max(axis=0))
        eta = 2 / (mu * (g + t))
        step = eta * h
        kept = 1 - step
        mean, carried, own = mean - step * away, kept * carried, kept**2 * own + eta**2 * noise
        center = (a * mean).sum(axis=0)
        full = (a * carried).sum(axis=0) ** 2 * spread + (a**2 * own).sum(axis=0)
        apart = np.zeros(h.shape[1])
        if (t + 1) % E == 0:
            one = (a * ((mean - center) ** 2 + carried**2 * spread + own)).sum(axis=0)
            apart = np.where(K > 0, (one - full) / np.maximum(K, 1), 0.0)
            spread = full = full + apart
            mean, carried, own = np.repeat(center[None], len(h), axis=0), np.ones_like(h), none
        deltas.append(center**2 + full)
    a, used = table[row], table[: row + 1]
    rest = (a * h * u).sum(axis=0) / (a * h).sum(axis=0)
    omega = np.min(omegas, axis=0)
    found = {"after": deltas[-1], "before": deltas[-2], "first": deltas[0], "apart": apart}
    found |= {"excess": 0.5 * (p * h).sum(axis=0) * deltas[-1], "excess_first": 0.5 * (p * h).sum(axis=0) * deltas[0]}
    found |= {"eta": eta, "mu": mu, "L": L, "gamma": g, "T": np.full(h.shape[1], float(T))}
    found |= {"E": np.full(h.shape[1], float(E)), "K": np.broadcast_to(K, (h.shape[1],))}
    found |= {"noise": (used**2 * noise).sum(axis=1).max(axis=0), "G2": np.max(seconds, axis=0), "Omega": omega}
    found |= {"Omega_all": np.minimum(omega, 0.5 * (a * h * (u - rest) ** 2).sum(axis=0))}
    return {**found, "Gamma": 0.5 * (used * (h * u**2)).sum(axis=1).max(axis=0)}


def line_run_exact(
    x: Mapping[str, Any], *, E: int, T: int, gamma: str = "A.9", rows: str = "round"
) -> tuple[dict[str, bool], dict[str, Any]]:
    """FedAvg on the line: client i stands at c_i w + b_i + noise of variance v_i, w the model of the last round."""
    h, m, p, K = x["curvature"], x["optimum"], x["share"], int(x.get("drawn", 0))
    clients, sigma = range(len(h)), [s * x["noisy"] for s in x["sigma"]]
    mu, L = min(h), max(h)
    offset = max(8 * L / mu, Fraction(E))
    g = L / mu if gamma == "L/μ" else offset - 1 if gamma == "A.9" else offset * x["stretch"]
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    first, second, eta, apart = x["start"], x["start"] ** 2, 2 / (mu * g), Fraction(0)  # E w and E w^2
    table = x.get("weights", [p])
    one, zero = [Fraction(1) for i in clients], [Fraction(0) for i in clients]
    c, b, v, a = one, zero, zero, table[0]
    deltas, Omegas, Gammas, noises, G2 = [(x["start"] - best) ** 2], [], [], [], Fraction(0)
    for t in range(T):
        C, B = sum(a[i] * c[i] for i in clients), sum(a[i] * b[i] for i in clients)
        mean = C * first + B
        square = C * C * second + 2 * C * B * first + B * B + sum(a[i] ** 2 * v[i] for i in clients)
        a = table[min(t // E if rows == "round" else t, len(table) - 1)]
        Omegas.append(sum(a[i] * h[i] * (square - 2 * m[i] * mean + m[i] ** 2) for i in clients) / 2)
        Gammas.append(sum(a[i] * h[i] * (best - m[i]) ** 2 for i in clients) / 2)
        noises.append(sum(a[i] ** 2 * sigma[i] ** 2 for i in clients))
        for i in clients:
            d = b[i] - m[i]
            G2 = max(G2, h[i] ** 2 * (c[i] ** 2 * second + 2 * c[i] * d * first + d * d + v[i]) + sigma[i] ** 2)
        eta = 2 / (mu * (g + t))
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
            square = square + apart
            first, second, c, b, v = mean, square, one, zero, zero
        deltas.append(square - 2 * best * mean + best**2)
    rest = sum(a[i] * h[i] * m[i] for i in clients) / sum(a[i] * h[i] for i in clients)
    floor = sum(a[i] * h[i] * (rest - m[i]) ** 2 for i in clients) / 2
    met = {
        "A1, A2: mu > 0": mu > 0,
        "weights on the simplex, fixed in advance": all(sum(r) == 1 and min(r) >= 0 for r in table),
        "data shares on the simplex": sum(p) == 1 and min(p) >= 0,
        "noise +-sigma_i, independent over clients and steps": min(sigma) >= 0,
        "gamma as named": gamma != "longer" or x["stretch"] >= 1,
    }
    found = {"after": deltas[-1], "before": deltas[-2], "first": deltas[0], "apart": apart}
    found |= {"excess": sum(p[i] * h[i] for i in clients) * deltas[-1] / 2}
    found |= {"excess_first": sum(p[i] * h[i] for i in clients) * deltas[0] / 2, "eta": eta, "mu": mu, "L": L}
    found |= {"gamma": g, "T": Fraction(T), "E": Fraction(E), "K": Fraction(K), "noise": max(noises), "G2": G2}
    found |= {"Omega": min(Omegas), "Omega_all": min([*Omegas, floor]), "Gamma": max(Gammas)}
    return met, found
