"""FedAWARE's own runs on the line, no noise: with everybody present, and over every pattern of participation."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from paper_checks.fedaware.mechanisms import switched_on
from paper_checks.fedaware.notation import NOTATION, Checked
from paper_checks.fedaware.rounds import smallest_norm
from paper_checks.fedaware.runs import smallest_square
from theory.quantities import chi_square
from validation import Case, Family, Instance, LogScale, Signed, Simplex, Size, Space, Uniform, permuted_clients, units
from validation.world.world import World, case

__all__ = ["attending", "aware_run", "aware_runs"]


def alone(x: Instance, *, K: int, T: int) -> Mapping[str, Any]:
    """All constants of (13), and the mean of χ²ρ, while the weights of smallest norm sit on one client alone.

    m⁰ = g⁰, moving averages with coefficient `alpha`, or 1. A run counts while all updates, and all averages, have one sign
    and one average alone is the shortest: no other weights serve, and A.1 has a finite γ.
    """
    h, best, lam = x["curvature"], x["optimum"], x["share"]
    n, N = h.shape
    alpha = x["alpha"][:, None] if "alpha" in x else np.ones((n, 1))
    L, eta_g = h.max(axis=1), x["server"]
    eta_l = x["first"] / (L * K)
    part = -np.expm1(K * np.log1p(-eta_l[:, None] * h))
    H = (lam * h).sum(axis=1)
    at, moved, m = x["start"], np.zeros(n), np.zeros((n, N))
    grads, rhos, chis, both, top = (np.zeros(n) for _ in range(5))
    gamma, met, clear = np.ones(n), np.ones(n, dtype=bool), np.ones(n, dtype=bool)
    for t in range(T):
        lost = ~(np.abs(at) < 1e150)  # of which floats know no more
        g = part * (at[:, None] - best)
        m = (1 - alpha) * m + alpha * g if t else g
        size = np.sort(np.abs(m), axis=1)
        one_sign = (np.ptp(np.sign(m), axis=1) == 0) & (np.ptp(np.sign(g), axis=1) == 0)
        next_to = size[:, min(1, N - 1)]
        met &= lost | (one_sign & ((N == 1) | (size[:, 0] < next_to)))
        clear &= (N == 1) | (size[:, 0] * (1 + 1e-9) < next_to)
        w = (np.arange(N) == np.argmin(np.abs(m), axis=1)[:, None]).astype(float)
        squares = g**2
        least = squares.min(axis=1)
        met &= lost | ((least > 0) & (size[:, 0] > 0))
        clear &= ~lost & (least > 1e-20 * squares.max(axis=1))
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
        "mean_square": grads / T,
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
        "sizes": {"mean_square": top + path / (K * eta_l * eta_g * T), "chi_rho": chis * rhos / T**2},
        "admissible": met,
        "resolved": clear,
    }


def alone_exact(x: Mapping[str, Any], *, K: int, T: int) -> Checked:
    """FedAWARE round by round with K local steps, m^0 = g^0, weights of smallest norm over the averages of all clients."""
    h, best, lam, alpha, clients = x["curvature"], x["optimum"], x["share"], x.get("alpha", 1), range(len(x["share"]))
    L = max(h)
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
        "mean_square": sum(grads) / T,
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


def aware_run(N: float, K: float, T: float, *, averaged: bool = False, least: float = 1e-3) -> Case:
    """N clients of curvatures at least `least`, everybody present; `averaged`: any α up to 1."""
    n = int(N)
    space = Space(
        (
            LogScale("curvature", least, 1e3, (n,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (n,)),
            Simplex("share", n, interior=True),
            Signed("start", 1e-2, 1e4),
            LogScale("first", 1e-3, 0.125, at=(0.125,)),
            LogScale("server", 1e-2, 1e2, at=(1.0,)),
            *((LogScale("alpha", 1e-2, 1.0, at=(0.5, 1.0)),) if averaged else ()),
        )
    )
    scaled = units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)})
    same = (*((scaled,) if least < 1 else ()), permuted_clients({"curvature": 0, "optimum": 0, "share": 0}))
    name = f"FedAWARE, {n} clients, K = {int(K)}, T = {int(T)}{'' if averaged else ', α = 1'}"
    cost = max(1.0, min(4.0, T / 20, n / 40))
    how: dict[str, Any] = {"cost": cost, "symmetries": same, "mechanisms": switched_on(K)}
    return case(name, space, alone, alone_exact, **how, K=int(K), T=int(T))


def aware_runs(least: float) -> Family:
    """FedAWARE with α = 1 on 1 to 100 clients of curvatures at least `least`, and up to 100 rounds."""

    def at(N: float, K: float, T: float) -> Case:
        return aware_run(N, K, T, least=least)

    sizes = (Size("N", 1, 100, 3), Size("K", 1, 100, 2), Size("T", 1, 100, 5, ladder=True))
    return Family(f"FedAWARE's own runs, L >= {least:g}", sizes, at)


def _weights(m: Any) -> Any:
    """Weights of smallest norm for numbers (…, N)."""
    index = np.arange(m.shape[-1])
    low, high = m.min(axis=-1, keepdims=True), m.max(axis=-1, keepdims=True)
    share = np.where(low >= 0, 1.0, np.where(high <= 0, 0.0, high / np.where(high > low, high - low, 1.0)))
    first = (index == np.argmin(m, axis=-1)[..., None]).astype(float)
    return share * first + (1 - share) * (index == np.argmax(m, axis=-1)[..., None])


def patterns(x: Instance, *, K: int, T: int, always: bool, own: bool = False) -> Mapping[str, Any]:
    """All constants of (16) over every pattern of participation; E‖G̃‖² stands for ρ, which it is not below.

    m⁰ = g⁰, as A.4 assumes; everybody is there in the first round, and `always` or with probability `p` later. `own`:
    α = 0.5 and p = 0.1 of the experiments.
    """
    h, m_best, lam = x["curvature"], x["optimum"], x["share"]
    n, N = h.shape
    bits = np.array([[1.0] * (T * N)] if always else list(product((0.0, 1.0), repeat=T * N))).reshape(-1, T, N)
    if not always:
        bits = bits[bits[:, 0].all(axis=1)]  # in the first round m = g for everybody
    p = np.ones(n) if always else np.full(n, 0.1) if own else x["p"]
    mixed = np.full(n, 0.5) if own else x["alpha"]
    ups = bits[:, 1:].sum(axis=(1, 2))
    chance = p[:, None] ** ups * (1 - p[:, None]) ** ((T - 1) * N - ups)
    alpha = mixed[:, None, None]
    L = h.max(axis=1)
    eta_l, eta_g = x["first"] / (L * K), x["server"]
    part = -np.expm1(K * np.log1p(-eta_l[:, None] * h))
    H, pull = (lam * h).sum(axis=1), (lam * h * m_best).sum(axis=1)
    at = x["start"][:, None] * np.ones((1, len(bits)))
    m = np.zeros((n, len(bits), N))

    def mean(values: Any) -> Any:
        return (chance * values).sum(axis=1)

    grads, squares, chis = np.zeros(n), np.zeros(n), np.zeros(n)
    gamma, least = np.zeros(n), np.full(n, np.inf)
    for t in range(T):
        g = part[:, None] * (at[..., None] - m_best[:, None])
        m = np.where(bits[None, :, t] > 0, (1 - alpha) * m + alpha * g, m) if t else g
        w = _weights(m)
        slope = H[:, None] * at - pull[:, None]
        G = (w * g).sum(axis=2)
        own_squares = (chance[..., None] * g**2).sum(axis=1)
        lowest = mean(G**2)
        if N == 2:
            cross = mean(g[..., 0] * g[..., 1])
            one, two = own_squares[:, 0], own_squares[:, 1]
            apart = one + two - 2 * cross
            b = np.clip((two - cross) / np.where(apart > 0, apart, 1.0), 0.0, 1.0)
            lowest = np.minimum(lowest, b**2 * one + 2 * b * (1 - b) * cross + (1 - b) ** 2 * two)
        largest = own_squares.max(axis=1)
        gamma = np.fmax(gamma, largest / np.where(lowest > 0, lowest, 1.0))
        least = np.minimum(least, lowest / np.where(largest > 0, largest, 1.0))
        grads += mean(slope**2)
        squares += mean(G**2)
        chis += mean((((lam[:, None] - w) ** 2) / lam[:, None]).sum(axis=2))
        at = at - eta_g[:, None] * (w * m).sum(axis=2)
    moved = x["start"][:, None] - at
    ones = np.ones(n)
    return {
        "mean_square": grads / T,
        "F": mean(moved * (H[:, None] * (x["start"][:, None] + at) / 2 - pull[:, None])),
        "T": T * ones,
        "K": K * ones,
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": gamma,
        "sigma2": 0 * ones,
        "rho": squares / T,
        "chi": chis / T,
        "beta": (1 - mixed * p) ** 2,
        "magnitude": grads + mean(np.abs(moved * pull[:, None])) / (K * eta_l * eta_g * T),
        "admissible": ~(least <= 1e-9),  # nor where it left the floats
    }


def patterns_exact(x: Mapping[str, Any], *, K: int, T: int, always: bool, own: bool = False) -> Checked:
    """FedAWARE with m^0 = g^0, pattern by pattern of participation."""
    h, best, lam, clients, N = x["curvature"], x["optimum"], x["share"], range(len(x["share"])), len(x["share"])
    alpha = Fraction(1, 2) if own else x["alpha"]
    p = Fraction(1) if always else Fraction(1, 10) if own else x["p"]
    L = max(h)
    eta_l, eta_g = x["first"] / (L * K), x["server"]
    part = [1 - (1 - eta_l * y) ** K for y in h]

    def f(at: Any) -> Any:
        return sum(lam[i] * h[i] * (at - best[i]) ** 2 / 2 for i in clients)

    grads, squares, chis, total, F = [Fraction(0)] * T, [Fraction(0)] * T, Fraction(0), Fraction(0), Fraction(0)
    grams = [[[Fraction(0)] * N for _ in clients] for _ in range(T)]
    for number in range(1 if always else 2 ** ((T - 1) * N)):
        bits, chance, at, m, kept = number, Fraction(1), x["start"], [Fraction(0)] * N, []
        for t in range(T):
            g = [part[i] * (at - best[i]) for i in clients]
            for i in clients:
                there = True
                if t and not always:
                    there, bits = bits % 2 == 1, bits // 2
                    chance *= p if there else 1 - p
                m[i] = g[i] if t == 0 else (1 - alpha) * m[i] + alpha * g[i] if there else m[i]
            w = smallest_norm(m)
            kept.append((at, g, w))
            at = at - eta_g * sum(w[i] * m[i] for i in clients)
        total += chance
        F += chance * (f(x["start"]) - f(at))
        for t, (model, g, w) in enumerate(kept):
            grads[t] += chance * sum(lam[i] * h[i] * (model - best[i]) for i in clients) ** 2
            squares[t] += chance * sum(w[i] * g[i] for i in clients) ** 2
            chis += chance * sum((lam[i] - w[i]) ** 2 / lam[i] for i in clients)
            for i in clients:
                for j in clients:
                    grams[t][i][j] += chance * g[i] * g[j]
    gammas = []
    for t in range(T):
        lowest = squares[t]
        if N == 2:
            lowest = min(lowest, smallest_square(grams[t][0][0], grams[t][0][1], grams[t][1][1]))
        gammas.append(max(grams[t][i][i] for i in clients) / lowest if lowest > 0 else Fraction(10**10))
    met = {
        "convex, L-smooth clients, lambda on the simplex": min(h) > 0 and sum(lam) == 1 and min(lam) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8),
        "0 < alpha <= 1, 0 < p <= 1, probabilities sum to 1": 0 < alpha <= 1 and 0 < p <= 1 and total == 1,
        "gamma is finite, below 10^9": max(gammas) < 10**9,
    }
    return met, {
        "mean_square": sum(grads) / T,
        "F": F,
        "T": Fraction(T),
        "K": Fraction(K),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": max(gammas),
        "sigma2": Fraction(0),
        "rho": sum(squares) / T,
        "chi": chis / T,
        "beta": (1 - alpha * p) ** 2,
    }


def attending(*sizes: tuple[int, int, int], always: bool, own: bool = False, small: bool = False) -> World:
    """(clients, local steps, rounds); `own`: see `patterns`; `small`: β <= 1/100 and L >= 2, whatever is drawn."""

    def of(N: int, K: int, T: int) -> Case:
        space = Space(
            (
                LogScale("curvature", 2.0 if small else 1e-3, 1e3, (N,)),
                Signed("optimum", 1e-2, 1e2, (N,)),
                Simplex("share", N, interior=True),
                Signed("start", 1e-2, 1e2),
                LogScale("first", 1e-2, 0.125, at=(0.125,)),
                LogScale("server", 1e-2, 1e2, at=(1.0,)),
                *(() if own else (LogScale("alpha", 0.95 if small else 1e-3, 1.0, at=(1.0,)),)),
                *(() if own or always else (Uniform("p", 0.95 if small else 0.01, 1.0, at=(1.0,)),)),
            )
        )
        words = "everybody always" if always else "with probability p"
        return case(
            f"{N} clients, K = {K}, T = {T}, taking part {words}",
            space,
            patterns,
            patterns_exact,
            uses=(smallest_norm, smallest_square),
            cost=4.0 if T * N > 6 else 1.0,
            mechanisms=switched_on(K, absent=not always),
            K=K,
            T=T,
            always=always,
            own=own,
        )

    return World(NOTATION, tuple(of(*size) for size in sizes))
