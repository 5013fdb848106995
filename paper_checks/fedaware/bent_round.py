"""One round from a fixed model, clients on the line whose curvature changes: over all outcomes of two-valued noise.

Client i's loss has the curvature `inner` within `edge` of its centre and `outer` beyond, of either sign, and a continuous
slope; every stochastic gradient errs by ±σ with equal chances, at every step or at the broadcast model only.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from paper_checks.fedaware.mechanisms import switched_on
from paper_checks.fedaware.notation import Checked
from validation import Case, Instance, LogScale, Signed, Simplex, Space, case, permuted_clients, units

__all__ = ["bent", "bent_exact", "bent_rounds"]


def bent(x: Instance, *, K: int, once: bool = False) -> Mapping[str, Any]:
    """The expectations of one round that (6), (7) and (8) speak of; `once`: noise at the broadcast model only."""
    inner, outer, edge, m, lam = (x[name] for name in ("inner", "outer", "edge", "optimum", "share"))
    n, N = inner.shape
    L = np.maximum(np.abs(inner), np.abs(outer)).max(axis=1)
    eta_l, eta_g = x["first"] / (L * K), x["server"]

    def off(at: Any) -> tuple[Any, Any, Any]:
        r = np.abs(at - m[..., None])
        return np.sign(at - m[..., None]), np.minimum(r, edge[..., None]), np.maximum(r - edge[..., None], 0.0)

    def slope(at: Any) -> Any:
        sign, near, far = off(at)
        return sign * (inner[..., None] * near + outer[..., None] * far)

    def loss(at: Any) -> Any:
        _, near, far = off(at)
        return inner[..., None] * near**2 / 2 + inner[..., None] * edge[..., None] * far + outer[..., None] * far**2 / 2

    signs = np.array(list(product((1.0, -1.0), repeat=K)))
    start = np.broadcast_to(x["start"][:, None, None], (n, N, len(signs)))
    here, most = start, np.abs(slope(start))
    for k in range(K):
        noise = x["sigma"][..., None] * signs[:, k] * (0.0 if once and k else 1.0)
        here = here - eta_l[:, None, None] * (slope(here) + noise)
        most = np.maximum(most, np.abs(slope(here)))
    g = start - here
    mean, own = g.mean(axis=2), (g**2).mean(axis=2)
    slopes = slope(start)[..., 0]
    full, G = (lam * slopes).sum(axis=1), (lam * mean).sum(axis=1)
    V = (lam**2 * np.maximum(own - mean**2, 0.0)).sum(axis=1)
    square = G**2 + V
    joint = [np.array(c) for c in product(range(len(signs)), repeat=N)]
    after = np.zeros(n)
    for outcome in joint:
        step = sum(lam[:, i] * g[:, i, outcome[i]] for i in range(N))
        at = (x["start"] - eta_g * step)[:, None, None]
        after = after + (lam * loss(at)[..., 0]).sum(axis=1) / len(joint)
    before = (lam * loss(start)[..., 0]).sum(axis=1)
    scale = eta_l * K
    size = (most.max(axis=(1, 2)) + x["sigma"].max(axis=1)) ** 2
    reach = (np.abs(x["start"]) + np.abs(m).max(axis=1) + edge.max(axis=1) + eta_g * scale * np.sqrt(size)) ** 2
    one = np.ones(n)
    return {
        "L": L,
        "K": K * one,
        "c": x["window"] / x["first"] ** 2,
        "gamma": own.max(axis=1) / np.where(square > 0, square, 1.0),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "step": scale * eta_g,
        "sigma2": (x["sigma"] ** 2).max(axis=1),
        "grad": full**2,
        "gap": (full - G / scale) ** 2 + V / scale**2,
        "square": square,
        "fall": before - after,
        "sizes": {"grad": size, "gap": size, "square": size * scale**2, "fall": L * reach},
        "admissible": square > 1e-9 * own.max(axis=1),
        "resolved": L * reach < 1e9 * scale * eta_g * size,
    }


def bent_exact(x: Mapping[str, Any], *, K: int, once: bool = False) -> Checked:
    """Every path of every client step by step, then every combination of them."""
    lam, start, clients = x["share"], x["start"], range(len(x["share"]))
    L = max(abs(y) for y in [*x["inner"], *x["outer"]])
    eta_l, eta_g = x["first"] / (L * K), x["server"]

    def slope(i: int, at: Any) -> Any:
        r = abs(at - x["optimum"][i])
        size = x["inner"][i] * min(r, x["edge"][i]) + x["outer"][i] * max(r - x["edge"][i], 0)
        return size if at > x["optimum"][i] else -size

    def loss(i: int, at: Any) -> Any:
        r = abs(at - x["optimum"][i])
        near, far = min(r, x["edge"][i]), max(r - x["edge"][i], 0)
        return (x["inner"][i] * near * near + x["outer"][i] * far * far) / 2 + x["inner"][i] * x["edge"][i] * far

    updates: list[list[Any]] = []
    for i in clients:
        ends = [start]
        for k in range(K):
            errors = (0, 0) if once and k else (x["sigma"][i], -x["sigma"][i])
            ends = [at - eta_l * (slope(i, at) + e) for at in ends for e in errors]
        updates.append([start - at for at in ends])
    chance = Fraction(1, 2**K)
    own = [chance * sum(g * g for g in row) for row in updates]
    full, square, gap, after = sum(lam[i] * slope(i, start) for i in clients), Fraction(0), Fraction(0), Fraction(0)
    moves = [Fraction(0)]
    for i in clients:
        moves = [total + lam[i] * g for total in moves for g in updates[i]]
    for G in moves:
        square += G * G / len(moves)
        gap += (full - G / (eta_l * K)) ** 2 / len(moves)
        after += sum(lam[i] * loss(i, start - eta_g * G) for i in clients) / len(moves)
    met = {
        "L-smooth clients, lambda on the simplex": L > 0 and sum(lam) == 1 and min(lam) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8) and x["window"] >= 1,
        "gamma is finite, below 10^9": square * 10**9 > max(own),
    }
    return met, {
        "L": L,
        "K": Fraction(K),
        "c": x["window"] / x["first"] ** 2,
        "gamma": max(own) / square if square > 0 else Fraction(0),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "step": K * eta_l * eta_g,
        "sigma2": max(x["sigma"]) ** 2,
        "grad": full * full,
        "gap": gap,
        "square": square,
        "fall": sum(lam[i] * loss(i, start) for i in clients) - after,
    }


def _bent_round(N: int, K: int, *, once: bool = False) -> Case:
    space = Space(
        (
            Signed("inner", 1e-2, 1e2, (N,)),
            Signed("outer", 1e-2, 1e2, (N,)),
            LogScale("edge", 1e-2, 1e2, (N,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (N,)),
            Simplex("share", N, interior=True),
            Signed("start", 1e-2, 1e2),
            LogScale("first", 1e-2, 0.125, at=(0.125,)),
            LogScale("server", 1e-2, 1e3, at=(1.0,)),
            LogScale("sigma", 1e-2, 1e2, (N,), at=(1.0,)),
            LogScale("window", 1.0, 10.0, at=(1.0,)),
        )
    )
    scaled = {"inner": (1, -2), "outer": (1, -2), "edge": (0, 1), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}
    same = (units(scaled), permuted_clients(dict.fromkeys(("inner", "outer", "edge", "optimum", "share", "sigma"), 0)))
    words = "noise at the broadcast model only" if once else "noise alike everywhere"
    name = f"{N} clients of changing curvature, K = {K}, {words}"
    how: dict[str, Any] = {"uses": (), "cost": 2.0, "symmetries": same, "mechanisms": switched_on(K)}
    return case(name, space, bent, bent_exact, **how, K=K, once=once)


def bent_rounds() -> tuple[Case, ...]:
    """One or two clients, up to four steps, under both kinds of noise."""
    return (_bent_round(1, 1), _bent_round(1, 4), _bent_round(2, 2), _bent_round(2, 2, once=True))
