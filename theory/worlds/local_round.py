"""One round of local SGD on the line: how far clients drift apart, and what drawing some of them then adds.

Client i is hᵢ/2·(w − mᵢ)²; its noise has mean 0 and variance σᵢ², independent over clients and steps. All start at
`start`. Step sizes: η₀ = `step` until the last step of the round, which is η₀·`late`; they stay there afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["local_round", "local_round_exact"]


def local_round(x: Mapping[str, Any], *, E: int, kept: bool, rising: bool = False) -> dict[str, Any]:
    """E Σbᵢ‖W̄ − Wᵢ‖² before the last step (`drift`), and E‖W̃ − W̄‖² after it (`apart`), each of shape (n,).

    `curvature`, `optimum`, `sigma` (n, N); `weights` (n, R, N): a, of W̄, and b, which is a where weights are `kept`;
    `start`, `step`, `late`, `noisy` (n,); `drawn`, K (n,), where clients are drawn by a. `eta`: the last step size.
    """
    h, m, sigma = x["curvature"], x["optimum"] - x["start"][:, None], x["sigma"] * x["noisy"][:, None]
    a, b, K = x["weights"][:, 0], x["weights"][:, 0 if kept else 1], x.get("drawn", np.ones(1))
    mean, own, seconds = np.zeros_like(h), np.zeros_like(h), []  # about the start, so that nothing cancels
    drift, eta = np.zeros(len(h)), x["step"] * x["late"]
    for e in range(E):
        if e == E - 1:
            apart = mean - (a * mean).sum(axis=1, keepdims=True)
            spread = own * (1 - 2 * a) + (a**2 * own).sum(axis=1, keepdims=True)
            drift = (b * (apart**2 + spread)).sum(axis=1)
        step = (eta if e == E - 1 else x["step"])[:, None]
        seconds.append(h**2 * ((mean - m) ** 2 + own) + sigma**2)
        mean, own = mean - step * h * (mean - m), (1 - step * h) ** 2 * own + step**2 * sigma**2
    apart = mean - (a * mean).sum(axis=1, keepdims=True)
    found = {"drift": drift, "apart": (a * (apart**2 + own * (1 - a))).sum(axis=1) / K, "eta": eta}
    found |= {"E": np.full(len(h), float(E)), "G2": np.max(seconds, axis=(0, 2)), "K": np.broadcast_to(K, (len(h),))}
    return {**found, "admissible": x["late"] >= 1 if rising else (x["late"] <= 1) | (E == 1)}


def local_round_exact(
    x: Mapping[str, Any], *, E: int, kept: bool, rising: bool = False
) -> tuple[dict[str, bool], dict[str, Any]]:
    """Means w and variances v of every local model, step by step; a = rho^t, b = rho^(t+1)."""
    h, m, K = x["curvature"], x["optimum"], Fraction(x.get("drawn", 1))
    a, b, clients, G2 = x["weights"][0], x["weights"][0 if kept else 1], range(len(h)), Fraction(0)
    w, v, s = [x["start"] for i in clients], [Fraction(0) for i in clients], [x["noisy"] * u for u in x["sigma"]]
    drift, eta = Fraction(0), x["step"]
    for e in range(E):
        if e == E - 1:
            eta, center = x["step"] * x["late"], sum(a[i] * w[i] for i in clients)
            noise = sum(a[i] ** 2 * v[i] for i in clients)
            drift = sum(b[i] * ((w[i] - center) ** 2 + (1 - 2 * a[i]) * v[i] + noise) for i in clients)
        G2 = max([G2] + [h[i] ** 2 * ((w[i] - m[i]) ** 2 + v[i]) + s[i] ** 2 for i in clients])
        v = [(1 - eta * h[i]) ** 2 * v[i] + eta**2 * s[i] ** 2 for i in clients]
        w = [w[i] - eta * h[i] * (w[i] - m[i]) for i in clients]
    squares = sum(a[i] * (w[i] ** 2 + v[i]) for i in clients)
    square = sum(a[i] * w[i] for i in clients) ** 2 + sum(a[i] ** 2 * v[i] for i in clients)
    met = {
        "eta_t <= 2 eta_(t+E) for all t >= 0": x["step"] > 0 and x["step"] <= 2 * x["step"] * x["late"],
        "eta_t as named": x["late"] >= 1 if rising else x["late"] <= 1 or E == 1,
        "weights on the simplex": all(sum(r) == 1 and min(r) >= 0 for r in x["weights"]),
        "noise of mean 0, independent": min(x["sigma"]) >= 0,
        "K >= 1": K >= 1,
    }
    found = {"drift": drift, "apart": (squares - square) / K, "eta": eta, "E": Fraction(E), "G2": G2, "K": K}
    return met, found
