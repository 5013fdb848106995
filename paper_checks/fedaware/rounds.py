"""One round from a fixed model, clients on the line: in exact moments, and over all outcomes of two-valued noise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from paper_checks.fedaware.mechanisms import switched_on
from paper_checks.fedaware.notation import NOTATION, ROUNDED_0, Checked
from validation import Case, Family, Instance, LogScale, Signed, Simplex, Size, Space, permuted_clients, units
from validation.world.world import World, case

__all__ = ["both_noises", "least_norm", "one_round", "outcomes", "rounds", "seen", "seen_case", "smallest_norm"]


def round_moments(x: Instance, *, K: int, profile: int = 0, idle: bool = False) -> Mapping[str, Any]:
    """Every expectation of one round; noise enters linearly, so each is a square of a mean plus Σⱼ(gain of nⱼ)²σ².

    `profile` 0: the same noise at every step; 1: noise only at the broadcast model, which A4.3 allows; 2: one sample
    reused in all steps. `idle`: λ may be 0 for a client, whose L, σ and local update count all the same.
    """
    with np.errstate(all="ignore"):
        found = _round_moments(x, K, profile)
    weighed = x["share"].min(axis=1) > 0
    return {**found, "admissible": found["admissible"] & (idle | weighed)}


def _round_moments(x: Instance, K: int, profile: int) -> dict[str, Any]:
    h, m, lam = x["curvature"], x["optimum"], x["share"]
    top = np.abs(h).max(axis=1)
    L = np.where(top > 0, top, 1.0)
    eta_l = x["first"] / (L * K)
    q = 1 - eta_l[:, None] * h
    j = np.arange(K)
    left = K - 1 - j  # steps after the one in which noise j enters
    powers = q[..., None] ** left
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


def round_exact(x: Mapping[str, Any], *, K: int, profile: int = 0, idle: bool = False) -> Checked:
    """The mean and the variance of every local model, walked step by step; noise j reaches x^k with gain q^(k-1-j)."""
    h, m, lam, clients = x["curvature"], x["optimum"], x["share"], range(len(x["share"]))
    L, zero = max(abs(y) for y in h), Fraction(0)
    eta_l = x["first"] / (L * K)

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
        "L-smooth clients, lambda on the simplex": L > 0
        and sum(lam) == 1
        and (min(lam) > 0 or (idle and min(lam) == 0)),
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


def one_round(N: float, K: float, *, convex: bool = True, profile: int = 0, idle: bool = False) -> Case:
    """N clients, K steps; see `round_moments`."""
    n = int(N)
    space = Space(
        (
            LogScale("curvature", 1e-3, 1e3, (n,), at=(1.0,)) if convex else Signed("curvature", 1e-3, 1e3, (n,)),
            Signed("optimum", 1e-3, 1e3, (n,)),
            Simplex("share", n, interior=not idle),
            Signed("start", 1e-3, 1e3),
            LogScale("first", 1e-3, 0.125, at=(0.125,)),
            LogScale("server", 1e-2, 1e4),
            LogScale("sigma", 1e-3, 1e3, (n,), at=(1.0,)),
            LogScale("window", 1.0, 10.0, at=(1.0,)),
        )
    )
    words = ("noise alike everywhere", "noise at the broadcast model only", "one sample for all steps")[profile]
    scaled = {"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}
    same = (units(scaled), permuted_clients({"curvature": 0, "optimum": 0, "share": 0, "sigma": 0}))
    return case(
        f"{n} {'convex' if convex else 'smooth'} clients, K = {int(K)}, {words}{', shares may be 0' if idle else ''}",
        space,
        round_moments,
        round_exact,
        cost=max(1.0, min(4.0, n * K / 60)),
        symmetries=same,
        mechanisms=switched_on(K),
        K=int(K),
        profile=profile,
        idle=idle,
    )


def rounds(*profiles: int, convex: bool = False, most_steps: int = 300) -> World:
    """The same for 1 to 300 clients and 1 to `most_steps` local steps, under each of the noise profiles."""

    def of(profile: int) -> Family:
        def at(N: float, K: float) -> Case:
            return one_round(N, K, convex=convex, profile=profile)

        words = f"{'convex' if convex else 'smooth'} clients, noise profile {profile}"
        return Family(words, (Size("N", 1, 300, 2), Size("K", 1, most_steps, 3)), at)

    return World(NOTATION, tuple(of(profile) for profile in profiles))


def both_noises() -> World:
    """Clients of either curvature, with noise alike everywhere and with noise at the broadcast model only.

    The print asks of the weights no more than the simplex: in two of the cases a client may have none.
    """
    idle = tuple(one_round(4, 3, convex=False, profile=profile, idle=True) for profile in (0, 1))
    return World(NOTATION, (*rounds(0, 1).cases, *idle))


def _weights(x: Instance, g: Any, rule: str) -> Any:
    """The weights on every outcome, (n, outcomes, N)."""
    if rule == "fixed":
        return x["applied"][:, None] + 0 * g
    if rule == "largest":
        return (np.arange(g.shape[-1]) == np.argmax(np.abs(g), axis=-1)[..., None]).astype(float)
    return least_norm(g)


def least_norm(g: Any) -> Any:
    """Weights on the simplex, on the last axis, for which the weighted sum of these numbers is nearest to 0."""
    index = np.arange(g.shape[-1])
    low, high = g.min(axis=-1, keepdims=True), g.max(axis=-1, keepdims=True)
    first = (index == np.argmin(g, axis=-1)[..., None]).astype(float)
    last = (index == np.argmax(g, axis=-1)[..., None]).astype(float)
    share = np.where(low >= 0, 1.0, np.where(high <= 0, 0.0, high / np.where(high > low, high - low, 1.0)))
    return share * first + (1 - share) * last


def seeing(
    x: Instance, *, rule: str, longest: Fraction | None = None, asked: str = "", alike: bool = False
) -> Mapping[str, Any]:
    """The constants of (13) for T = K = 1, the variance of the applied pseudo-gradient, and what reweighting moves.

    Noise per client: σr with chance 1/(1 + r²), else −σ/r; all 2^N outcomes are added up. Weights: «fixed», of «smallest»
    norm, or all on the «largest» update. `asked`: the updates of two clients differ in every outcome («apart»), or the
    noise is not lost in the rounding of the slopes («noise»). `alike`: all as the first client.
    """
    if alike:
        x = {**x, **{name: x[name][:, :1] + 0 * x[name] for name in ("curvature", "optimum")}}
    if longest is not None:
        x = {**x, "server": np.minimum(x["server"], float(longest) / x["first"])}
    h, m, lam, s = x["curvature"], x["optimum"], x["share"], x["sigma"][:, None]
    n, N = h.shape
    signs = np.array(list(product((False, True), repeat=N)))
    r = x["rare"][:, None, None]
    q = 1 / (1 + x["rare"][:, None] ** 2)
    ups = signs.sum(axis=1)[None]
    chance = q**ups * (1 - q) ** (N - ups)
    L = h.max(axis=1)
    eta_l, eta_g = x["first"] / L, x["server"]
    slopes = h * (x["start"][:, None] - m)
    g = eta_l[:, None, None] * (slopes[:, None] + np.where(signs[None], r, -1 / r) * s[:, None])
    w = _weights(x, g, rule)
    G = (w * g).sum(axis=2)
    slope, H = (lam * slopes).sum(axis=1), (lam * h).sum(axis=1)

    def mean(values: Any) -> Any:
        return (chance * values).sum(axis=1)

    step = eta_g[:, None] * G
    F = mean(step * slope[:, None] - H[:, None] * step**2 / 2)
    applied = mean(G)
    second = mean(G**2)
    own_weights = (lam[:, None] * g).sum(axis=2)
    plain = mean(own_weights**2)
    least = np.minimum(second, plain)
    chi, squares = (((lam[:, None] - w) ** 2) / lam[:, None]).sum(axis=2), (lam[:, None] * g**2).sum(axis=2)
    own = (chance[..., None] * g**2).sum(axis=1).max(axis=1)
    one, size = np.ones(n), (slopes**2).max(axis=1) + s[:, 0] ** 2 * x["rare"] ** 2
    met, clear = least > ROUNDED_0 * own, least > 1e-13 * own
    if asked == "noise":
        clear &= s[:, 0] ** 2 > 1e-13 * size
    if asked == "apart":
        apart, noise = np.abs(slopes[:, 0] - slopes[:, -1]), x["sigma"] * (x["rare"] + 1 / x["rare"])
        off = np.minimum(apart, np.abs(apart - noise))
        met, clear = met & (off > ROUNDED_0 * (apart + noise)), clear & (off > 1e-9 * (apart + noise))
    return {
        "mean_square": slope**2,
        "variance": mean((G - applied[:, None]) ** 2),
        "F": F,
        "T": one,
        "K": one,
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": own / np.where(least > 0, least, 1.0),
        "sigma2": s[:, 0] ** 2,
        "rho": applied**2,
        "chi": mean(chi),
        "reweighted": mean((own_weights - G) ** 2),
        "M": mean(squares),
        "together": mean(chi * squares),
        "error": mean((slope[:, None] - own_weights / eta_l[:, None]) ** 2),
        "sizes": {**dict.fromkeys(("mean_square", "variance", "error"), size), "reweighted": size * eta_l**2},
        "admissible": met,
        "resolved": clear,
    }


def outcomes(n_clients: int, rare: Any) -> list[tuple[Any, list[Any]]]:
    """(chance, noise in units of sigma per client) of every outcome."""
    q = 1 / (1 + rare * rare)
    out: list[tuple[Any, list[Any]]] = [(Fraction(1), [])]
    for _ in range(n_clients):
        out = [(p * w, [*rest, e]) for p, rest in out for w, e in ((q, rare), (1 - q, -1 / rare))]
    return out


def smallest_norm(g: list[Any]) -> list[Any]:
    """Weights on the simplex for which the weighted sum of these numbers is nearest to 0."""
    low, high = g.index(min(g)), g.index(max(g))
    share = Fraction(1) if g[low] >= 0 else Fraction(0) if g[high] <= 0 else g[high] / (g[high] - g[low])
    out = [Fraction(0) for _ in g]
    out[low] += share
    out[high] += 1 - share
    return out


def seeing_exact(
    x: Mapping[str, Any], *, rule: str, longest: Fraction | None = None, asked: str = "", alike: bool = False
) -> Checked:
    """One round from a fixed model: expectations are sums over all outcomes of the noise."""
    if alike:
        x = {**x, **{name: [x[name][0] for _ in x[name]] for name in ("curvature", "optimum")}}
    h, m, lam, s, clients = x["curvature"], x["optimum"], x["share"], x["sigma"], range(len(x["share"]))
    L = max(h)
    eta_l, eta_g = x["first"] / L, x["server"] if longest is None else min(x["server"], longest / x["first"])
    slopes = [h[i] * (x["start"] - m[i]) for i in clients]
    slope, H = sum(lam[i] * slopes[i] for i in clients), sum(lam[i] * h[i] for i in clients)
    names = ("one", "G", "G2", "plain2", "F", "chi", "reweighted", "M", "together", "error")
    total = dict.fromkeys(names, Fraction(0))
    own = [Fraction(0) for _ in clients]
    for chance, noise in outcomes(len(lam), x["rare"]):
        g = [eta_l * (slopes[i] + s * noise[i]) for i in clients]
        if rule == "fixed":
            w = x["applied"]
        elif rule == "smallest":
            w = smallest_norm(g)
        else:
            chosen = max(clients, key=lambda i: (abs(g[i]), -i))
            w = [Fraction(int(i == chosen)) for i in clients]
        G = sum(w[i] * g[i] for i in clients)
        total["one"] += chance
        total["G"] += chance * G
        total["G2"] += chance * G * G
        plain = sum(lam[i] * g[i] for i in clients)
        total["plain2"] += chance * plain * plain
        total["F"] += chance * (eta_g * G * slope - H * (eta_g * G) ** 2 / 2)
        chi, squares = sum((lam[i] - w[i]) ** 2 / lam[i] for i in clients), sum(lam[i] * g[i] ** 2 for i in clients)
        total["chi"] += chance * chi
        total["reweighted"] += chance * (plain - G) ** 2
        total["M"] += chance * squares
        total["together"] += chance * chi * squares
        total["error"] += chance * (slope - plain / eta_l) ** 2
        own = [own[i] + chance * g[i] * g[i] for i in clients]
    least = min(total["G2"], total["plain2"])
    apart, spread = abs(slopes[0] - slopes[-1]), s * (x["rare"] + 1 / x["rare"])
    met = {
        "noise has mean 0 and variance sigma^2, chances sum to 1": total["one"] == 1,
        "weights on the simplex, lambda positive": sum(lam) == 1 and min(lam) > 0,
        "convex, L-smooth clients": min(h) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8),
        "gamma is finite": least > 0,
        "the two updates differ in every outcome where asked": asked != "apart" or apart not in (0, spread),
        "eta K L at most as asked": longest is None or x["first"] * eta_g <= longest,
    }
    constants = {
        "mean_square": slope * slope,
        "variance": total["G2"] - total["G"] ** 2,
        "F": total["F"],
        "T": Fraction(1),
        "K": Fraction(1),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": max(own) / least if least > 0 else Fraction(0),
        "sigma2": s * s,
        "rho": total["G"] ** 2,
        **{name: total[name] for name in ("chi", "reweighted", "M", "together", "error")},
    }
    return met, constants


def seen_case(
    n_clients: int, rule: str, *, unit: tuple[float, float] = (1e-2, 1e3), cost: float = 1.0, **chosen: Any
) -> Case:
    """`n_clients` clients under a rule; see `seeing`."""
    space = Space(
        (
            LogScale("curvature", *unit, (n_clients,), at=(1.0, unit[1])),
            Signed("optimum", 1e-2, 1e2, (n_clients,)),
            Simplex("share", n_clients, interior=True),
            Simplex("applied", n_clients),
            Signed("start", 1e-2, 1e2),
            LogScale("first", 1e-2, 0.125, at=(0.125,)),
            LogScale("server", 1e-2, 1e5),
            LogScale("sigma", 1e-2, 1e2),
            LogScale("rare", 1e-1, 1e1, at=(1.0, 10.0)),
        )
    )
    words = {
        "fixed": "fixed weights",
        "smallest": "weights of smallest norm",
        "largest": "weight on the largest update",
    }
    name, uses = f"{n_clients} clients, {words[rule]}", (outcomes, smallest_norm)
    return case(name, space, seeing, seeing_exact, uses=uses, cost=cost, rule=rule, **chosen)


def seen(*cases: tuple[int, str], **chosen: Any) -> World:
    """The world of these; see `seen_case`."""
    return World(NOTATION, tuple(seen_case(n, rule, **chosen) for n, rule in cases))
