"""FedAWARE's own runs on the line, everybody present, no noise: χ² and ρ of its weights of smallest norm, round by round.

m⁰ = g⁰, moving averages with coefficient α. A run counts while all updates, and all averages, have one sign and one
average alone is the shortest: all weight is then on that client, no other weights serve, and A.1 has a finite γ.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from theory.quantities import chi_square
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

__all__ = ["aware_case", "aware_family"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]


def aware_run(x: Instance) -> Mapping[str, Any]:
    """All constants of (13), and the mean of χ²ρ, along FedAWARE."""
    h, best, lam, alpha = x["curvature"], x["optimum"], x["share"], x["alpha"][:, None]
    n, N = h.shape
    K, T = int(x["local_steps"][0]), int(x["n_rounds"][0])
    L, eta_g = h.max(axis=1), x["server"]
    eta_l = x["first"] / (L * K)
    part = -np.expm1(K * np.log1p(-eta_l[:, None] * h))
    H = (lam * h).sum(axis=1)
    at, moved, m = x["start"], np.zeros(n), np.zeros((n, N))
    grads, rhos, chis, both, top = (np.zeros(n) for _ in range(5))
    gamma, fine = np.ones(n), np.ones(n, dtype=bool)
    for t in range(T):
        g = part * (at[:, None] - best)
        m = (1 - alpha) * m + alpha * g if t else g
        size = np.sort(np.abs(m), axis=1)
        one_sign = (np.ptp(np.sign(m), axis=1) == 0) & (np.ptp(np.sign(g), axis=1) == 0)
        fine &= one_sign & ((N == 1) | (size[:, 0] * (1 + 1e-9) < size[:, min(1, N - 1)]))
        w = (np.arange(N) == np.argmin(np.abs(m), axis=1)[:, None]).astype(float)
        squares = g**2
        least = squares.min(axis=1)
        fine &= least > 1e-9 * squares.max(axis=1)
        gamma = np.maximum(gamma, squares.max(axis=1) / np.where(least > 0, least, 1.0))
        slopes = lam * h * (at[:, None] - best)
        chi, rho = chi_square(w, lam), (w * squares).sum(axis=1)
        grads, rhos, chis, both = grads + slopes.sum(axis=1) ** 2, rhos + rho, chis + chi, both + chi * rho
        reach = np.abs(slopes).sum(axis=1)
        top = np.maximum(top, reach * (reach + H * (np.abs(at) + np.abs(best).max(axis=1))))
        step = eta_g * (w * m).sum(axis=1)
        at, moved = at - step, moved + step
    downhill = (lam * h * (x["start"][:, None] - best)).sum(axis=1)
    path = np.abs(moved) * (np.abs(downhill) + np.abs(H * moved))
    one = np.ones(n)
    return {
        "lhs": grads / T,
        "F": moved * (downhill - H * moved / 2),
        "T": T * one,
        "K": K * one,
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": gamma,
        "sigma2": 0 * one,
        "rho": rhos / T,
        "chi": chis / T,
        "chi_rho": both / T,
        "magnitude": top + path / (K * eta_l * eta_g * T),
        "admissible": fine & (np.abs(at) < 1e30),
    }


def aware_run_exact(x: Mapping[str, Any]) -> Exact:
    """FedAWARE round by round with K local steps, m^0 = g^0, weights of smallest norm over the averages of all clients."""
    h, best, lam, alpha, clients = x["curvature"], x["optimum"], x["share"], x["alpha"], range(len(x["share"]))
    K, T, L = int(x["local_steps"]), int(x["n_rounds"]), max(x["curvature"])
    eta_l, eta_g = x["first"] / (L * K), x["server"]

    def update(i: int, model: Any) -> Any:
        here = model
        for _ in range(K):
            here = here - eta_l * h[i] * (here - best[i])
        return model - here

    def f(model: Any) -> Any:
        return sum(lam[i] * h[i] * (model - best[i]) ** 2 / 2 for i in clients)

    m: list[Any] = []
    at, grads, rhos, chis, gammas, alone = x["start"], [], [], [], [], True
    for _ in range(T):
        g = [update(i, at) for i in clients]
        m = [(1 - alpha) * a + alpha * b for a, b in zip(m, g, strict=True)] if m else g
        alone = alone and all(min(v) > 0 or max(v) < 0 for v in (g, m))
        shortest = min(clients, key=lambda i: abs(m[i]))
        alone = alone and all(i == shortest or abs(m[i]) > abs(m[shortest]) for i in clients)
        grads.append(sum(lam[i] * h[i] * (at - best[i]) for i in clients) ** 2)
        rhos.append(g[shortest] ** 2)
        chis.append(sum((lam[i] - int(i == shortest)) ** 2 / lam[i] for i in clients))
        gammas.append(max(v * v for v in g) / min(v * v for v in g) if min(map(abs, g)) > 0 else Fraction(0))
        at = at - eta_g * m[shortest]
    met = {
        "convex, L-smooth clients, lambda on the simplex": min(h) > 0 and sum(lam) == 1 and min(lam) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8),
        "0 < alpha <= 1": 0 < alpha <= 1,
        "one sign and one shortest average in every round, so gamma is finite": alone,
    }
    return met, {
        "lhs": sum(grads) / T,
        "F": f(x["start"]) - f(at),
        "T": Fraction(T),
        "K": Fraction(K),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": max(gammas),
        "sigma2": Fraction(0),
        "rho": sum(rhos) / T,
        "chi": sum(chis) / T,
        "chi_rho": sum(a * b for a, b in zip(chis, rhos, strict=True)) / T,
    }


def _products(x: Instance) -> Mapping[str, Any]:
    found = aware_run(x)
    return {**found, "lhs": found["chi_rho"], "magnitude": found["chi"] * found["rho"]}


def aware_products_exact(x: Mapping[str, Any]) -> Exact:
    """Mean over FedAWARE's rounds of chi^2 rho on the left."""
    met, found = aware_run_exact(x)
    return met, {**found, "lhs": found["chi_rho"]}


def aware_case(N: float, K: float, T: float, *, averaged: bool, products: bool, least: float = 1e-3) -> Case:
    """N clients whose curvatures are at least `least`; `averaged`: α up to 1, else 1; `products`: χ²ρ on the left."""
    n = int(N)
    space = Space(
        (
            LogScale("curvature", least, 1e3, (n,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (n,)),
            Simplex("share", n, interior=True),
            Signed("start", 1e-2, 1e4),
            LogScale("first", 1e-3, 0.125, at=(0.125,)),
            LogScale("server", 1e-2, 1e2, at=(1.0,)),
            LogScale("alpha", 1e-2, 1.0, at=(0.5, 1.0)) if averaged else Choice("alpha", (1.0,)),
            Choice("local_steps", (float(int(K)),)),
            Choice("n_rounds", (float(int(T)),)),
        )
    )
    scaled = units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)})
    same = (*((scaled,) if least < 1 else ()), permuted_clients({"curvature": 0, "optimum": 0, "share": 0}))
    measure, exact, uses = (
        (_products, aware_products_exact, (aware_run_exact,)) if products else (aware_run, aware_run_exact, ())
    )
    name = f"FedAWARE, {n} clients, K = {int(K)}, T = {int(T)}{'' if averaged else ', α = 1'}"
    return Case(name, space, measure, ExactCheck(exact, uses), cost=max(1.0, min(4.0, T / 20, n / 40)), symmetries=same)


def aware_family(least: float) -> Family:
    """FedAWARE with α = 1 on 1 to 100 clients of curvatures at least `least`, and up to 100 rounds."""

    def at(N: float, K: float, T: float) -> Case:
        return aware_case(N, K, T, averaged=False, products=False, least=least)

    sizes = (Size("N", 1, 100, 3), Size("K", 1, 100, 2), Size("T", 1, 100, 5, ladder=True))
    return Family(f"FedAWARE's own runs, L >= {least:g}", sizes, at)
