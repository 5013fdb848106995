"""What stochastic gradients are at the models a training visits: exact second moments on the line, and bounds on them.

Client i: ∇fᵢ(w; ξ) = hᵢ((1 + τξ)(w − mᵢ) + σᵢξ'), ξ and ξ' of mean 0 and variance 1, all independent; so its variance is
hᵢ²(τ²(w − mᵢ)² + σᵢ²). Every round: E local steps of size η, then the mean under that round's weights. `step` is
η·max hᵢ·(1 + τ²), at most 1; so no step oversteps even with its noise.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import Choice, Instance, LogScale, Signed, Simplex, Space, permuted_clients, units
from validation.symmetry import Symmetry

__all__ = ["moments", "same_as", "training_space", "visited_exact"]


def visited_exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Any]]:
    """Largest E|noise|^2 and E|grad f|^2 of every client, at aggregated models and at all models; and bounds on both.

    From the raw moments E w_i and E w_i w_j of all pairs of clients.
    """
    h, m, s, tau = x["curvature"], x["optimum"], x["sigma"], x["tau"]
    clients, rounds, E = range(len(h)), len(x["weights"]), int(x["local_steps"])
    eta = x["step"] / (max(h) * (1 + tau**2))
    rate = [eta * k for k in h]
    first, pair = x["start"], x["start"] ** 2
    noise: dict[str, list[Any]] = {"sync": [Fraction(0) for i in clients], "all": [Fraction(0) for i in clients]}
    grad: dict[str, list[Any]] = {"sync": [Fraction(0) for i in clients], "all": [Fraction(0) for i in clients]}
    for r in range(rounds + 1):
        mean = [first for i in clients]
        both = [[pair for j in clients] for i in clients]
        for e in range(E if r < rounds else 1):
            off = [both[i][i] - 2 * m[i] * mean[i] + m[i] ** 2 for i in clients]
            for i in clients:
                own = h[i] ** 2 * (tau**2 * off[i] + s[i] ** 2)
                for key in ("sync", "all") if e == 0 else ("all",):
                    noise[key][i] = max(noise[key][i], own)
                    grad[key][i] = max(grad[key][i], own + h[i] ** 2 * off[i])
            if r == rounds:
                break
            keep = [1 - q for q in rate]
            both = [
                [
                    keep[i] * keep[j] * both[i][j]
                    + keep[i] * rate[j] * m[j] * mean[i]
                    + keep[j] * rate[i] * m[i] * mean[j]
                    + rate[i] * rate[j] * m[i] * m[j]
                    + (rate[i] ** 2 * (tau**2 * off[i] + s[i] ** 2) if i == j else 0)
                    for j in clients
                ]
                for i in clients
            ]
            mean = [keep[i] * mean[i] + rate[i] * m[i] for i in clients]
        if r < rounds:
            a = x["weights"][r]
            first = sum(a[i] * mean[i] for i in clients)
            pair = sum(a[i] * a[j] * both[i][j] for i in clients for j in clients)
    width = max([x["start"], *m]) - min([x["start"], *m])
    far = 2 * width**2 + max(s) ** 2
    met = {
        "A1, A2: curvatures positive": min(h) > 0,
        "weights on the simplex in every round": all(sum(a) == 1 and min(a) >= 0 for a in x["weights"]),
        "eta L (1 + tau^2) <= 1": 0 < x["step"] <= 1,
    }
    return met, {
        "noise": noise,
        "grad": grad,
        "noise_cap": [h[i] ** 2 * (tau**2 * far + s[i] ** 2) for i in clients],
        "grad_cap": [h[i] ** 2 * ((1 + tau**2) * far + s[i] ** 2) for i in clients],
    }


def moments(x: Instance) -> dict[str, Any]:
    """The same from means and variances; arrays (n, N), keys as in `visited_exact` with `_sync` and `_all`."""
    h, m, s, tau = x["curvature"], x["optimum"], x["sigma"], x["tau"][:, None]
    E = int(x["local_steps"][0])
    q = x["step"][:, None] * h / (h.max(axis=1, keepdims=True) * (1 + tau**2))
    center, shared = x["start"], np.zeros_like(x["start"])
    noise, grad = {"sync": [], "all": []}, {"sync": [], "all": []}  # type: ignore[var-annotated]

    def look(mean: Any, own: Any, *, sync: bool) -> None:
        off = (mean - m) ** 2 + own
        for key in ("sync", "all") if sync else ("all",):
            noise[key].append(h**2 * (tau**2 * off + s**2))
            grad[key].append(h**2 * ((1 + tau**2) * off + s**2))

    for r in range(x["weights"].shape[1]):
        mean, own, kept = np.repeat(center[:, None], h.shape[1], axis=1), shared[:, None], np.ones_like(h)
        for e in range(E):
            look(mean, own, sync=e == 0)
            own = (1 - q) ** 2 * own + q**2 * (tau**2 * ((mean - m) ** 2 + own) + s**2)
            mean, kept = mean - q * (mean - m), kept * (1 - q)
        a = x["weights"][:, r]
        center = (a * mean).sum(axis=1)
        common = kept**2 * shared[:, None]
        shared = (a**2 * (own - common)).sum(axis=1) + (a * kept).sum(axis=1) ** 2 * shared
    look(np.repeat(center[:, None], h.shape[1], axis=1), shared[:, None], sync=True)
    ends = np.concatenate([m, x["start"][:, None]], axis=1)
    far = (2 * (ends.max(axis=1) - ends.min(axis=1)) ** 2 + s.max(axis=1) ** 2)[:, None]
    return {
        **{f"noise_{k}": np.max(v, axis=0) for k, v in noise.items()},
        **{f"grad_{k}": np.max(v, axis=0) for k, v in grad.items()},
        "noise_cap": h**2 * (tau**2 * far + s**2),
        "grad_cap": h**2 * ((1 + tau**2) * far + s**2),
    }


def training_space(n_clients: int, local_steps: int, rounds: int, *, additive: bool) -> Space:
    """Everything of one training; `additive`: τ = 0."""
    tau = Choice("tau", (0.0,)) if additive else LogScale("tau", 1e-2, 1e1, at=(1.0,))
    return Space(
        (
            LogScale("curvature", 1e-2, 1e2, (n_clients,), at=(1e-2, 1.0, 1e2)),
            Signed("optimum", 1e-2, 1e2, (n_clients,)),
            Signed("start", 1e-2, 1e2),
            LogScale("sigma", 1e-2, 1e2, (n_clients,), at=(1.0,)),
            tau,
            LogScale("step", 1e-3, 1.0, at=(0.25, 1.0)),
            Simplex("weights", n_clients, (rounds,)),
            Choice("local_steps", (float(local_steps),)),
        )
    )


def same_as() -> tuple[Symmetry, ...]:
    """Units, and the clients' names."""
    lengths = dict.fromkeys(("optimum", "start", "sigma"), (0, 1))
    names = {**dict.fromkeys(("curvature", "optimum", "sigma"), 0), "weights": 1}
    return (units({"curvature": (1, -2), **lengths}), permuted_clients(names))
