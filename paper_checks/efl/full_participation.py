"""Theorem 1 where all clients take part with p = pᵏ and one full-gradient step a round: EFL's compression, and its objective (2).

So r = 0, σ = 0 and Σp = 1. Quadratic clients, the run followed exactly. *Compressed* in d coordinates: ST keeps the
largest one (k = 1); of equal ones the first, so that the ties of EFL-ALG2 play no part. `told`: clients add ST(Δωᴳ), as in
the box, else Δωᴳ, as in Sec. 3.1; `sends`: the server averages ST(Δωᵏ), as the box returns it, else Δωᵏ, as printed.
*Anchored* on the line: the elastic term's anchors move with the models, and so does the objective. `ends`: the anchors ωᵢ
of a round are the clients' models after the last round's step, else the models that they began it with. `risks`: ω* and Dₖ
of the risks f alone, else of the objective F of the current round, elastic term included.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Case,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    units,
)
from validation.world.world import case

__all__ = ["anchored_runs", "compressed_runs"]


def constants_of(x: Any, mu: Any, L: Any) -> dict[str, Any]:
    """gamma and theta, mu and L of (7)."""
    theta = 1 + x["slack"]
    return {"gamma": (1 + x["later"]) * 32 * (1 + theta) * L / mu, "theta": theta, "mu": mu, "L": L}


def whole_rounds(c: Any, T: Any) -> dict[str, Any]:
    """The constants of (7) for p = p^k, E = 1, full gradients: E[p s] = p^k, so r = 0; sum p = 1 < 2, the positive part is 0."""
    zero, one = 0 * c["mu"], 0 * c["mu"] + 1
    rounds = dict.fromkeys(("time", "pull", "plus_59"), T * one)
    return {**c, **rounds, "E": one, "noise": zero, "H": zero, "J": zero}


def admitted(x: Any, c: Any) -> dict[str, bool]:
    """What the theorem asks of the clients and of the first and largest step."""
    eta, L, theta = 16 / (c["mu"] * (1 + c["gamma"])), c["L"], c["theta"]
    return {
        "A1, A2: 0 < mu <= curvatures of F~_k <= L": c["mu"] > 0,
        "p^k on the simplex, all positive": sum(x["share"]) == 1 and min(x["share"]) > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta), gamma >= E": eta <= 1 / (2 * (1 + theta) * L)
        and eta <= 4 / (c["mu"] * theta)
        and c["gamma"] >= 1,
    }


_USES = (constants_of, whole_rounds, admitted)


def _largest(t: Any) -> Any:
    where = np.argmax(np.abs(t), axis=-1)[..., None]
    return np.where(np.arange(t.shape[-1]) == where, t, 0.0)


def compressed(x: Instance, *, T: int, told: bool, sends: bool) -> Mapping[str, Any]:
    """Every constant of (7), T rounds on; models as offsets from ω*."""
    h, share = x["curvature"], x["share"][..., None]
    best = (share * h * x["optimum"]).sum(axis=1) / (share * h).sum(axis=1)
    off, start = x["optimum"] - best[:, None], x["aside"][:, None] * x["start"]
    c = constants_of(x, h.min(axis=(1, 2)), h.max(axis=(1, 2)))
    server, base = start, np.repeat(start[:, None], h.shape[1], axis=1)
    up, down, g2 = np.zeros_like(h), np.zeros_like(start), np.zeros(len(h))
    for tau in range(T):
        g = h * (base - off)
        g2 = np.maximum(g2, (g**2).sum(axis=2).max(axis=1))
        change = up - (16 / (c["mu"] * (tau + 1 + c["gamma"])))[:, None, None] * g
        packed = _largest(change)
        up = change - packed
        total = down + (share * (packed if sends else change)).sum(axis=1)
        heard = _largest(total)
        down = total - heard
        server = server + total
        base = base + (heard if told else total)[:, None]
    c |= {"Delta": (server**2).sum(axis=1), "Delta0": (start**2).sum(axis=1), "G2": g2}
    c |= {"skew": T * 0.5 * (share * h * off**2).sum(axis=(1, 2))}
    return {**whole_rounds(c, T), "magnitude": c["Delta0"] + (off**2).max(axis=(1, 2))}


def largest_exact(t: list[Any]) -> list[Any]:
    """ST of Algorithm 2 for k = 1: the largest entry, of equal ones the first."""
    where = max(range(len(t)), key=lambda i: abs(t[i]))
    return [v if i == where else Fraction(0) for i, v in enumerate(t)]


def compressed_exact(
    x: Mapping[str, Any], *, T: int, told: bool, sends: bool
) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Algorithm 1 with ST both ways; models as offsets from w*, start = aside * start.

    `told`: clients add ST of the server's change, else the change; `sends`: the server averages ST of the clients'
    changes, else the changes.
    """
    h, m, p = x["curvature"], x["optimum"], x["share"]
    clients, dims = range(len(p)), range(len(x["start"]))
    c = constants_of(x, min(min(row) for row in h), max(max(row) for row in h))
    best = [sum(p[k] * h[k][i] * m[k][i] for k in clients) / sum(p[k] * h[k][i] for k in clients) for i in dims]
    off = [[m[k][i] - best[i] for i in dims] for k in clients]
    start = [x["aside"] * v for v in x["start"]]
    server, base = list(start), list(start)  # everyone takes part: all clients begin at one model
    up, down, G2 = [[Fraction(0) for _ in dims] for _ in clients], [Fraction(0) for _ in dims], Fraction(0)
    for tau in range(T):
        eta, total = 16 / (c["mu"] * (tau + 1 + c["gamma"])), list(down)
        for k in clients:
            g = [h[k][i] * (base[i] - off[k][i]) for i in dims]
            G2 = max(G2, sum(v * v for v in g))
            change = [up[k][i] - eta * g[i] for i in dims]
            packed = largest_exact(change)
            up[k] = [a - b for a, b in zip(change, packed, strict=True)]
            total = [total[i] + p[k] * (packed if sends else change)[i] for i in dims]
        heard = largest_exact(total)
        down = [a - b for a, b in zip(total, heard, strict=True)]
        server = [a + b for a, b in zip(server, total, strict=True)]
        base = [a + b for a, b in zip(base, heard if told else total, strict=True)]
    D = sum(p[k] * h[k][i] * off[k][i] ** 2 for k in clients for i in dims) / 2
    c = {**c, "Delta": sum(v * v for v in server), "Delta0": sum(v * v for v in start), "G2": G2, "skew": T * D}
    return admitted(x, c), whole_rounds(c, T)


def compressed_runs(*, told: bool, sends: bool, usual: int) -> Family:
    """Runs over their sizes: N clients, d coordinates, T rounds (`usual` while another size is large)."""

    def at(N: float, d: float, T: float) -> Case:
        n, dim, n_rounds = int(N), int(d), int(T)
        space = Space(
            (
                LogScale("curvature", 1e-1, 1e1, (n, dim), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (n, dim)),
                Simplex("share", n, interior=True),
                Signed("start", 1e-2, 1e2, (dim,)),
                LogScale("aside", 1e-3, 1.0, at=(1e-3, 1.0)),
                LogScale("slack", 1e-3, 1e1, at=(1e-3, 1.0)),
                LogScale("later", 1e-6, 1e1, at=(1e-6,)),
            )
        )
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),
            permuted_clients({"curvature": 0, "optimum": 0, "share": 0}),
        )
        name, cost = (
            f"{n} clients, d = {dim}, {n_rounds} compressed rounds of E = 1",
            max(1.0, n * dim * n_rounds / 400),
        )
        how: dict[str, Any] = {"uses": (largest_exact, *_USES), "cost": cost, "symmetries": same}
        return case(name, space, compressed, compressed_exact, **how, T=n_rounds, told=told, sends=sends)

    sizes = (Size("N", 1, 20, 2), Size("d", 2, 20, 5), Size("T", 1, max(200, usual), usual, ladder=True))
    return Family("compressed runs", sizes, at)


def anchored(x: Instance, *, T: int, ends: bool, risks: bool) -> Mapping[str, Any]:
    """Every constant of (7), T rounds on: the model and the pull of the anchors, Σᵢλᵢaᵢ, step by step, then the rest at once."""
    h, m, p, w = x["curvature"], x["optimum"], x["share"], x["start"]
    pull = x["elastic"][:, None] * x["fisher"]
    all_pull = pull.sum(axis=1)
    stiff = h + all_pull[:, None]
    c = constants_of(x, stiff.min(axis=1), stiff.max(axis=1))
    aim, slope = (p * h * m).sum(axis=1), (p * stiff).sum(axis=1)
    late, fast = (pull * h * m).sum(axis=1), (pull * stiff).sum(axis=1)
    held, path = all_pull * w, []
    for tau in range(T):
        path.append((w, held))
        eta = 16 / (c["mu"] * (tau + 1 + c["gamma"]))
        at_start = all_pull * w
        at_end = at_start - eta * (fast * w - late - all_pull * held) if ends else at_start
        w, held = w - eta * (slope * w - aim - held), at_end
    models, holds = (np.array([step[i] for step in [*path, (w, held)]]) for i in (0, 1))
    g = stiff * models[:-1, :, None] - h * m - holds[:-1, :, None]
    bent, added = (h, 0 * holds) if risks else (stiff, holds)
    best = (aim + added) / (p * bent).sum(axis=1)
    gaps = (p * (bent * best[:-1, :, None] - h * m - added[:-1, :, None]) ** 2 / bent).sum(axis=(0, 2)) / 2
    ends_at = (models - best) ** 2
    c |= {"Delta": ends_at[-1], "Delta0": ends_at[0], "G2": (g**2).max(axis=(0, 2)), "skew": gaps}
    return {**whole_rounds(c, T), "magnitude": x["start"] ** 2 + (m**2).max(axis=1)}


def anchored_exact(
    x: Mapping[str, Any], *, T: int, ends: bool, risks: bool
) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """EFL without compression: F~_k = h_k/2 (w - m_k)^2 + sum_i pull_i/2 (w - a_i)^2, pull = lambda I, anchors a of last round."""
    h, m, p, clients = x["curvature"], x["optimum"], x["share"], range(len(x["share"]))
    pull = [x["elastic"] * i for i in x["fisher"]]
    stiff = [v + sum(pull) for v in h]
    c = constants_of(x, min(stiff), max(stiff))
    w, anchor = x["start"], [x["start"] for _ in clients]

    def aim() -> Any:
        held = [0 if risks else pull[i] for i in clients]
        bent = [h[k] + sum(held) for k in clients]
        own = [(h[k] * m[k] + sum(held[i] * anchor[i] for i in clients)) / bent[k] for k in clients]
        best = sum(p[k] * bent[k] * own[k] for k in clients) / sum(p[k] * bent[k] for k in clients)
        return best, sum(p[k] * bent[k] * (best - own[k]) ** 2 / 2 for k in clients)

    Delta0, skew, G2 = (w - aim()[0]) ** 2, Fraction(0), Fraction(0)
    for tau in range(T):
        skew = skew + aim()[1]
        g = [h[k] * (w - m[k]) + sum(pull[i] * (w - anchor[i]) for i in clients) for k in clients]
        G2 = max([G2] + [v * v for v in g])
        local = [w - 16 / (c["mu"] * (tau + 1 + c["gamma"])) * g[k] for k in clients]
        anchor = local if ends else [w for _ in clients]
        w = sum(p[k] * local[k] for k in clients)
    c = {**c, "Delta": (w - aim()[0]) ** 2, "Delta0": Delta0, "G2": G2, "skew": skew}
    met = {"lambda and Fisher diagonals >= 0": x["elastic"] >= 0 and min(x["fisher"]) >= 0}
    return {**admitted(x, c), **met}, whole_rounds(c, T)


def anchored_runs(n_clients: int, n_rounds: int, *, ends: bool, risks: bool) -> Case:
    """Runs with λ > 0; `ends` and `risks` as in the module's first lines."""
    n = n_clients
    space = Space(
        (
            LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e1, (n,)),
            Simplex("share", n, interior=True),
            LogScale("elastic", 1e-1, 1e4, at=(1e3,)),
            Uniform("fisher", 0.0, 1.0, (n,), at=(1.0,)),
            Signed("start", 1e-2, 1e2),
            LogScale("slack", 1e-3, 1e1, at=(1e-3, 1.0)),
            LogScale("later", 1e-6, 1e1, at=(1e-6,)),
        )
    )
    same = (units({"curvature": (1, -2), "elastic": (1, -2), "optimum": (0, 1), "start": (0, 1)}),)
    name, cost = f"{n} clients with elastic terms, {n_rounds} rounds of E = 1", max(1.0, n * n_rounds / 150)
    how: dict[str, Any] = {"uses": _USES, "cost": cost, "symmetries": same}
    return case(name, space, anchored, anchored_exact, **how, T=n_rounds, ends=ends, risks=risks)
