"""Clients at any points: the lines of A.2 and A.3 that speak of one step, path by path, at models of any values.

Every client is a quadratic whose eigenvectors are the axes, reflected along `mirror`. `averaged`: the virtual model is the weighted mean of
the local ones, else any point; `best`: the point compared with is the optimum of F, else any; `short`: η <= 1/(4L).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.notation import Pair
from paper_checks.robust_aggregation.runs import between, curvature, curved, optimum, world
from theory.exact import dot, matvec, quadratic_gradient, quadratic_loss, quadratic_optimum, solve, weighted_sum
from validation import Case, Family, Instance, Size, World, case, permuted_clients, split_client, units
from validation.statement.instances.draw import LogScale, Signed, Simplex, Space, Uniform

__all__ = ["AT_BEST", "AVERAGED", "FREE", "MIXED"]


def points(x: Instance, *, averaged: bool = False, best: bool = False, short: bool = False) -> Mapping[str, Any]:
    """Weighted sums over clients at their own models, at w and at the point compared with, each (n,)."""
    a, m, own = x["weights"], x["optimum"], x["local"]
    w = (a[..., None] * own).sum(axis=1) if averaged else x["model"]
    ref = optimum(x, a) if best else x["other"]
    L, mu = x["spectrum"].max(axis=(1, 2)), x["spectrum"].min(axis=(1, 2))

    def mean(values: Any) -> Any:
        return (a * values).sum(axis=1)

    def slope(v: Any) -> Any:
        return curved(x, (v - m)[:, None])[:, 0]

    def above(v: Any) -> Any:
        return mean(0.5 * ((v - m) * slope(v)).sum(axis=-1))

    own_slope, move, eta = slope(own), own - w[:, None], x["step"] / L
    reach = sum((v**2).sum(axis=-1) for v in (w, ref)) + sum((v**2).sum(axis=-1).max(axis=1) for v in (m, own))
    found = {
        "S": mean((move**2).sum(axis=-1)),
        "far": mean(((own - ref[:, None]) ** 2).sum(axis=-1)),
        "gap2": ((w - ref) ** 2).sum(axis=-1),
        "X": above(own),
        "Delta": above(w[:, None]),
        "at_other": above(ref[:, None]),
        "moves": mean((move * own_slope).sum(axis=-1)),
        "cross": mean((slope(w[:, None]) * move).sum(axis=-1)),
        "towards": mean(((own - ref[:, None]) * own_slope).sum(axis=-1)),
        "slopes2": mean((own_slope**2).sum(axis=-1)),
        "slope2": ((a[..., None] * own_slope).sum(axis=1) ** 2).sum(axis=-1),
    }
    scales = dict.fromkeys(("S", "far", "gap2"), reach) | dict.fromkeys(("slopes2", "slope2"), L**2 * reach)
    scales = dict.fromkeys(found, L * reach) | scales
    known = {"admissible": x["step"] <= 0.25} if short else {}
    return {**found, "eta": eta, "mu": mu, "L": L, "rho": x.get("rho", np.ones_like(L)), "sizes": scales, **known}


def points_exact(x: Mapping[str, Any], *, averaged: bool = False, best: bool = False, short: bool = False) -> Pair:
    """Losses, gradients and distances of clients at given models."""
    a, m, own, clients, zero = x["weights"], x["optimum"], x["local"], range(len(x["weights"])), Fraction(0)
    mirrors = x.get("mirror", [[zero] * len(m[0]) for i in clients])
    A = [curvature(s, v) for s, v in zip(x["spectrum"], mirrors, strict=True)]
    w = weighted_sum(a, own) if averaged else x["model"]
    ref = quadratic_optimum(a, A, m) if best else x["other"]
    L, mu, rho = max(max(s) for s in x["spectrum"]), min(min(s) for s in x["spectrum"]), x.get("rho", 1 + zero)
    eta, slope = x["step"] / L, [quadratic_gradient(A[i], m[i], own[i]) for i in clients]

    def above(at: Any) -> Any:
        return sum(a[i] * quadratic_loss(A[i], m[i], zero, at[i]) for i in clients)

    def off(at: Any) -> list[Any]:
        return [[u - v for u, v in zip(own[i], at, strict=True)] for i in clients]

    mean = weighted_sum(a, slope)
    met = {
        "mu-strong convexity and L-smoothness (eigenvalues given)": mu > 0,
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "eta <= 1/(4L) where the proof supposes it": eta > 0 and (not short or 4 * L * eta <= 1),
        "rho >= 0": rho >= 0,
    }
    return met, {
        "S": dot(a, [between(v, w) for v in own]),
        "far": dot(a, [between(v, ref) for v in own]),
        "gap2": between(w, ref),
        "X": above(own),
        "Delta": above([w for i in clients]),
        "at_other": above([ref for i in clients]),
        "moves": sum(a[i] * dot(off(w)[i], slope[i]) for i in clients),
        "cross": sum(a[i] * dot(quadratic_gradient(A[i], m[i], w), off(w)[i]) for i in clients),
        "towards": sum(a[i] * dot(off(ref)[i], slope[i]) for i in clients),
        "slopes2": dot(a, [dot(g, g) for g in slope]),
        "slope2": dot(mean, mean),
        "eta": eta,
        "mu": mu,
        "L": L,
        "rho": rho,
    }


_USES = (dot, matvec, solve, weighted_sum, quadratic_loss, quadratic_gradient, quadratic_optimum, between, curvature)
_UNITS = {"spectrum": (1, -2), **dict.fromkeys(("optimum", "model", "local", "other"), (0, 1))}


def _any_points(*, averaged: bool = False, best: bool = False, short: bool = True, scaled: bool = True) -> Family:
    longest = 0.25 if short else 10.0

    def at(N: float, d: float) -> Case:
        shape = n, dim = int(N), int(d)
        space = Space(
            (
                LogScale("spectrum", 1e-2, 1e2, shape, at=(1e-2, 1.0, 1e2)),
                *((Signed("mirror", 1e-2, 1.0, shape),) if dim > 1 else ()),
                Signed("optimum", 1e-3, 1e2, shape),
                Simplex("weights", n),
                *(() if averaged else (Signed("model", 1e-3, 1e2, (dim,)),)),
                Signed("local", 1e-3, 1e2, shape),
                *(() if best else (Signed("other", 1e-3, 1e2, (dim,)),)),
                LogScale("step", 1e-4, longest, at=(1e-4, 1e-2, longest)),
                LogScale("rho", 1e-3, 1e3, at=(1.0,)),
            )
        )
        names = {c.name for c in space.coordinates}
        every: dict[str, int] = {k: 0 for k in ("spectrum", "optimum", "weights", "local", "mirror") if k in names}
        same = [permuted_clients(every), split_client(every, ("weights",))]
        same += [units({k: v for k, v in _UNITS.items() if k in names})] if scaled else []
        return case(
            f"clients at any points, N = {n}, d = {dim}",
            space,
            points,
            points_exact,
            uses=_USES,
            cost=max(1.0, n * dim / 40),
            symmetries=tuple(same),
            averaged=averaged,
            best=best,
            short=short,
        )

    return Family("clients at any points", (Size("N", 1, 300, 2), Size("d", 1, 8, 1)), at)


def mirrored(x: Instance) -> Mapping[str, Any]:
    """Two clients of one Hessian and optima ±c, each `walk` gradient steps of length η from the middle, which is w*."""
    h, c = x["curvature"], x["optimum"]
    away = x["walk"][:, None] * (x["step"] / h.max(axis=1))[:, None] * h * c
    two = {
        "spectrum": np.stack([h, h], axis=1),
        "optimum": np.stack([c, -c], axis=1),
        "weights": np.full((len(h), 2), 0.5),
    }
    return points({**x, **two, "local": np.stack([away, -away], axis=1), "other": 0 * c}, averaged=True, short=True)


def mirrored_exact(x: Mapping[str, Any]) -> Pair:
    """Two clients of one Hessian and optima +-c, each `walk` gradient steps from the middle."""
    h, c = x["curvature"], x["optimum"]
    away = [x["walk"] * x["step"] / max(h) * a * b for a, b in zip(h, c, strict=True)]
    two = {"spectrum": [h, h], "optimum": [c, [-v for v in c]], "weights": [Fraction(1, 2)] * 2, "step": x["step"]}
    return points_exact(
        {**two, "local": [away, [-v for v in away]], "other": [Fraction(0) for v in c]}, averaged=True, short=True
    )


def _mirrored(*, scaled: bool = True) -> Family:
    def at(d: float) -> Case:
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (int(d),), at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-3, 1e2, (int(d),)),
                Uniform("walk", -3.0, 3.0, at=(-1.0, 1.0)),
                LogScale("step", 1e-4, 0.25, at=(1e-4, 1e-2, 0.25)),
            )
        )
        same = (units({"curvature": (1, -2), "optimum": (0, 1)}),) if scaled else ()
        uses, name = (points_exact, *_USES), f"two mirrored clients, d = {int(d)}"
        return case(name, space, mirrored, mirrored_exact, uses=uses, symmetries=same)

    return Family("two mirrored clients", (Size("d", 1, 8, 1),), at)


FREE: World = world(_any_points(short=False))
AT_BEST: World = world(_any_points(best=True))
AVERAGED: World = world(_any_points(averaged=True), _mirrored())
MIXED: World = world(_any_points(averaged=True, scaled=False), _mirrored(scaled=False))
