"""One round of local SGD from a fixed model, clients on the line, in exact moments: what the steps of (7) compare.

Flags, each a coordinate with one value: `local_steps` K; `profile` 0 the same noise at every step, 1 noise only at the
broadcast model, 2 one sample reused in all steps. A4.3 lets the variance depend on the point, which 1 makes use of.
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

__all__ = ["ROUND_DEGREES", "round_case", "round_exact", "round_family", "round_moments"]

ROUND_DEGREES = {
    "L": (1, -2),
    "K": (0, 0),
    "c": (0, 0),
    "gamma": (0, 0),
    "eta": (-1, 2),
    "eta_l": (-1, 2),
    "step": (-1, 2),
    "sigma2": (2, -2),
    "sg2": (2, -2),
    "grad": (2, -2),
    "gap": (2, -2),
    "mean_gap": (2, -2),
    "curved": (2, -2),
    "noise": (2, -2),
    "drift": (0, 2),
    "early": (0, 2),
    "own": (0, 2),
    "square": (0, 2),
    "fall": (1, 0),
    "rho": (0, 2),
    "variance": (0, 2),
    "mean_variance": (0, 2),
    "farthest": (0, 2),
    "mean_farthest": (0, 2),
}


def round_moments(x: Instance) -> Mapping[str, Any]:
    """Every expectation of one round; noise enters linearly, so each is a square of a mean plus Σⱼ(gain of nⱼ)²σ²."""
    h, m, lam, K = x["curvature"], x["optimum"], x["share"], int(x["local_steps"][0])
    top = np.abs(h).max(axis=1)
    L = np.where(top > 0, top, 1.0)
    eta_l = x["first"] / (L * K)
    q = 1 - eta_l[:, None] * h
    j = np.arange(K)
    left = K - 1 - j  # steps after the one in which noise j enters
    powers = q[..., None] ** left
    profile = int(x["profile"][0])
    level = np.where((j == 0) | (profile == 0), 1.0, 0.0) * (x["sigma"] ** 2)[..., None]
    if profile == 2:
        level = (x["sigma"] ** 2)[..., None] * np.ones(K)

    def spread(gains: Any) -> Any:
        """Variance of Σⱼ gainⱼ·nⱼ, (n, N)."""
        whole = (gains * np.sqrt(level)).sum(axis=-1) ** 2
        return whole if profile == 2 else (gains**2 * level).sum(axis=-1)

    off = x["start"][:, None] - m
    slopes = h * off
    ladder = np.cumsum(q[..., None] ** j, axis=-1)  # 1 + … + q^k
    reach = np.concatenate([np.zeros_like(ladder[..., :1]), ladder[..., :-1]], axis=-1)  # of x^k, k = 0 … K − 1
    moved = eta_l[:, None, None] * reach * slopes[..., None]
    var, drift = np.zeros_like(h), []
    total = np.zeros_like(h)
    for k in range(K + 1):
        drift.append((eta_l[:, None] * (ladder[..., k - 1] if k else 0) * slopes) ** 2 + var)
        if k < K:
            if profile == 2:
                total = q * total + eta_l[:, None] * x["sigma"]
                var = total**2
            else:
                var = q**2 * var + eta_l[:, None] ** 2 * level[..., k]
    g = eta_l[:, None] * ladder[..., -1] * slopes
    local = spread(powers)
    tail = np.concatenate([np.zeros_like(ladder[..., :1]), ladder[..., :-1]], axis=-1)[..., left]
    curved = h**2 * (moved.sum(axis=-1) ** 2 + eta_l[:, None] ** 2 * spread(tail))
    own = g**2 + eta_l[:, None] ** 2 * local
    slope, G = (lam * slopes).sum(axis=1), (lam * g).sum(axis=1)
    V = (lam**2 * eta_l[:, None] ** 2 * local).sum(axis=1)
    step = K * eta_l * x["server"]
    H = (lam * h).sum(axis=1)
    square = G**2 + V
    move = x["server"] * G
    fall = move * (slope - H * move / 2) - H * x["server"] ** 2 * V / 2
    far = np.stack(drift)
    one = np.ones(len(L))
    return {
        "L": L,
        "K": K * one,
        "c": x["window"] / x["first"] ** 2,
        "gamma": own.max(axis=1) / np.where(square > 0, square, 1.0),
        "eta": eta_l * x["server"],
        "eta_l": eta_l,
        "step": step,
        "sigma2": (x["sigma"] ** 2).max(axis=1),
        "sg2": (lam * (slopes - slope[:, None]) ** 2).sum(axis=1),
        "widest": ((slopes - slope[:, None]) ** 2).max(axis=1),
        "grad": slope**2,
        "gap": (slope - G / (eta_l * K)) ** 2 + V / (eta_l * K) ** 2,
        "mean_gap": (lam * ((slopes - g / (eta_l[:, None] * K)) ** 2 + local / K**2)).sum(axis=1),
        "curved": (lam * curved).sum(axis=1),
        "noise": (lam * spread(np.ones(K))).sum(axis=1),
        "drift": (lam * far[:-1].sum(axis=0)).sum(axis=1),
        "early": (lam * far[: max(K - 1, 1)].sum(axis=0)).sum(axis=1),
        "own": (lam * own).sum(axis=1),
        "square": square,
        "fall": fall,
        "rho": G**2,
        "variance": V,
        "mean_variance": (lam * eta_l[:, None] ** 2 * local).sum(axis=1),
        "farthest": far[1:].max(axis=(0, 2)),
        "mean_farthest": (lam * far[1:]).sum(axis=2).max(axis=0),
        "magnitude": (slopes**2).max(axis=1) + (x["sigma"] ** 2).max(axis=1),
        "admissible": (square > 1e-9 * own.max(axis=1)) & (top > 0),
    }


def round_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The mean and the variance of every local model, walked step by step; noise j reaches x^k with gain q^(k-1-j)."""
    h, m, lam, K, clients = x["curvature"], x["optimum"], x["share"], int(x["local_steps"]), range(len(x["share"]))
    L, zero = max(abs(y) for y in h), Fraction(0)
    eta_l, profile = x["first"] / (L * K), int(x["profile"])

    def spread(gains: Any, sizes: Any) -> Any:
        parts = [a * b for a, b in zip(gains, sizes, strict=True)]
        return sum(parts) ** 2 if profile == 2 else sum(p * p for p in parts)

    own, gaps, curved, noise, drifts, gs, variances, slopes = [], [], [], [], [], [], [], []
    for i in clients:
        s = x["sigma"][i]
        sizes = [s if profile != 1 or j == 0 else zero for j in range(K)]
        slope, q = h[i] * (x["start"] - m[i]), 1 - eta_l * h[i]
        mean = var = total = sum_mean = zero
        reach, drift = [zero], []
        for size in sizes:
            drift.append(mean * mean + var)
            sum_mean += mean
            total = q * total + eta_l * size
            var = total * total if profile == 2 else q * q * var + (eta_l * size) ** 2
            mean = q * mean - eta_l * slope
            reach.append(1 + q * reach[-1])
        drift.append(mean * mean + var)
        own.append(drift[-1])
        gs.append(-mean)
        variances.append(var)
        gaps.append((slope + mean / (eta_l * K)) ** 2 + var / (eta_l * K) ** 2)
        curved.append((h[i] * sum_mean) ** 2 + spread([eta_l * h[i] * a for a in reach[K - 1 :: -1]], sizes))
        noise.append(spread([Fraction(1)] * K, sizes))
        drifts.append(drift)
        slopes.append(slope)
    slope, G, H = (sum(lam[i] * y[i] for i in clients) for y in (slopes, gs, h))
    V = sum(lam[i] ** 2 * variances[i] for i in clients)
    square, move = G * G + V, x["server"] * G
    met = {
        "L-smooth clients, lambda on the simplex": L > 0 and sum(lam) == 1 and min(lam) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8) and x["window"] >= 1,
        "gamma is finite, below 10^9": square * 10**9 > max(own),
    }
    constants = {
        "L": L,
        "K": Fraction(K),
        "c": x["window"] / x["first"] ** 2,
        "gamma": max(own) / square if square > 0 else zero,
        "eta": eta_l * x["server"],
        "eta_l": eta_l,
        "step": K * eta_l * x["server"],
        "sigma2": max(x["sigma"]) ** 2,
        "sg2": sum(lam[i] * (slopes[i] - slope) ** 2 for i in clients),
        "widest": max((y - slope) ** 2 for y in slopes),
        "grad": slope * slope,
        "gap": (slope - G / (eta_l * K)) ** 2 + V / (eta_l * K) ** 2,
        "mean_gap": sum(lam[i] * gaps[i] for i in clients),
        "curved": sum(lam[i] * curved[i] for i in clients),
        "noise": sum(lam[i] * noise[i] for i in clients),
        "drift": sum(lam[i] * sum(drifts[i][:K]) for i in clients),
        "early": sum(lam[i] * sum(drifts[i][: max(K - 1, 1)]) for i in clients),
        "own": sum(lam[i] * own[i] for i in clients),
        "square": square,
        "fall": move * (slope - H * move / 2) - H * x["server"] ** 2 * V / 2,
        "rho": G * G,
        "variance": V,
        "mean_variance": sum(lam[i] * variances[i] for i in clients),
        "farthest": max(y for d in drifts for y in d[1:]),
        "mean_farthest": max(sum(lam[i] * drifts[i][k] for i in clients) for k in range(1, K + 1)),
    }
    return met, constants


def round_case(
    N: float,
    K: float,
    *,
    left: Callable[[Mapping[str, Any]], Any],
    left_exact: Callable[..., Any],
    convex: bool = True,
    profile: int = 0,
) -> Case:
    """N clients, K steps; `left` makes the left side of the constants, `left_exact` is a whole exact check."""
    n = int(N)

    def measure(x: Instance) -> Mapping[str, Any]:
        with np.errstate(all="ignore"):
            found = round_moments(x)
            return {**found, "lhs": left(found)}

    space = Space(
        (
            LogScale("curvature", 1e-3, 1e3, (n,), at=(1.0,)) if convex else Signed("curvature", 1e-3, 1e3, (n,)),
            Signed("optimum", 1e-3, 1e3, (n,)),
            Simplex("share", n, interior=True),
            Signed("start", 1e-3, 1e3),
            LogScale("first", 1e-3, 0.125, at=(0.125,)),
            LogScale("server", 1e-2, 1e4),
            LogScale("sigma", 1e-3, 1e3, (n,), at=(1.0,)),
            LogScale("window", 1.0, 10.0, at=(1.0,)),
            Choice("local_steps", (float(int(K)),)),
            Choice("profile", (float(profile),)),
        )
    )
    words = ("noise alike everywhere", "noise at the broadcast model only", "one sample for all steps")[profile]
    name = f"{n} {'convex' if convex else 'smooth'} clients, K = {int(K)}, {words}"
    scaled = {"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}
    same = (units(scaled), permuted_clients({"curvature": 0, "optimum": 0, "share": 0, "sigma": 0}))
    exact = ExactCheck(left_exact, (round_exact,))
    return Case(name, space, measure, exact, cost=max(1.0, min(4.0, n * K / 60)), symmetries=same)


def round_family(
    left: Callable[[Mapping[str, Any]], Any],
    left_exact: Callable[..., Any],
    *,
    convex: bool = False,
    profile: int = 0,
    most_steps: int = 300,
) -> Family:
    """The same for 1 to 300 clients and 1 to `most_steps` local steps."""

    def at(N: float, K: float) -> Case:
        return round_case(N, K, left=left, left_exact=left_exact, convex=convex, profile=profile)

    words = f"{'convex' if convex else 'smooth'} clients, noise profile {profile}"
    return Family(words, (Size("N", 1, 300, 2), Size("K", 1, most_steps, 3)), at)
