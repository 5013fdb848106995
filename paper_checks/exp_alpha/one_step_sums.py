"""The worlds of Lemma 1's proof: the sums of one local step, of quadratic clients and of bent ones.

Every client stands at its own model Wᵢ; W̄ = Σaᵢ Wᵢ, and the sums carry the weights b. With `kept` a = b, one weight
vector a round. Bent clients have one curvature below their minimiser and another above it, coordinate by coordinate:
they are strongly convex and smooth, and no quadratics.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.bent_clients import bent_gradient, bent_optimum
from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.one_step import clients_of, curvature_of
from theory.exact import dot, matvec, quadratic_gradient, quadratic_optimum, solve, weighted_sum
from validation import Case, Family, Instance, LogScale, Signed, Simplex, Size, Space, permuted_clients, units
from validation.world import World, case

__all__ = ["bent", "bent_step", "bent_step_exact", "one_step_sums"]


def _bent_best(x: Instance) -> Any:
    """W* of bent clients, (n, 1): the share-weighted gradient is linear between neighbouring minimisers."""
    low, high, m, p = x["low"], x["high"], x["optimum"][..., 0], x["share"]
    slope_of = p[:, None, :] * np.where(m[:, :, None] >= m[:, None, :], high[:, None, :], low[:, None, :])
    slope = (slope_of * (m[:, :, None] - m[:, None, :])).sum(axis=2)
    # Rounding must not make the slope positive at every minimiser: at the least one it is <= 0.
    row = np.argmax(np.where((slope <= 0) | (m == m.min(axis=1, keepdims=True)), m, -np.inf), axis=1)
    chosen = np.take_along_axis(slope_of, row[:, None, None], axis=1)[:, 0]
    return (chosen * m).sum(axis=1, keepdims=True) / chosen.sum(axis=1, keepdims=True)


def sums(x: Instance, *, kept: bool, longest: float) -> Mapping[str, Any]:
    """Σbᵢ of losses above the minimum at W̄ (`now`), Wᵢ (`local`), W* (`about`); of ⟨Wᵢ − W̄, ∇Fᵢ(W̄)⟩, ‖∇Fᵢ(W̄)‖²."""
    m, W, a, b = x["optimum"], x["local"], x["weights"][:, 0], x["weights"][:, 0 if kept else 1]

    def everyone(w: Any) -> Any:
        return np.broadcast_to(w[:, None, :], m.shape)

    if "low" in x:
        best, L = _bent_best(x), np.maximum(x["low"], x["high"]).max(axis=1)
    else:
        clients = clients_of(x)
        best, L = clients.best(), x["spectrum"].max(axis=(1, 2))

    def curved(w: Any) -> Any:
        return np.where(w >= m, x["high"][..., None], x["low"][..., None])

    def gradients(w: Any) -> Any:
        return curved(w) * (w - m) if "low" in x else clients.gradients(w)

    def losses(w: Any) -> Any:
        return 0.5 * (curved(w) * (w - m) ** 2)[..., 0] if "low" in x else clients.losses(w)

    bar, eta = (a[..., None] * W).sum(axis=1), x["step"] / L
    away, slope = W - bar[:, None], gradients(everyone(bar))
    now, there = losses(everyone(bar)), losses(everyone(best))
    reach = [np.abs(W).max(axis=(1, 2)), np.abs(m).max(axis=(1, 2)), np.abs(x["start"]).max(axis=1)]
    size = L * np.max(reach, axis=0) ** 2
    return {
        "eta": eta,
        "L": L,
        "lin": (b * (away * slope).sum(axis=-1)).sum(axis=1),
        "grad2": (b * (slope**2).sum(axis=-1)).sum(axis=1),
        "drift": (b * (away**2).sum(axis=-1)).sum(axis=1),
        "now": (b * now).sum(axis=1),
        "local": (b * losses(W)).sum(axis=1),
        "about": (b * there).sum(axis=1),
        "Omega": np.minimum((a * losses(everyone(x["start"]))).sum(axis=1), (b * now).sum(axis=1)),
        "Gamma": np.maximum((a * there).sum(axis=1), (b * there).sum(axis=1)),
        "admissible": x["step"] <= longest,
        "sizes": {**dict.fromkeys(("lin", "now", "local", "about", "Omega", "Gamma"), size), "drift": eta * size},
    }


def sums_exact(
    x: Mapping[str, Any], *, kept: bool, longest: float
) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Every sum, client by client; bent clients where x has `low`, else quadratics."""
    n, m, W, a = len(x["share"]), x["optimum"], x["local"], x["weights"][0]
    b = x["weights"][0 if kept else 1]
    if "low" in x:
        low, high = x["low"], x["high"]
        best = [bent_optimum(low, high, [u[0] for u in m], x["share"])]
        mu, L = min([*low, *high]), max([*low, *high])
    else:
        A = [curvature_of(s, v) for s, v in zip(x["spectrum"], x["mirror"], strict=True)]
        best = quadratic_optimum(x["share"], A, m)
        mu, L = min(min(s) for s in x["spectrum"]), max(max(s) for s in x["spectrum"])

    def gradient(i: int, w: list[Any]) -> list[Any]:
        if "low" in x:
            return [bent_gradient(low[i], high[i], m[i][0], w[0])]
        return quadratic_gradient(A[i], m[i], w)

    def excess(i: int, w: list[Any]) -> Any:
        return dot(gradient(i, w), [p - q for p, q in zip(w, m[i], strict=True)]) / 2

    bar = weighted_sum(a, W)
    away = [[p - q for p, q in zip(w, bar, strict=True)] for w in W]
    now, there = [excess(i, bar) for i in range(n)], [excess(i, best) for i in range(n)]
    start = sum(a[i] * excess(i, x["start"]) for i in range(n))
    met = {
        "A1, A2: curvatures in [mu, L], mu > 0": mu > 0,
        "0 < eta <= limit / L": 0 < x["step"] <= Fraction(longest),
        "shares and weights on the simplex": all(sum(r) == 1 and min(r) >= 0 for r in (x["share"], *x["weights"])),
    }
    found = {
        "eta": x["step"] / L,
        "L": L,
        "lin": sum(b[i] * dot(away[i], gradient(i, bar)) for i in range(n)),
        "grad2": sum(b[i] * dot(gradient(i, bar), gradient(i, bar)) for i in range(n)),
        "drift": sum(b[i] * dot(away[i], away[i]) for i in range(n)),
        "now": dot(b, now),
        "local": sum(b[i] * excess(i, W[i]) for i in range(n)),
        "about": dot(b, there),
        "Omega": min(start, dot(b, now)),
        "Gamma": max(dot(a, there), dot(b, there)),
    }
    return met, found


_USES = (
    dot,
    matvec,
    weighted_sum,
    solve,
    quadratic_gradient,
    quadratic_optimum,
    curvature_of,
    bent_gradient,
    bent_optimum,
)


def one_step_sums(*, kept: bool = False, longest: float = 0.25, largest: int = 300) -> World:
    """Quadratic clients in up to 8 dimensions, and bent ones on the line; ηL up to `longest`."""

    def at(N: float, d: float, *, curved: bool = False) -> Case:
        n, dim = int(N), int(d)
        low, high = (
            LogScale("low", 1e-2, 1e2, (n,), at=(1e-2, 1.0, 1e2)),
            LogScale("high", 1e-2, 1e2, (n,), at=(1.0, 1e2)),
        )
        plain = (
            LogScale("spectrum", 1e-2, 1e2, (n, dim), at=(1e-2, 1.0, 1e2)),
            Signed("mirror", 1e-2, 1.0, (n, dim)),
        )
        shape = (low, high) if curved else plain
        space = Space(
            (
                *shape,
                Signed("optimum", 1e-2, 1e2, (n, dim)),
                Simplex("share", n),
                Simplex("weights", n, (1 if kept else 2,)),
                Signed("start", 1e-2, 1e2, (dim,)),
                Signed("local", 1e-2, 1e2, (n, dim)),
                LogScale("step", 1e-3, longest, at=(longest, 0.25, 0.1)),
            )
        )
        scale = {c.name: (1, -2) for c in shape if c.name != "mirror"}
        same = (
            permuted_clients(
                {**dict.fromkeys(("optimum", "share", "local", *(c.name for c in shape)), 0), "weights": 1}
            ),
            units({**scale, **dict.fromkeys(("optimum", "start", "local"), (0, 1))}),
        )
        name, cost = f"{n} {'bent' if curved else 'quadratic'} clients, d = {dim}", max(1.0, N * d / 12)
        chosen = {"kept": kept, "longest": longest}
        return case(name, space, sums, sums_exact, uses=_USES, cost=cost, symmetries=same, **chosen)

    plain = Family("quadratic clients", (Size("N", 1, largest, 2), Size("d", 1, 8, 1)), at)
    return World(NOTATION, (plain, *(at(n, 1, curved=True) for n in (1, 2, 5))))


def bent_step(x: Instance, *, kept: bool) -> Mapping[str, Any]:
    """Gradients, losses above the minimum and distances at the local models; W̄ᵗ by ρᵗ, the sums by ρᵗ⁺¹, W* any point."""
    low, high, m, W, best = x["low"], x["high"], x["optimum"], x["local"], x["best"]
    b = x["weights"][:, -1]
    a = b if kept else x["weights"][:, 0]
    slope, target = np.where(m <= W, high, low) * (W - m), best[:, None, :]
    there = np.where(m <= target, high, low) * (target - m)
    mu, L = np.minimum(low, high).min(axis=(1, 2)), np.maximum(low, high).max(axis=(1, 2))
    bar, mean = (a[..., None] * W).sum(axis=1), (b[..., None] * slope).sum(axis=1)
    eta = x["step"] / L
    size = (np.abs(W).max(axis=(1, 2)) + np.abs(m).max(axis=(1, 2)) + np.abs(best).max(axis=1)) ** 2
    return {
        "L": L,
        "mu": mu,
        "eta": eta,
        "local": 0.5 * (b * (slope * (W - m)).sum(axis=2)).sum(axis=1),
        "about": 0.5 * (b * (there * (target - m)).sum(axis=2)).sum(axis=1),
        "before": ((bar - best) ** 2).sum(axis=1),
        "drift": (b * ((bar[:, None] - W) ** 2).sum(axis=2)).sum(axis=1),
        "slopes2": (b * (slope**2).sum(axis=2)).sum(axis=1),
        "slope2": (mean**2).sum(axis=1),
        "towards": (b * ((target - W) * slope).sum(axis=2)).sum(axis=1),
        "away": (b * ((target - W) ** 2).sum(axis=2)).sum(axis=1),
        "after": ((bar - eta[:, None] * mean - best) ** 2).sum(axis=1),
        "sizes": {
            **dict.fromkeys(("before", "drift", "away", "after"), size),
            **dict.fromkeys(("local", "about", "towards"), L * size),
            **dict.fromkeys(("slopes2", "slope2"), L**2 * size),
        },
    }


def bent_step_exact(x: Mapping[str, Any], *, kept: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same, coordinate by coordinate."""
    low, high, m, W, best = x["low"], x["high"], x["optimum"], x["local"], x["best"]
    b = x["weights"][-1]
    a = b if kept else x["weights"][0]
    clients, dims = range(len(W)), range(len(best))

    def slope(i: int, j: int, w: Any) -> Any:
        return (high[i][j] if w >= m[i][j] else low[i][j]) * (w - m[i][j])

    def excess(i: int, w: Any) -> Any:
        return sum(slope(i, j, w[j]) * (w[j] - m[i][j]) for j in dims) / 2

    mu, L = min(min(r) for r in [*low, *high]), max(max(r) for r in [*low, *high])
    eta = x["step"] / L
    g = [[slope(i, j, W[i][j]) for j in dims] for i in clients]
    bar = [sum(a[i] * W[i][j] for i in clients) for j in dims]
    mean = [sum(b[i] * g[i][j] for i in clients) for j in dims]
    met = {
        "A1, A2: mu > 0; W* the optimum of one more such client, with all of the data and no weight": mu > 0,
        "0 < eta <= 1/(4 L)": 0 < 4 * x["step"] <= 1,
        "weights on the simplex at every step": all(sum(r) == 1 and min(r) >= 0 for r in x["weights"]),
    }
    found = {
        "L": L,
        "mu": mu,
        "eta": eta,
        "local": sum(b[i] * excess(i, W[i]) for i in clients),
        "about": sum(b[i] * excess(i, best) for i in clients),
        "before": sum((bar[j] - best[j]) ** 2 for j in dims),
        "drift": sum(b[i] * (bar[j] - W[i][j]) ** 2 for i in clients for j in dims),
        "slopes2": sum(b[i] * g[i][j] ** 2 for i in clients for j in dims),
        "slope2": sum(mean[j] ** 2 for j in dims),
        "towards": sum(b[i] * (best[j] - W[i][j]) * g[i][j] for i in clients for j in dims),
        "away": sum(b[i] * (best[j] - W[i][j]) ** 2 for i in clients for j in dims),
        "after": sum((bar[j] - eta * mean[j] - best[j]) ** 2 for j in dims),
    }
    return met, found


def bent(*, most: int = 100, kept: bool = True) -> Family:
    """Up to `most` bent clients in up to 8 dimensions; W* is the optimum of one more that has the data and no weight."""

    def at(N: float, d: float) -> Case:
        shape = (int(N), int(d))
        space = Space(
            (
                LogScale("low", 1e-2, 1e2, shape, at=(1e-2, 1.0, 1e2)),
                LogScale("high", 1e-2, 1e2, shape, at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-2, 1e2, shape),
                Signed("local", 1e-2, 1e2, shape),
                Simplex("weights", shape[0], (1 if kept else 2,)),
                Signed("best", 1e-2, 1e2, (shape[1],)),
                LogScale("step", 1e-3, 0.25, at=(0.25, 0.1)),
            )
        )
        same = (
            permuted_clients({**dict.fromkeys(("low", "high", "optimum", "local"), 0), "weights": 1}),
            units({"low": (1, -2), "high": (1, -2), **dict.fromkeys(("optimum", "local", "best"), (0, 1))}),
        )
        name, cost = f"{shape[0]} bent clients, d = {shape[1]}", max(2.0, N * d / 16)
        return case(name, space, bent_step, bent_step_exact, cost=cost, symmetries=same, kept=kept)

    return Family("bent clients", (Size("N", 1, most, min(2, most)), Size("d", 1, 8, 1)), at)
