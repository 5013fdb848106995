"""Runs of FedAvg in closed form: clients with diagonal Hessians, additive noise, and every constant of (10) and (13)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.mechanisms import switched_on
from paper_checks.fedaware.notation import NOTATION, Checked
from validation import (
    Case,
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
from validation.world.world import World, case

__all__ = ["fedavg", "one_run", "power_sum", "runs", "smallest_square"]


def _rates(x: Instance, K: int, T: int, longest: Any, by: str) -> Instance:
    """The instances with server steps cut to ηKL = `longest`; `by`: see `chosen_exact` and `cancelled_exact`."""
    h, m, lam, at = x["curvature"], x["optimum"], x["share"], x["start"]
    if by == "horizon":
        H, pull = (lam[..., None] * h).sum(axis=1), (lam[..., None] * h * m).sum(axis=1)
        best, top = pull / H, h.max(axis=(1, 2))
        gap = (H * (at - best) ** 2).sum(axis=1) / 2
        ends = [(lam * ((h * (w[:, None] - m)) ** 2).sum(axis=2)).sum(axis=1) for w in (at, best)]
        both = ends[0] + ends[1]
        first = np.where(both > 0, np.minimum(0.125, gap * top / (4 * T * both)), 0.125)
        return {**x, "first": first, "server": 1 / (24 * first)}
    if by == "cancelled":
        part = -np.expm1(K * np.log1p(-(x["first"] / (h.max(axis=(1, 2)) * K))[:, None] * h[..., 0]))
        off = at[:, 0] - m[:, 0, 0]
        m = m.copy()
        m[:, 1, 0] = at[:, 0] + lam[:, 0] * part[:, 0] / (lam[:, 1] * part[:, 1]) * off
        m[:, :, 1] = (at[:, 1] - np.abs(off) / 1000)[:, None]
        return {**x, "optimum": m}
    return x if longest is None else {**x, "server": np.minimum(x["server"], float(longest) / x["first"])}


def run(
    x: Instance, *, K: int, T: int, everywhere: bool = False, longest: Fraction | None = None, by: str = ""
) -> Mapping[str, Any]:
    """All constants of a run, from the mean and the variance of the model in every coordinate and round.

    Rows of `applied` are used in turn; without them the objective's weights are applied. γ of Assumption A.1 is over the
    whole simplex (`everywhere`, two clients) or for the applied weights. Where a run leaves the floats exact arithmetic decides.
    """
    with np.errstate(all="ignore"):
        return _run(_rates(x, K, T, longest, by), K, T, everywhere)


def _run(x: Instance, K: int, T: int, everywhere: bool) -> Mapping[str, Any]:
    h, m, lam = x["curvature"], x["optimum"], x["share"]
    n, n_clients, dim = h.shape
    widest = np.abs(h).max(axis=(1, 2))
    L = np.where(widest > 0, widest, 1.0)
    eta_l, eta_g = x["first"] / (L * K), x["server"]
    bend = eta_l[:, None, None] * h
    part = -np.expm1(K * np.log1p(-bend))
    steps = np.where(np.abs(bend) > 1e-12, -np.expm1(2 * K * np.log1p(-bend)) / (bend * (2 - bend)), K)
    sigma2 = x["sigma"] ** 2 if "sigma" in x else np.zeros((n, n_clients))
    noise = (eta_l[:, None] ** 2 * sigma2)[..., None] * steps / dim
    H, pull = np.einsum("ni,nij->nj", lam, h), np.einsum("ni,nij,nij->nj", lam, h, m)
    steepest, widths = np.einsum("ni,nij->nj", lam, np.abs(h)), np.abs(m).max(axis=1)
    uneven = np.einsum("ni,nij->nj", lam, (h - H[:, None]) ** 2)
    part2, noises = part**2, noise.sum(axis=2)
    rows = x["applied"] if "applied" in x else lam[:, None]
    weighed = []
    for k in range(min(T, rows.shape[1])):
        a = rows[:, k]
        W = np.einsum("ni,nij->nj", a**2, noise)
        weighed.append((a, np.einsum("ni,nij->nj", a, part), W, W.sum(axis=1), ((lam - a) ** 2 / lam).sum(axis=1)))
    mu, v, moved = x["start"].copy(), np.zeros((n, dim)), np.zeros((n, dim))
    names = ("mean_square", "rho", "rho_full", "chi", "chi_rho")
    total: dict[str, Any] = {name: np.zeros(n) for name in names}
    low, gamma, sg2, least, top = np.full(n, np.inf), np.zeros(n), np.zeros(n), np.full(n, np.inf), np.zeros(n)
    opening: dict[str, Any] = {}
    for t in range(T):
        a, A, W, spread, chi = weighed[t % len(weighed)]
        away = mu[:, None] - m
        g, slopes = part * away, h * away
        mean, slope = np.einsum("ni,nij->nj", a, g), np.einsum("ni,nij->nj", lam, slopes)
        grad = (slope**2 + H**2 * v).sum(axis=1)
        own = np.einsum("nij,nij->ni", g, g) + np.einsum("nij,nj->ni", part2, v) + noises
        full = (mean**2).sum(axis=1)
        seen = full + (A**2 * v).sum(axis=1)
        square = seen + spread
        if everywhere and n_clients == 2:
            cross = (g[:, 0] * g[:, 1] + part[:, 0] * part[:, 1] * v).sum(axis=1)
            apart = own[:, 0] + own[:, 1] - 2 * cross
            b = np.where(apart > 0, np.clip((own[:, 1] - cross) / apart, 0.0, 1.0), 0.0)
            square = b**2 * own[:, 0] + 2 * b * (1 - b) * cross + (1 - b) ** 2 * own[:, 1]
        largest = own.max(axis=1)
        gamma = np.fmax(gamma, largest / square)
        least = np.minimum(least, np.where(largest > 0, square / largest, 0.0))
        found = {"mean_square": grad, "rho": seen, "rho_full": full, "chi": chi, "chi_rho": chi * seen}
        for name, value in found.items():
            total[name] += value
        opening = opening or {"grad0": grad, "rho0": seen, "first": full}
        low = np.minimum(low, grad)
        gap = ((slopes - slope[:, None]) ** 2).sum(axis=2)
        sg2 = np.maximum(sg2, (lam * gap).sum(axis=1) + (uneven * v).sum(axis=1))
        # A slope is the difference of two positions: what rounding leaves of it is in units of those.
        places = steepest * (np.abs(mu) + widths)
        reach = np.einsum("ni,nij->nj", lam, np.abs(slopes))
        top = np.maximum(top, (reach * (reach + places) + H**2 * v).sum(axis=1))
        moved = moved + eta_g[:, None] * mean
        mu, v = mu - eta_g[:, None] * mean, (1 - eta_g[:, None] * A) ** 2 * v + eta_g[:, None] ** 2 * W
    # f(x⁰) − f(x^T) from the sum of the steps and not from two models, which may be large and nearly the same.
    downhill = np.einsum("ni,nij->nj", lam, h * (x["start"][:, None] - m))
    F = (moved * (downhill - H * moved / 2) - H * v / 2).sum(axis=1)
    path = (np.abs(moved) * (np.abs(downhill) + np.abs(H * moved)) + np.abs(H) * v).sum(axis=1)
    F_star = (H * (x["start"] - np.where(H > 0, pull / H, np.nan)) ** 2 / 2).sum(axis=1)
    slowest = eta_g * np.einsum("ni,nij->nj", lam, part).min(axis=1)
    one, size = np.ones(n), top + path / (K * eta_l * eta_g * T)
    means = {name: value / T for name, value in total.items()}
    constants = {
        **means,
        **opening,
        "low": low,
        "F": F,
        "F_star": F_star,
        "T": T * one,
        "K": K * one,
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": x["window"] / x["first"] ** 2,
        "gamma": gamma,
        "sigma2": sigma2.max(axis=1),
        "sg2": sg2,
        "rate": slowest * (2 - slowest),
    }
    sizes = dict.fromkeys(("mean_square", "low", "grad0"), size)
    sizes |= dict.fromkeys(("rho", "rho_full", "rho0", "first"), size * (K * eta_l) ** 2)
    sizes |= {"chi_rho": means["chi"] * means["rho"]}
    return {**constants, "sizes": sizes, "admissible": (widest > 0) & ~(least <= 1e-9), "resolved": x["first"] > 1e-9}


def power_sum(base: Any, count: int) -> Any:
    """1 + base + … + base^(count − 1)."""
    return sum((base**j for j in range(count)), Fraction(0))


def smallest_square(first: Any, cross: Any, second: Any) -> Any:
    """Least value of b²·first + 2b(1 − b)·cross + (1 − b)²·second over 0 <= b <= 1."""
    apart = first + second - 2 * cross
    b = min(max((second - cross) / apart, Fraction(0)), Fraction(1)) if apart > 0 else Fraction(0)
    return b * b * first + 2 * b * (1 - b) * cross + (1 - b) * (1 - b) * second


def chosen_exact(x: Mapping[str, Any], T: int) -> Mapping[str, Any]:
    """Rates for the horizon: eta K L = 1/24, eta_l L K = min(1/8, F* L/(4 T (spread at start and optimum)))."""
    h, m, lam, clients, axes = x["curvature"], x["optimum"], x["share"], range(len(x["share"])), range(len(x["start"]))
    H = [sum(lam[i] * h[i][j] for i in clients) for j in axes]
    best = [sum(lam[i] * h[i][j] * m[i][j] for i in clients) / H[j] for j in axes]
    gap = sum(H[j] * (x["start"][j] - best[j]) ** 2 for j in axes) / 2
    both = sum(lam[i] * (h[i][j] * (at[j] - m[i][j])) ** 2 for i in clients for j in axes for at in (x["start"], best))
    first = min(Fraction(1, 8), gap * max(max(row) for row in h) / (4 * T * both)) if both else Fraction(1, 8)
    return {**x, "first": first, "server": 1 / (24 * first)}


def cancelled_exact(x: Mapping[str, Any], K: int) -> Mapping[str, Any]:
    """Two clients in the plane whose updates cancel along the first axis and are small along the second."""
    h, lam, at = [row[0] for row in x["curvature"]], x["share"], x["start"]
    eta_l = x["first"] / (max(y for row in x["curvature"] for y in row) * K)
    part = [1 - (1 - eta_l * y) ** K for y in h]
    off = at[0] - x["optimum"][0][0]
    other = at[0] + lam[0] * part[0] / (lam[1] * part[1]) * off
    aside = at[1] - abs(off) / 1000
    return {**x, "optimum": [[x["optimum"][0][0], aside], [other, aside]]}


def run_exact(
    x: Mapping[str, Any],
    *,
    K: int,
    T: int,
    everywhere: bool = False,
    longest: Fraction | None = None,
    by: str = "",
) -> Checked:
    """FedAvg, client by client and coordinate by coordinate: mean mu and variance v of the model in every round."""
    if by == "horizon":
        x = chosen_exact(x, T)
    if by == "cancelled":
        x = cancelled_exact(x, K)
    h, m, lam = x["curvature"], x["optimum"], x["share"]
    clients, axes, zero = range(len(lam)), range(len(x["start"])), Fraction(0)
    L = max(abs(y) for row in h for y in row)
    eta_l, eta_g = x["first"] / (L * K), x["server"] if longest is None else min(x["server"], longest / x["first"])
    part = [[1 - (1 - eta_l * y) ** K for y in row] for row in h]
    variances = [s * s for s in x["sigma"]] if "sigma" in x else [zero for _ in clients]
    noise = [
        [eta_l**2 * s * power_sum((1 - eta_l * y) ** 2, K) / len(row) for y in row]
        for s, row in zip(variances, h, strict=True)
    ]
    rows = x.get("applied", [lam])
    H = [sum(lam[i] * h[i][j] for i in clients) for j in axes]
    mu, v = list(x["start"]), [zero for _ in axes]
    grads, rhos, fulls, chis, both, gammas, spreads = [], [], [], [], [], [], []

    def loss(at: Any, spread: Any) -> Any:
        return sum(lam[i] * h[i][j] * ((at[j] - m[i][j]) ** 2 + spread[j]) / 2 for i in clients for j in axes)

    before = loss(mu, v)
    for t in range(T):
        a = rows[t % len(rows)]
        g = [[part[i][j] * (mu[j] - m[i][j]) for j in axes] for i in clients]
        mean = [sum(a[i] * g[i][j] for i in clients) for j in axes]
        A = [sum(a[i] * part[i][j] for i in clients) for j in axes]
        W = [sum(a[i] ** 2 * noise[i][j] for i in clients) for j in axes]
        slopes = [[h[i][j] * (mu[j] - m[i][j]) for j in axes] for i in clients]
        slope = [sum(lam[i] * slopes[i][j] for i in clients) for j in axes]
        own = [sum(g[i][j] ** 2 + part[i][j] ** 2 * v[j] + noise[i][j] for j in axes) for i in clients]
        seen = sum(mean[j] ** 2 + A[j] ** 2 * v[j] for j in axes)
        square = seen + sum(W)
        if everywhere and len(lam) == 2:
            cross = sum(g[0][j] * g[1][j] + part[0][j] * part[1][j] * v[j] for j in axes)
            square = smallest_square(own[0], cross, own[1])
        gammas.append(max(own) / square if square > 0 else Fraction(10**10))
        grads.append(sum(slope[j] ** 2 + H[j] ** 2 * v[j] for j in axes))
        rhos.append(seen)
        fulls.append(sum(y * y for y in mean))
        chis.append(sum((p - b) ** 2 / p for p, b in zip(lam, a, strict=True)))
        both.append(chis[-1] * seen)
        spreads.append(
            sum(lam[i] * ((slopes[i][j] - slope[j]) ** 2 + (h[i][j] - H[j]) ** 2 * v[j]) for i in clients for j in axes)
        )
        mu = [y - eta_g * s for y, s in zip(mu, mean, strict=True)]
        v = [(1 - eta_g * A[j]) ** 2 * v[j] + eta_g**2 * W[j] for j in axes]
    pull = [sum(lam[i] * h[i][j] * m[i][j] for i in clients) for j in axes]
    least = all(H[j] > 0 or (H[j] == 0 and pull[j] == 0) for j in axes)
    best = [pull[j] / H[j] if H[j] > 0 else x["start"][j] for j in axes]
    slowest = eta_g * min(sum(lam[i] * part[i][j] for i in clients) for j in axes)
    met = {
        "L-smooth clients, L the largest |curvature|": L > 0,
        "lambda and lambda tilde on the simplex": all(sum(r) == 1 and min(r) >= 0 for r in [lam, *rows])
        and min(lam) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8) and x["window"] >= 1,
        "gamma is finite, below 10^9": max(gammas) < 10**9,
        "eta K L at most as asked": longest is None or eta_l * eta_g * K * L <= longest,
    }
    constants = {
        "mean_square": sum(grads) / T,
        "low": min(grads),
        "grad0": grads[0],
        "F": before - loss(mu, v),
        # Where f has no least value, no F* is above 0.
        "F_star": sum(H[j] * (x["start"][j] - best[j]) ** 2 / 2 for j in axes) if least else Fraction(-1),
        "T": Fraction(T),
        "K": Fraction(K),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": x["window"] / x["first"] ** 2,
        "gamma": max(gammas),
        "sigma2": max(variances),
        "sg2": max(spreads),
        "rho": sum(rhos) / T,
        "rho_full": sum(fulls) / T,
        "rho0": rhos[0],
        "first": fulls[0],
        "rate": slowest * (2 - slowest),
        "chi": sum(chis) / T,
        "chi_rho": sum(both) / T,
    }
    return met, constants


def one_run(
    N: float,
    d: float,
    K: float,
    T: float,
    *,
    convex: bool = True,
    noisy: bool = True,
    rows: int = 0,
    server: tuple[float, float] = (1e-2, 1e2),
    curvature: tuple[float, float] = (1e-3, 1e3),
    longest: Fraction | None = None,
    by: str = "",
    everywhere: bool = False,
    sound: bool = True,
) -> Case:
    """N clients in d dimensions, K local steps, T rounds; `rows` different applied weights; `sound` units may change."""
    n, dim, wide = int(N), int(d), (int(N), int(d))
    low, high = curvature
    space = Space(
        (
            LogScale("curvature", low, high, wide, at=(1.0,)) if convex else Signed("curvature", low, high, wide),
            Signed("optimum", 1e-3, 1e3, wide),
            Simplex("share", n, interior=True),
            *((Simplex("applied", n, (rows,)),) if rows else ()),
            Signed("start", 1e-3, 1e3, (dim,)),
            LogScale("first", 1e-3, 0.125, at=(0.125,)),
            LogScale("server", *server, at=(1.0, server[1])),
            *((LogScale("sigma", 1e-3, 1e3, (n,), at=(1e-3, 1.0, 1e3)),) if noisy else ()),
            LogScale("window", 1.0, 10.0, at=(1.0,)),
        )
    )
    scaled = units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)})
    named = {"curvature": 0, "optimum": 0, "share": 0} | ({"applied": 1} if rows else {})
    clients = permuted_clients(named | ({"sigma": 0} if noisy else {}))
    words = f", {rows} rows of weights" if rows else ""
    return case(
        f"{n} clients, dimension {dim}, K = {int(K)}, T = {int(T)}{words}",
        space,
        run,
        run_exact,
        uses=(power_sum, smallest_square, chosen_exact, cancelled_exact),
        cost=max(1.0, min(4.0, T / 10, n * dim / 40)) if T <= 60 else T / 15,
        # the construction of cancelling updates tells the clients apart
        symmetries=() if by == "cancelled" else (scaled, clients) if sound else (clients,),
        mechanisms=switched_on(K),
        K=int(K),
        T=int(T),
        everywhere=everywhere,
        longest=longest,
        by=by,
    )


def runs(words: str, *, horizon: Fraction | None = None, clients: int = 3, **how: Any) -> Family:
    """Runs of 1 to 300 clients and local steps, 1 to 200 rounds; `horizon`: ηKLT at most that; `how` as `one_run`."""

    def at(N: float, d: float, K: float, T: float) -> Case:
        cut: dict[str, Any] = {} if horizon is None else {"longest": horizon / int(T)}
        short = {"server": (1e-2, 4e1)} if T > 100 else {}  # 200 rounds that grow more than fourfold leave the floats
        return one_run(N, d, K, T, **{**short, **how, **cut})

    sizes = (Size("N", 1, 300, clients), Size("d", 1, 8, 1), Size("K", 1, 300, 2), Size("T", 1, 200, 2, ladder=True))
    return Family(words, sizes, at)


def fedavg(*cases: Case | Family) -> World:
    """The world of these runs."""
    return World(NOTATION, cases)
