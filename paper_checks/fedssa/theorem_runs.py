"""Whole runs of FedSSA for Theorem A.5: many clients, coordinates, steps and rounds, with exact second moments.

∇F_k = h_k·y + pull_k in every coordinate, y measured from the minimiser of F. In flat coordinates h = 0 and the pulls
cancel in F: clients differ there although A = 1. Noise is ±s_k: of every client by itself, or one coin a step for all
(`shared`). With `learned`, for clients of one curvature, the weights look at the first step: in each pair of neighbours
whose noises have opposite signs, some weight goes to the one that the noise sent upwards.
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
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
)

__all__ = ["theorem_runs"]


def _run(x: Instance) -> Mapping[str, Any]:
    """Mean or least E‖∇F‖² over the rounds, and the constants of Theorem A.5, W_D and Σw² at their largest."""
    small, p, n_clients = x["small"][0] > 0, x["share"], x["share"].shape[1]
    steps = int(x["local_steps"][0])
    flat = np.arange(x["common"].shape[1]) > 0
    flat = flat & (x["flat"] > 0)[:, None]
    h = x["common"][:, None] * (1 + (0.0 if small else 1.0) * x["spread"][:, None, None] * x["unit"])
    h = np.where(flat[:, None], 0.0, h)
    pull = x["pull"] - np.einsum("nk,nkj->nj", p, x["pull"])[:, None]
    if small:
        pull = np.where(flat[:, None], pull, 0.0)
    H = np.einsum("nk,nkj->nj", p, h)
    lean2 = np.where(flat[:, None], 0.0, h / np.where(flat, 1.0, H)[:, None]) ** 2
    A = lean2.max(axis=(1, 2)) * (1 + (0.0 if small else 1.0) * x["slack"])
    apart = np.where(pull == 0, 0.0, pull**2 * A[:, None, None] / np.where(pull == 0, 1.0, A[:, None, None] - lean2))
    B = apart.sum(axis=2).max(axis=1) + x["extra"]
    L = np.abs(h).max(axis=(1, 2))
    eta = x["step_fraction"] / (2 * steps * L)
    s = np.where(x["even"][:, None, None] > 0, x["noise"][:, :1], x["noise"]) * x["noisy"][:, None, None]
    keep = 1 - eta[:, None, None] * h
    powers = [keep**e for e in range(steps + 1)]
    path, own = eta[:, None, None] * sum(powers[:-1]), eta[:, None, None] ** 2 * sum(q**2 for q in powers[:-1])
    w = p + x["mix"][:, None] * (x["weights"] - p)
    jump, push = np.einsum("nk,nkj->nj", w, powers[-1]), -np.einsum("nk,nkj->nj", w, path * pull)
    if x["shared"][0]:
        fresh = eta[:, None] ** 2 * sum(np.einsum("nk,nkj->nj", w, q * s) ** 2 for q in powers[:-1])
    else:
        fresh = np.einsum("nk,nkj->nj", w**2, s**2 * own)
    gap2, power = ((p - w) ** 2).sum(axis=1), (w**2).sum(axis=1)
    for k in range(0, n_clients - 1, 2) if x["learned"][0] else ():
        u, v = w[:, k, None], w[:, k + 1, None]
        moved = x["lift"][:, None] * np.minimum(u, v)
        su, sv = (eta[:, None] * powers[-2][:, i] * s[:, i] for i in (k, k + 1))
        kick = moved * (su + sv) / 2
        push = push + kick
        # Variance of the first step in excess of that of fixed weights, then that of the later steps.
        fresh = fresh + kick**2 - moved**2 / 2 * (su**2 + sv**2)
        fresh = fresh + moved**2 / 2 * (own[:, k] * s[:, k] ** 2 + own[:, k + 1] * s[:, k + 1] ** 2)
        by, off = moved[:, 0], (p[:, k] - w[:, k]) - (p[:, k + 1] - w[:, k + 1])
        gap2 = gap2 + 2 * by * np.abs(off) + 2 * by**2
        power = power + 2 * by * np.abs(w[:, k] - w[:, k + 1]) + 2 * by**2
    stays = flat | (x["settled"] == 0)[:, None]
    mean = np.where(stays, x["start"], push / np.where(stays, 1.0, 1 - jump))
    square, squares = mean**2, []
    drop = 0.5 * (H * mean**2).sum(axis=1)
    for _ in range(int(x["n_rounds"][0])):
        squares.append((H**2 * square).sum(axis=1))
        mean, square = jump * mean + push, jump**2 * square + 2 * jump * push * mean + push**2 + fresh
    W_D = 2 * n_clients * gap2
    C = 2 * steps * (steps - 1) * (eta * L) ** 2
    D = 1 - C - 2 * A * C - (1.0 if small else A) * W_D * (1 - C)
    met = (flat | (1e-2 * L[:, None] < H)).all(axis=1) & (D > 1e-6)
    return {
        "lhs": np.mean(squares, axis=0) if x["average"][0] else np.min(squares, axis=0),
        "tau": x["local_steps"],
        "eta": eta,
        "T": x["n_rounds"],
        "L": L,
        "C": C,
        "A": A,
        "B": B,
        "W_D": W_D,
        "drop": drop,
        "noise": (s**2).sum(axis=2).max(axis=1),
        "square_weights": power,
        "admissible": met & np.isfinite(drop) & np.isfinite(B),
        "magnitude": squares[0] + (pull**2).sum(axis=2).max(axis=1),
    }


def theorem_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedSSA on diagonal quadratics, round by round: E y and E y^2 of every coordinate, pairs of coins walked one by one."""
    p, K, d, tau = x["share"], len(x["share"]), len(x["common"]), int(x["local_steps"])
    small, learned, shared = x["small"] > 0, x["learned"] > 0, x["shared"] > 0
    curved = [j for j in range(d) if j == 0 or x["flat"] == 0]
    h, pull = [[Fraction(0)] * d for _ in p], [[Fraction(0)] * d for _ in p]
    for j in range(d):
        centre = sum(p[k] * x["pull"][k][j] for k in range(K))
        for k in range(K):
            if j in curved:
                h[k][j] = x["common"][j] * (1 if small else 1 + x["spread"] * x["unit"][k][j])
            if j not in curved or not small:
                pull[k][j] = x["pull"][k][j] - centre
    H = [sum(p[k] * h[k][j] for k in range(K)) for j in range(d)]
    lean = [[h[k][j] / H[j] if j in curved else Fraction(0) for j in range(d)] for k in range(K)]
    A = max(v * v for row in lean for v in row)
    A = A if small else A * (1 + x["slack"])
    B, met4 = Fraction(0), True
    for k in range(K):  # sup of (pull + lean g)^2 - A g^2 over g, coordinate by coordinate
        needed = Fraction(0)
        for j in range(d):
            met4 = met4 and (lean[k][j] ** 2 < A or (pull[k][j] == 0 and lean[k][j] ** 2 == A))
            if pull[k][j] != 0:
                needed += pull[k][j] ** 2 / (1 - lean[k][j] ** 2 / A)
        B = max(B, needed)
    B += x["extra"]
    L = max(abs(v) for row in h for v in row)
    eta = x["step_fraction"] / (2 * tau * L)
    s = [[v * x["noisy"] for v in (x["noise"][0] if x["even"] > 0 else row)] for row in x["noise"]]
    w = [a + x["mix"] * (b - a) for a, b in zip(p, x["weights"], strict=True)]
    pairs = [(k, k + 1) for k in range(0, K - 1, 2)] if learned else []
    single = [k for k in range(K) if not any(k in pair for pair in pairs)]
    # The weights of every pair in its four outcomes, signs (up is 1) and weights.
    laws: list[list[tuple[Any, Any]]] = []
    for i, j in pairs:
        m = x["lift"] * min(w[i], w[j])
        laws.append([((a, b), (w[i] + (a - b) * m / 2, w[j] - (a - b) * m / 2)) for a in (1, -1) for b in (1, -1)])
    total = [Fraction(0)] * int(x["n_rounds"])
    drop = Fraction(0)
    for j in curved:
        jump, push, spread = Fraction(0), Fraction(0), Fraction(0)
        noise = [[eta * (1 - eta * h[k][j]) ** (tau - 1 - e) * s[k][j] for e in range(tau)] for k in range(K)]
        for k in range(K):
            slope, offset = Fraction(1), Fraction(0)
            for _ in range(tau):
                slope, offset = slope * (1 - eta * h[k][j]), offset - eta * (h[k][j] * offset + pull[k][j])
            jump, push = jump + w[k] * slope, push + w[k] * offset
        if shared:
            spread = sum(sum(w[k] * noise[k][e] for k in range(K)) ** 2 for e in range(tau))
        else:
            spread = sum((w[k] ** 2 * v * v for k in single for v in noise[k]), Fraction(0))
        for pair, law in zip(pairs, laws, strict=True):
            kicks = [sum(a * v * noise[k][0] for a, v, k in zip(up, at, pair, strict=True)) for up, at in law]
            later = [sum(v * v * q * q for v, k in zip(at, pair, strict=True) for q in noise[k][1:]) for _, at in law]
            push += sum(kicks) / 4
            spread += sum(q * q for q in kicks) / 4 - (sum(kicks) / 4) ** 2 + sum(later, Fraction(0)) / 4
        y = push / (1 - jump) if x["settled"] > 0 else x["start"][j]
        drop += H[j] * y * y / 2
        yy = y * y
        for t in range(len(total)):
            total[t] += H[j] ** 2 * yy
            yy = jump**2 * yy + 2 * jump * push * y + push**2 + spread
            y = jump * y + push
    C = 2 * tau * (tau - 1) * eta**2 * L**2
    gap2 = sum(((p[k] - w[k]) ** 2 for k in single), Fraction(0))
    power = sum((w[k] ** 2 for k in single), Fraction(0))
    for (i, j), law in zip(pairs, laws, strict=True):
        gap2 += max((p[i] - at[0]) ** 2 + (p[j] - at[1]) ** 2 for _, at in law)
        power += max(at[0] ** 2 + at[1] ** 2 for _, at in law)
    W_D = 2 * K * gap2
    sigma2 = max(sum(v * v for v in row) for row in s)
    hypotheses = {
        "A.2: F bounded below": all(H[j] > 0 for j in curved),
        "A.4 for every k, everywhere": met4,
        "A, B > 0, and A <= 1 where asked": min(A, B) > 0 and (A <= 1 or not small),
        "eta L <= 1/(2 tau)": eta > 0 and 2 * tau * eta * L <= 1,
        "p and w on the simplex": all(sum(v) == 1 and min(v) >= 0 for v in (p, w)),
        "learned weights stay on it": 0 <= x["lift"] <= 1 and (small or not learned),
        "denominator positive": 1 - C - 2 * A * C - (1 if small else A) * W_D * (1 - C) > 0,
    }
    return hypotheses, {
        "lhs": sum(total) / len(total) if x["average"] > 0 else min(total),
        "tau": Fraction(tau),
        "eta": eta,
        "T": Fraction(len(total)),
        "L": L,
        "C": C,
        "A": A,
        "B": B,
        "W_D": W_D,
        "drop": drop,
        "noise": sigma2,
        "square_weights": power,
    }


def _case(K: int, d: int, tau: int, T: int, flags: Mapping[str, bool]) -> Case:
    space = Space(
        (
            LogScale("common", 1e-2, 1e1, (d,), at=(1.0,)),
            Uniform("unit", -1.0, 1.0, (K, d), at=(-1.0, 0.0, 1.0)),
            LogScale("spread", 1e-2, 3.0),
            Signed("pull", 1e-2, 1e1, (K, d)),
            Choice("flat", (0.0, 1.0)),
            Simplex("share", K),
            Simplex("weights", K),
            Choice("mix", (0.0, 0.02, 0.1, 0.3, 1.0)),
            Signed("start", 1e-2, 1e2, (d,)),
            Choice("settled", (0.0, 1.0)),
            LogScale("step_fraction", 1e-4, 1.0, at=(1.0,)),
            LogScale("slack", 1e-3, 1e2),
            LogScale("extra", 1e-6, 1.0),
            LogScale("noise", 1e-2, 1e2, (K, d), at=(1.0, 1e2)),
            Uniform("lift", 0.0, 1.0, at=(0.3,)),
            Choice("noisy", (0.0, 1.0)),
            Choice("even", (0.0, 1.0)),
            Choice("local_steps", (float(tau),)),
            Choice("n_rounds", (float(T),)),
            *(Choice(name, (float(on),)) for name, on in flags.items()),
        )
    )
    cost = min(8.0, max(1.0, (K * tau * d + T * d) / 150))
    return Case(f"{K} clients, d = {d}, τ = {tau}, T = {T}", space, _run, ExactCheck(theorem_exact), cost=cost)


def theorem_runs(
    *, small: bool = False, shared: bool = False, learned: bool = False, average: bool = True
) -> tuple[Family, ...]:
    """Runs with D > 0; `small`: A = 1 and the printed D, else the D with A·W_D; `average`: the mean on the left."""
    flags = {"small": small, "shared": shared, "learned": learned, "average": average}

    def at(K: float, d: float, tau: float, T: float) -> Case:
        return _case(int(K), int(d), int(tau), int(T), flags)

    least, wide = 2 if shared or learned else 1, Size("d", 1, 3, 2 if small and not learned else 1)
    rounds = Size("T", 1, 200, 200 if learned else 20)
    sizes = (
        Size("K", least, 50, 20 if shared or learned else 2),
        wide,
        Size("tau", 1, 20, 1 if learned else 2),
        rounds,
    )
    return (Family("whole runs", sizes, at),)
