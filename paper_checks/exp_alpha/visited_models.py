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

from paper_checks.exp_alpha.notation import NOTATION
from validation import Case, Family, Instance, LogScale, Signed, Simplex, Size, Space, permuted_clients, units
from validation.world.world import World, case

__all__ = ["visited"]

_ROUNDS = 3


def moments(x: Instance, *, E: int) -> Mapping[str, Any]:
    """By how much a client's variance at some model visited exceeds that at the aggregated models (`beyond_sync`), at
    the start (`beyond_start`), and hᵢ²(τ²(2D² + max σⱼ²) + σᵢ²) (`beyond_cap`), D the width of start and optima; the
    largest second moments at all models (`G2`) and the aggregated ones; and what of them exceeds caps, with noise or not.
    """
    h, m, s, tau = x["curvature"], x["optimum"], x["sigma"], x.get("tau", np.zeros(len(x["start"])))[:, None]
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
    width = (ends.max(axis=1) - ends.min(axis=1))[:, None]
    far = 2 * width**2 + s.max(axis=1, keepdims=True) ** 2
    noise_all, grad_all = np.max(noise["all"], axis=0), np.max(grad["all"], axis=0)
    cap, start = h**2 * (tau**2 * far + s**2), h**2 * (tau**2 * (x["start"][:, None] - m) ** 2 + s**2)
    found = {
        "beyond_sync": (noise_all - np.max(noise["sync"], axis=0)).max(axis=1),
        "beyond_cap": (noise_all - cap).max(axis=1),
        "beyond_start": (noise_all - start).max(axis=1),
        "G2": grad_all.max(axis=1),
        "G2_sync": np.max(grad["sync"], axis=(0, 2)),
        "grad_beyond_cap": (grad_all - cap - h**2 * far).max(axis=1),
        "grad_beyond_plain": (grad_all - (h * width) ** 2).max(axis=1),
    }
    return {**found, "sizes": dict.fromkeys(found, (cap + h**2 * far).max(axis=1))}


def moments_exact(x: Mapping[str, Any], *, E: int) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """By how much E|noise|^2 and E|grad f|^2 exceed bounds, from the raw moments E w_i and E w_i w_j of all pairs."""
    h, m, s, tau = x["curvature"], x["optimum"], x["sigma"], x.get("tau", Fraction(0))
    clients, rounds = range(len(h)), len(x["weights"])
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
    start = [h[i] ** 2 * (tau**2 * (x["start"] - m[i]) ** 2 + s[i] ** 2) for i in clients]
    cap = [h[i] ** 2 * (tau**2 * far + s[i] ** 2) for i in clients]
    return met, {
        "beyond_sync": max(noise["all"][i] - noise["sync"][i] for i in clients),
        "beyond_cap": max(noise["all"][i] - cap[i] for i in clients),
        "beyond_start": max(noise["all"][i] - start[i] for i in clients),
        "G2": max(grad["all"]),
        "G2_sync": max(grad["sync"]),
        "grad_beyond_cap": max(grad["all"][i] - cap[i] - h[i] ** 2 * far for i in clients),
        "grad_beyond_plain": max(grad["all"][i] - (h[i] * width) ** 2 for i in clients),
    }


def visited(*, additive: bool = False) -> World:
    """Three rounds of any number of clients and local steps; `additive`: τ = 0."""

    def at(N: float, E: float) -> Case:
        n = int(N)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Signed("start", 1e-2, 1e2),
                LogScale("sigma", 1e-2, 1e2, (n,), at=(1.0,)),
                *(() if additive else (LogScale("tau", 1e-2, 1e1, at=(1.0,)),)),
                LogScale("step", 1e-3, 1.0, at=(0.25, 1.0)),
                Simplex("weights", n, (_ROUNDS,)),
            )
        )
        same = (
            units({"curvature": (1, -2), **dict.fromkeys(("optimum", "start", "sigma"), (0, 1))}),
            permuted_clients({**dict.fromkeys(("curvature", "optimum", "sigma"), 0), "weights": 1}),
        )
        name = f"{n} clients, E = {int(E)}, three rounds, {'additive' if additive else 'model-dependent'} noise"
        return case(name, space, moments, moments_exact, cost=max(1.0, n * E / 40), symmetries=same, E=int(E))

    sizes = (Size("N", 1, 100, 2), Size("E", 1, 100, 3))
    return World(NOTATION, (Family("three rounds of local SGD", sizes, at),))
