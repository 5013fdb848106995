"""Algorithm 1's compression in Theorem 1: every client takes part in each round, and the run is followed exactly.

Quadratic clients of equal form in d coordinates, p = pᵏ, one full-gradient step a round: r = 0, σ = 0, Σp = 1. ST keeps the
largest coordinate (k = 1); of equal ones the first, so that the ties of EFL-ALG2 play no part. `told` 1: clients add ST(Δωᴳ),
as in the box, 0: Δωᴳ, as in Sec. 3.1; `sends` 1: the server averages ST(Δωᵏ), as the box returns it, 0: Δωᵏ, as printed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.theorem1_bound import BRACKETS, with_C
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

__all__ = ["compressed_runs"]


def _largest(t: Any) -> Any:
    where = np.argmax(np.abs(t), axis=-1)[..., None]
    return np.where(np.arange(t.shape[-1]) == where, t, 0.0)


def _measure(n_rounds: int) -> Callable[[Instance], Mapping[str, Any]]:
    def measure(x: Instance) -> Mapping[str, Any]:
        h, share = x["curvature"], x["share"][..., None]
        mixed = (share * h).sum(axis=1)
        best = (share * h * x["optimum"]).sum(axis=1) / mixed
        off, start = x["optimum"] - best[:, None], x["aside"][:, None] * x["start"]
        mu_, L_, one = h.min(axis=(1, 2)), h.max(axis=(1, 2)), np.ones(len(h))
        theta = 1 + x["slack"]
        offset = (1 + x["later"]) * np.maximum(32 * (1 + theta) * L_ / mu_, 4 * theta)
        told, sends = x["told"][0] > 0, x["sends"][0] > 0
        server, base = start, np.repeat(start[:, None], h.shape[1], axis=1)
        up, down, g2 = np.zeros_like(h), np.zeros_like(start), np.zeros(len(h))
        for tau in range(n_rounds):
            g = h * (base - off)
            g2 = np.maximum(g2, (g**2).sum(axis=2).max(axis=1))
            change = up - (16 / (mu_ * (tau + 1 + offset)))[:, None, None] * g
            packed = _largest(change)
            up = change - packed
            total = down + (share * (packed if sends else change)).sum(axis=1)
            heard = _largest(total)
            down = total - heard
            server = server + total
            base = base + (heard if told else total)[:, None]
        found = {
            "Delta": (server**2).sum(axis=1),
            "gamma": offset,
            "time": one * n_rounds,
            "E": one,
            "mu": mu_,
            "L": L_,
            "theta": theta,
            "G2": g2,
            "Delta0": (start**2).sum(axis=1),
            "noise": 0 * one,
            "skew": n_rounds * 0.5 * (share * h * off**2).sum(axis=(1, 2)),
            **dict.fromkeys((*BRACKETS, "pull"), one * n_rounds),
            "H": 0 * one,
            "J": 0 * one,
            "magnitude": (start**2).sum(axis=1) + (off**2).max(axis=(1, 2)),
        }
        return with_C(found)

    return measure


def largest_exact(t: list[Any]) -> list[Any]:
    """ST of Algorithm 2 for k = 1: the largest entry, of equal ones the first."""
    where = max(range(len(t)), key=lambda i: abs(t[i]))
    return [v if i == where else Fraction(0) for i, v in enumerate(t)]


def compressed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Algorithm 1 with ST both ways; models as offsets from w*, start = aside * start; E = 1, s = 1, p_tau^k = p^k.

    E[p s] = p^k, so r_tau = 0 and H = 0; sum p = 1 < 2: the positive part is 0. `told`: clients add ST of the server's
    change, else the change; `sends`: the server averages ST of the clients' changes, else the changes.
    """
    h, m, p, n_rounds = x["curvature"], x["optimum"], x["share"], int(x["rounds"])
    clients, dims = range(len(p)), range(len(x["start"]))
    mu, L, theta = min(min(row) for row in h), max(max(row) for row in h), 1 + x["slack"]
    gamma = (1 + x["later"]) * max(32 * (1 + theta) * L / mu, 4 * theta, 1)
    eta = 16 / (mu * (1 + gamma))  # the first and largest step
    below = eta <= 1 / (2 * (1 + theta) * L) and eta <= 4 / (mu * theta)
    best = [sum(p[k] * h[k][i] * m[k][i] for k in clients) / sum(p[k] * h[k][i] for k in clients) for i in dims]
    off = [[m[k][i] - best[i] for i in dims] for k in clients]
    start = [x["aside"] * v for v in x["start"]]
    server, base = list(start), list(start)  # everyone takes part: all clients begin at one model
    up, down, G2 = [[Fraction(0) for _ in dims] for _ in clients], [Fraction(0) for _ in dims], Fraction(0)
    for tau in range(n_rounds):
        eta, total = 16 / (mu * (tau + 1 + gamma)), list(down)
        for k in clients:
            g = [h[k][i] * (base[i] - off[k][i]) for i in dims]
            G2 = max(G2, sum(v * v for v in g))
            change = [up[k][i] - eta * g[i] for i in dims]
            packed = largest_exact(change)
            up[k] = [a - b for a, b in zip(change, packed, strict=True)]
            total = [total[i] + p[k] * (packed if x["sends"] > 0 else change)[i] for i in dims]
        heard = largest_exact(total)
        down = [a - b for a, b in zip(total, heard, strict=True)]
        server = [a + b for a, b in zip(server, total, strict=True)]
        base = [a + b for a, b in zip(base, heard if x["told"] > 0 else total, strict=True)]
    D = sum(p[k] * h[k][i] * off[k][i] ** 2 for k in clients for i in dims) / 2
    hypotheses = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(p) == 1 and min(p) > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta), gamma >= E": below and gamma >= 1,
    }
    constants = {
        "Delta": sum(v * v for v in server),
        "gamma": gamma,
        "time": Fraction(n_rounds),
        "E": Fraction(1),
        "mu": mu,
        "L": L,
        "theta": theta,
        "G2": G2,
        "Delta0": sum(v * v for v in start),
        "noise": Fraction(0),
        "skew": n_rounds * D,
        "pull": Fraction(n_rounds),
        "H": Fraction(0),
        "J": Fraction(0),
    }
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        constants[name] = Fraction(n_rounds)  # E = 1: the bracket is multiplied by E - 1 = 0
    return hypotheses, with_C(constants)


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
                Choice("told", (float(told),)),
                Choice("sends", (float(sends),)),
                Choice("rounds", (float(n_rounds),)),
            )
        )
        return Case(
            f"{n} clients, d = {dim}, {n_rounds} compressed rounds of E = 1",
            space,
            _measure(n_rounds),
            ExactCheck(compressed_exact, (largest_exact, with_C)),
            cost=max(1.0, n * dim * n_rounds / 400),
            symmetries=(
                units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),
                permuted_clients({"curvature": 0, "optimum": 0, "share": 0}),
            ),
        )

    sizes = (Size("N", 1, 20, 2), Size("d", 2, 20, 5), Size("T", 1, max(200, usual), usual, ladder=True))
    return Family("compressed runs", sizes, at)
