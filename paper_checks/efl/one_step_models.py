"""One step of EFL at quadratic clients, the virtual model and every local model anywhere: the terms of (33)-(39).

Models are given as offsets from ω*; any activity, any step size.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Bound,
    Case,
    Choice,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    split_client,
    units,
)

__all__ = ["A1", "B1", "B2", "CONVEX", "SMOOTH", "stated"]


SMOOTH, B2, CONVEX, B1, A1 = range(5)
_DEGREES = {
    "eta": (-1, 2),
    "mu": (1, -2),
    "L": (1, -2),
    "theta": (0, 0),
    **dict.fromkeys(("before", "far", "apart"), (0, 2)),
    **dict.fromkeys(("slopes", "jensen"), (2, -2)),
    **dict.fromkeys(("above", "gap", "own_above", "own_gap", "own_inner"), (1, 0)),
}


def _measure(x: Instance) -> Mapping[str, Any]:
    h, m, share, v, u = x["curvature"], x["optimum"], x["share"], x["local"], x["virtual"]
    active = (x["active"] >= 0.5).astype(float)
    p = share * x["coefficient"]
    best = (share[..., None] * h * m).sum(axis=1) / (share[..., None] * h).sum(axis=1)
    off = best[:, None] - m
    g = h * (v + off)
    excess, gaps = 0.5 * (h * (v + off) ** 2).sum(axis=2), 0.5 * (h * off**2).sum(axis=2)
    L_, mu_ = h.max(axis=(1, 2)), h.min(axis=(1, 2))
    step = x["step"] / L_
    w = p * active
    push = (w[..., None] * g).sum(axis=1)
    norm = (g**2).sum(axis=2)
    first = active[:, 0]
    lhs = [
        first * norm[:, 0],
        step**2 * (push**2).sum(axis=1),
        first * mu_ / 2 * (v[:, 0] ** 2).sum(axis=1),
        -2 * step * (u * push).sum(axis=1),
        ((u - step[:, None] * push) ** 2).sum(axis=1),
    ][int(x["look"][0])]
    known = {
        "lhs": lhs,
        "eta": step,
        "mu": mu_,
        "L": L_,
        "theta": (1 + x["slack"]) * x["coefficient"].max(axis=1),
        "before": (u**2).sum(axis=1),
        "far": (w * (v**2).sum(axis=2)).sum(axis=1),
        "apart": (w * ((u[:, None] - v) ** 2).sum(axis=2)).sum(axis=1),
        "slopes": (w * norm).sum(axis=1),
        "above": (w * excess).sum(axis=1),
        "gap": (w * gaps).sum(axis=1),
        "jensen": (p * x["coefficient"] * active * norm).sum(axis=1),
        "own_above": first * excess[:, 0],
        "own_gap": first * gaps[:, 0],
        "own_inner": first * (v[:, 0] * g[:, 0]).sum(axis=1),
    }
    # B1 and A1 are differences of such sums; a bound of gradients or of one inner product is not.
    own = known["own_above"] + known["own_gap"] + first * mu_ * (v[:, 0] ** 2).sum(axis=1)
    sums = known["before"] + known["apart"] + 2 * step * (known["above"] + known["gap"] + mu_ * known["far"])
    size = [np.abs(lhs), np.abs(lhs), own, sums, sums][int(x["look"][0])]
    return {**known, "magnitude": size}


def terms_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Every quantity of (33)-(39) for quadratic clients; models are given as offsets from the minimiser w*."""
    h, m, share, clients = x["curvature"], x["optimum"], x["share"], range(len(x["share"]))
    dims = range(len(x["virtual"]))
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    eta, p = x["step"] / L, [share[k] * x["coefficient"][k] for k in clients]
    best = [sum(share[k] * h[k][i] * m[k][i] for k in clients) / sum(share[k] * h[k][i] for k in clients) for i in dims]
    virtual = [best[i] + x["virtual"][i] for i in dims]
    local = [[best[i] + x["local"][k][i] for i in dims] for k in clients]
    g = [[h[k][i] * (local[k][i] - m[k][i]) for i in dims] for k in clients]
    on = [1 if x["active"][k] >= Fraction(1, 2) else 0 for k in clients]

    def loss(k: int, at: Any) -> Any:
        return sum(h[k][i] * (at[i] - m[k][i]) ** 2 for i in dims) / 2

    def mean(values: Any) -> Any:
        return sum(p[k] * on[k] * values[k] for k in clients)

    push = [mean([g[k][i] for k in clients]) for i in dims]
    norms = [sum(v * v for v in g[k]) for k in clients]
    first = [local[0][i] - best[i] for i in dims]
    lhs = [
        on[0] * norms[0],
        eta**2 * sum(v * v for v in push),
        on[0] * mu / 2 * sum(v * v for v in first),
        -2 * eta * sum((virtual[i] - best[i]) * push[i] for i in dims),
        sum((virtual[i] - eta * push[i] - best[i]) ** 2 for i in dims),
    ][int(x["look"])]
    constants = {
        "lhs": lhs,
        "eta": eta,
        "mu": mu,
        "L": L,
        "theta": (1 + x["slack"]) * max(p[k] / share[k] for k in clients),
        "before": sum((virtual[i] - best[i]) ** 2 for i in dims),
        "far": mean([sum((local[k][i] - best[i]) ** 2 for i in dims) for k in clients]),
        "apart": mean([sum((local[k][i] - virtual[i]) ** 2 for i in dims) for k in clients]),
        "slopes": mean(norms),
        "above": mean([loss(k, local[k]) for k in clients]),
        "gap": mean([loss(k, best) for k in clients]),
        "jensen": sum(p[k] ** 2 / share[k] * on[k] * norms[k] for k in clients),
        "own_above": on[0] * loss(0, local[0]),
        "own_gap": on[0] * loss(0, best),
        "own_inner": on[0] * sum(first[i] * g[0][i] for i in dims),
    }
    met = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
    }
    return met, constants


def _family(look: int) -> Family:
    def at(N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n, dim), at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-2, 1e2, (n, dim)),
                Simplex("share", n, interior=True),
                LogScale("coefficient", 1e-2, 1e2, (n,), at=(1.0,)),
                LogScale("slack", 1e-3, 1e1, at=(1e-3, 1.0)),
                Uniform("active", 0.0, 1.0, (n,)),
                Signed("virtual", 1e-2, 1e2, (dim,)),
                Signed("local", 1e-2, 1e2, (n, dim)),
                LogScale("step", 1e-4, 1e1, at=(1e-2, 0.5, 1.0)),
                Choice("look", (float(look),)),
            )
        )
        every = {"curvature": 0, "optimum": 0, "share": 0, "coefficient": 0, "active": 0, "local": 0}
        lengths = dict.fromkeys(("optimum", "virtual", "local"), (0, 1))
        same: tuple[Any, ...] = (units({"curvature": (1, -2), **lengths}),)
        if look not in (SMOOTH, CONVEX):
            same = (*same, permuted_clients(every), split_client(every, ("share",)))
        return Case(
            f"{n} clients, d = {dim}",
            space,
            _measure,
            ExactCheck(terms_exact),
            cost=max(1.0, n * dim / 40),
            symmetries=same,
        )

    return Family("quadratic clients, models anywhere", (Size("N", 1, 300, 2), Size("d", 1, 8, 1)), at)


def stated(look: int, expression: Any, again: Any = None) -> Inequality:
    """What is looked at stays below the expression, over all clients and models."""
    degrees = {SMOOTH: (2, -2), CONVEX: (1, 0)}.get(look, (0, 2))
    return Inequality(Bound(expression, again=again, degrees=_DEGREES), (_family(look),), degrees=degrees)
