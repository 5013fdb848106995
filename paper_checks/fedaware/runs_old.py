"""Runs of FedAvg in closed form: clients with diagonal Hessians, additive noise, and every constant of (10) and (13).

Flags, each a coordinate with one value: `local_steps` K; `n_rounds` T; `everywhere` 1 takes γ of Assumption A.1 over
the whole simplex (at most two clients), 0 for the applied weights. Rows of `applied` are used in turn, round by round;
without them the objective's weights `share` are applied. Without `sigma` there is no noise.
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
    Instance,
    LogScale,
    Signed,
    Simplex,
    Space,
    permuted_clients,
    units,
)

__all__ = ["DEGREES", "RUN_USES", "power_sum", "run", "run_case", "run_exact", "smallest_square"]

DEGREES = {
    "F": (1, 0),
    "F_star": (1, 0),
    "T": (0, 0),
    "K": (0, 0),
    "eta": (-1, 2),
    "eta_l": (-1, 2),
    "eta_g": (0, 0),
    "L": (1, -2),
    "c": (0, 0),
    "gamma": (0, 0),
    "sigma2": (2, -2),
    "sg2": (2, -2),
    "rho": (0, 2),
    "rho_full": (0, 2),
    "chi": (0, 0),
    "chi_rho": (0, 2),
    "one": (0, 0),
}


def run(x: Instance) -> Mapping[str, Any]:
    """All constants of a run; a run that leaves the floats is not admissible."""
    with np.errstate(all="ignore"):
        return _run(x)


def _run(x: Instance) -> Mapping[str, Any]:
    """All constants of a run, from the mean and the variance of the model in every coordinate and round."""
    h, m, lam = x["curvature"], x["optimum"], x["share"]
    n, n_clients, dim = h.shape
    K, T = int(x["local_steps"][0]), int(x["n_rounds"][0])
    widest = np.abs(h).max(axis=(1, 2))
    L = np.where(widest > 0, widest, 1.0)
    eta_l, eta_g = x["first"] / (L * K), x["server"]
    bend = eta_l[:, None, None] * h
    part = -np.expm1(K * np.log1p(-bend))
    steps = np.where(np.abs(bend) > 1e-12, -np.expm1(2 * K * np.log1p(-bend)) / (bend * (2 - bend)), K)
    sigma2 = x["sigma"] ** 2 if "sigma" in x else np.zeros((n, n_clients))
    noise = (eta_l[:, None] ** 2 * sigma2)[..., None] * steps / dim
    H, pull = (lam[..., None] * h).sum(axis=1), (lam[..., None] * h * m).sum(axis=1)
    steepest = (lam[..., None] * np.abs(h)).sum(axis=1)
    rows = x["applied"] if "applied" in x else lam[:, None]
    mu, v, moved = x["start"].copy(), np.zeros((n, dim)), np.zeros((n, dim))
    total: dict[str, Any] = {name: np.zeros(n) for name in ("grad", "rho", "rho_full", "chi", "chi_rho")}
    low, gamma, sg2, least = np.full(n, np.inf), np.zeros(n), np.zeros(n), np.full(n, np.inf)
    top = np.zeros(n)
    for t in range(T):
        a = rows[:, t % rows.shape[1]]
        weight = a[..., None]
        g = part * (mu[:, None] - m)
        mean = (weight * g).sum(axis=1)
        A = (weight * part).sum(axis=1)
        W = (weight**2 * noise).sum(axis=1)
        own_slopes = h * (mu[:, None] - m)
        slope = (lam[..., None] * own_slopes).sum(axis=1)
        grad = (slope**2 + H**2 * v).sum(axis=1)
        own = (g**2 + part**2 * v[:, None] + noise).sum(axis=2)
        seen = (mean**2 + A**2 * v).sum(axis=1)
        square = seen + W.sum(axis=1)
        if x["everywhere"][0] > 0 and n_clients == 2:
            cross = (g[:, 0] * g[:, 1] + part[:, 0] * part[:, 1] * v).sum(axis=1)
            apart = own[:, 0] + own[:, 1] - 2 * cross
            b = np.where(apart > 0, np.clip((own[:, 1] - cross) / apart, 0.0, 1.0), 0.0)
            square = b**2 * own[:, 0] + 2 * b * (1 - b) * cross + (1 - b) ** 2 * own[:, 1]
        gamma = np.fmax(gamma, own.max(axis=1) / square)
        least = np.minimum(least, np.where(own.max(axis=1) > 0, square / own.max(axis=1), 0.0))
        chi = ((lam - a) ** 2 / lam).sum(axis=1)
        total["grad"] += grad
        total["rho"] += seen
        total["rho_full"] += (mean**2).sum(axis=1)
        total["chi"] += chi
        total["chi_rho"] += chi * seen
        low = np.minimum(low, grad)
        gap = (own_slopes - slope[:, None]) ** 2 + (h - H[:, None]) ** 2 * v[:, None]
        sg2 = np.maximum(sg2, (lam * gap.sum(axis=2)).sum(axis=1))
        # A slope is the difference of two positions: what rounding leaves of it is in units of those.
        places = steepest * (np.abs(mu) + np.abs(m).max(axis=1))
        reach = (lam[..., None] * np.abs(own_slopes)).sum(axis=1)
        top = np.maximum(top, (reach * (reach + places) + H**2 * v).sum(axis=1))
        moved = moved + eta_g[:, None] * mean
        mu, v = mu - eta_g[:, None] * mean, (1 - eta_g[:, None] * A) ** 2 * v + eta_g[:, None] ** 2 * W
    # f(x⁰) − f(x^T) from the sum of the steps and not from two models, which may be large and nearly the same.
    downhill = (lam[..., None] * h * (x["start"][:, None] - m)).sum(axis=1)
    F = (moved * (downhill - H * moved / 2) - H * v / 2).sum(axis=1)
    path = (np.abs(moved) * (np.abs(downhill) + np.abs(H * moved)) + np.abs(H) * v).sum(axis=1)
    best = np.where(H > 0, pull / H, np.nan)
    F_star = (H * (x["start"] - best) ** 2 / 2).sum(axis=1)
    one = np.ones(n)
    return {
        "lhs": total["grad"] / T,
        "mean_square": total["grad"] / T,
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
        "one": one,
        **{name: total[name] / T for name in ("rho", "rho_full", "chi", "chi_rho")},
        "magnitude": top + path / (K * eta_l * eta_g * T),
        "admissible": (widest > 0) & (least > 1e-9) & (np.abs(mu).max(axis=1) < 1e30),
    }


def power_sum(base: Any, count: int) -> Any:
    """1 + base + … + base^(count − 1)."""
    return sum((base**j for j in range(count)), Fraction(0))


def smallest_square(first: Any, cross: Any, second: Any) -> Any:
    """Least value of b²·first + 2b(1 − b)·cross + (1 − b)²·second over 0 <= b <= 1."""
    apart = first + second - 2 * cross
    b = min(max((second - cross) / apart, Fraction(0)), Fraction(1)) if apart > 0 else Fraction(0)
    return b * b * first + 2 * b * (1 - b) * cross + (1 - b) * (1 - b) * second


def run_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg, client by client and coordinate by coordinate: mean mu and variance v of the model in every round."""
    h, m, lam, K, T = x["curvature"], x["optimum"], x["share"], int(x["local_steps"]), int(x["n_rounds"])
    clients, axes, zero = range(len(lam)), range(len(x["start"])), Fraction(0)
    L = max(abs(y) for row in h for y in row)
    eta_l, eta_g = x["first"] / (L * K), x["server"]
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
        if x["everywhere"] > 0 and len(lam) == 2:
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
    convex = min(H) > 0
    start = [sum(lam[i] * h[i][j] * m[i][j] for i in clients) / H[j] if convex else zero for j in axes]
    met = {
        "L-smooth clients, L the largest |curvature|": L > 0,
        "lambda and lambda tilde on the simplex": all(sum(r) == 1 and min(r) >= 0 for r in [lam, *rows])
        and min(lam) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8) and x["window"] >= 1,
        "gamma is finite, below 10^9": max(gammas) < 10**9,
    }
    constants = {
        "lhs": sum(grads) / T,
        "mean_square": sum(grads) / T,
        "low": min(grads),
        "F": before - loss(mu, v),
        "F_star": sum(H[j] * (x["start"][j] - start[j]) ** 2 / 2 for j in axes),
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
        "chi": sum(chis) / T,
        "chi_rho": sum(both) / T,
        "one": Fraction(1),
    }
    return met, constants


RUN_USES = (power_sum, smallest_square)


def run_case(
    N: float,
    d: float,
    K: float,
    T: float,
    *,
    convex: bool = True,
    noisy: bool = True,
    rows: int = 0,
    everywhere: bool = False,
    server: tuple[float, float] = (1e-2, 1e2),
    curvature: tuple[float, float] = (1e-3, 1e3),
    measure: Any = run,
    exact: Any = run_exact,
    uses: tuple[Any, ...] = (),
    sound: bool = True,
) -> Case:
    """N clients in d dimensions, K local steps, T rounds; `rows` different applied weights; `sound` units, so that they may change."""
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
            Choice("local_steps", (float(int(K)),)),
            Choice("n_rounds", (float(int(T)),)),
            Choice("everywhere", (float(everywhere),)),
        )
    )
    scaled = {"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}
    named = (
        {"curvature": 0, "optimum": 0, "share": 0} | ({"applied": 1} if rows else {}) | ({"sigma": 0} if noisy else {})
    )
    cost = max(1.0, min(4.0, T / 10, n * dim / 40)) if T <= 60 else T / 15
    words = f", {rows} rows of weights" if rows else ""
    name = f"{n} clients, dimension {dim}, K = {int(K)}, T = {int(T)}{words}"
    same = (*((units(scaled),) if sound else ()), permuted_clients(named))
    return Case(name, space, measure, ExactCheck(exact, (*RUN_USES, *uses)), cost=cost, symmetries=same)
