"""The mean of EFL's error term B in a round, by exact second moments: quadratic clients, fresh noise at every step.

Fₖ(w) = ½ Σᵢ hₖᵢ(wᵢ − mₖᵢ)²; all clients start at ω̄, their activity is fixed before the batches, their noise is independent.
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
    units,
)

__all__ = ["AT_STEP", "NEGATED", "SUMMED", "errors"]

AT_STEP, SUMMED, NEGATED = range(3)  # E[B] at a step, over the round, and minus that
_DEGREES = {
    "mu": (1, -2),
    "L": (1, -2),
    "G2": (2, -2),
    "noise": (2, -2),
    "skew": (1, 0),
    **dict.fromkeys(("E", "theta", "steps", "total", "squares"), (0, 0)),
}


def _measure(x: Instance) -> Mapping[str, Any]:
    h, m, share = x["curvature"], x["optimum"], x["share"]
    n_local, look, dim = x["active"].shape[1], int(x["look"][0]), h.shape[2]
    on = (x["active"] >= 0.5).astype(float)
    p = share * x["coefficient"]
    theta = (1 + x["slack"]) * x["coefficient"].max(axis=1)
    mu_, L_ = h.min(axis=(1, 2)), h.max(axis=(1, 2))
    eta = x["step"] / (2 * (1 + theta) * L_)
    best = (share[..., None] * h * m).sum(axis=1) / (share[..., None] * h).sum(axis=1)
    gaps = 0.5 * (h * (best[:, None] - m) ** 2).sum(axis=2)
    away = (best + x["virtual"])[:, None] - m  # from each client's optimum, at the start of the round
    v2 = x["sigma"] ** 2
    at = np.minimum(np.floor(x["part"] * n_local), n_local - 1)
    mean, var = np.zeros_like(h), np.zeros_like(h)
    g2 = np.zeros(len(h))
    drift = noise = skew = 0.0
    for j in range(n_local):
        counted = np.where(look == AT_STEP, at == j, True)
        w = p * on[:, j] * counted[:, None]
        middle = (p[..., None] * mean).sum(axis=1)[:, None]
        spread = (p[..., None] ** 2 * var).sum(axis=1)[:, None]
        apart = ((middle - mean) ** 2 + spread + (1 - 2 * p[..., None]) * var).sum(axis=2)
        drift = drift + (w * apart).sum(axis=1)
        noise = noise + (w * p * dim * v2).sum(axis=1)
        skew = skew + (w * gaps).sum(axis=1)
        second = (h**2 * ((away + mean) ** 2 + var)).sum(axis=2) + dim * v2
        g2 = np.maximum(g2, second.max(axis=1))
        act = eta[:, None, None] * on[:, j][..., None]
        mean, var = mean - act * h * (away + mean), (1 - act * h) ** 2 * var + act**2 * v2[..., None]
    done = on.sum(axis=1)
    own = (2 + mu_ / (2 * (1 + theta) * L_)) * drift / np.where(x["divided"] > 0, eta**2, 1.0)
    found = own + noise + 2 * (2 + theta) * L_ * skew
    return {
        "lhs": -found if look == NEGATED else found,
        "E": np.full(len(h), float(n_local)),
        "mu": mu_,
        "L": L_,
        "theta": theta,
        "G2": g2,
        "noise": noise,
        "skew": skew,
        "steps": (p * done).sum(axis=1),
        "total": p.sum(axis=1),
        "squares": (p**2 / share * done).sum(axis=1),
        "magnitude": found,
    }


def moments_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Mean and variance of every local model step by step; the virtual model is the sum of p times the local moves."""
    h, m, share, n_local, look = x["curvature"], x["optimum"], x["share"], len(x["active"]), int(x["look"])
    clients, dims = range(len(share)), range(len(h[0]))
    p = [share[k] * x["coefficient"][k] for k in clients]
    theta = (1 + x["slack"]) * max(x["coefficient"])
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    eta, half = x["step"] / (2 * (1 + theta) * L), Fraction(1, 2)
    best = [sum(share[k] * h[k][i] * m[k][i] for k in clients) / sum(share[k] * h[k][i] for k in clients) for i in dims]
    gaps = [sum(h[k][i] * (best[i] - m[k][i]) ** 2 for i in dims) / 2 for k in clients]
    start = [best[i] + x["virtual"][i] for i in dims]
    mean = [list(start) for _ in clients]
    var = [[Fraction(0) for _ in dims] for _ in clients]
    j_looked = min(int(x["part"] * n_local), n_local - 1)
    drift = noise = skew = G2 = Fraction(0)
    for j in range(n_local):
        on = [1 if v >= half else 0 for v in x["active"][j]]
        for k in clients:
            second = sum(h[k][i] ** 2 * ((mean[k][i] - m[k][i]) ** 2 + var[k][i]) + x["sigma"][k] ** 2 for i in dims)
            G2 = max(G2, second)
            if on[k] and (look != 0 or j == j_looked):
                for i in dims:
                    virtual = start[i] + sum(p[q] * (mean[q][i] - start[i]) for q in clients)
                    apart = (virtual - mean[k][i]) ** 2 + (1 - p[k]) ** 2 * var[k][i]
                    apart = apart + sum(p[q] ** 2 * var[q][i] for q in clients if q != k)
                    drift = drift + p[k] * apart
                noise = noise + p[k] ** 2 * len(h[0]) * x["sigma"][k] ** 2
                skew = skew + p[k] * gaps[k]
        for k in clients:
            if on[k]:
                mean[k] = [mean[k][i] - eta * h[k][i] * (mean[k][i] - m[k][i]) for i in dims]
                var[k] = [(1 - eta * h[k][i]) ** 2 * var[k][i] + (eta * x["sigma"][k]) ** 2 for i in dims]
    done = [sum(1 for row in x["active"] if row[k] >= half) for k in clients]
    B = (
        (2 + mu / (2 * (1 + theta) * L)) * drift / (eta**2 if x["divided"] > 0 else 1)
        + noise
        + 2 * (2 + theta) * L * skew
    )
    met = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta <= 1/(2 (1 + theta) L)": 0 < eta <= 1 / (2 * (1 + theta) * L),
    }
    constants = {
        "lhs": -B if look == 2 else B,
        "E": Fraction(n_local),
        "mu": mu,
        "L": L,
        "theta": theta,
        "G2": G2,
        "noise": noise,
        "skew": skew,
        "steps": sum(p[k] * done[k] for k in clients),
        "total": sum(p),
        "squares": sum(p[k] ** 2 / share[k] * done[k] for k in clients),
    }
    return met, constants


def errors(look: int, expression: Any, again: Any = None, *, divided: bool = True, least: int = 1) -> Inequality:
    """The mean of B stays below the expression; `divided`: 1/η² before the drift, else B as printed in (47)."""

    def at(N: float, E: float, d: float) -> Case:
        n, n_local, dim = int(N), int(E), int(d)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n, dim), at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-2, 1e2, (n, dim)),
                Simplex("share", n, interior=True),
                LogScale("coefficient", 1e-2, 1e2, (n,), at=(1.0, 1e2)),
                LogScale("slack", 1e-3, 1e1, at=(1e-3, 1.0)),
                Uniform("active", 0.0, 1.0, (n_local, n)),
                Signed("virtual", 1e-2, 1e2, (dim,)),
                Signed("sigma", 1e-2, 1e2, (n,)),
                Uniform("part", 0.0, 1.0, at=(0.999,)),
                LogScale("step", 1e-3, 1.0, at=(1.0,)),
                Choice("divided", (float(divided),)),
                Choice("look", (float(look),)),
            )
        )
        every = {"curvature": 0, "optimum": 0, "share": 0, "coefficient": 0, "active": 1, "sigma": 0}
        same: tuple[Any, ...] = (permuted_clients(every),)
        if divided:
            same = (units({"curvature": (1, -2), "optimum": (0, 1), "virtual": (0, 1), "sigma": (1, -1)}), *same)
        cost = max(1.0, n * n_local * dim / 15)
        return Case(
            f"{n} clients, E = {n_local}, d = {dim}",
            space,
            _measure,
            ExactCheck(moments_exact),
            cost=cost,
            symmetries=same,
        )

    sizes = (Size("N", 1, 100, 2), Size("E", least, 100, max(3, least)), Size("d", 1, 8, 1))
    bound = Bound(expression, again=again, degrees=_DEGREES)
    return Inequality(bound, (Family("a round", sizes, at),), degrees=(2, -2) if divided else None)
