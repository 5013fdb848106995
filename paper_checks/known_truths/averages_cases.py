"""The instances of K7, K8 and K10: weights, vectors and points of N clients."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from paper_checks.known_truths.exact import is_simplex
from theory.exact import dot, weighted_sum
from validation import Case, ExactCheck, Family, Instance, LogScale, Signed, Simplex, Size, Space
from validation.statement.draw import Coordinate

__all__ = ["DIM", "clients", "point_spread", "reweighted_sum", "sized", "weighted_mean"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]


def _mean(x: Instance) -> Mapping[str, Any]:
    a, g = x["weights"] * x.get("total", np.ones(1))[:, None], x["vectors"]
    size = (g**2).sum(axis=-1)
    return {
        "lhs": (np.einsum("ni,nij->nj", a, g) ** 2).sum(axis=-1),
        "mean2": (a * size).sum(axis=-1),
        "squares": (a**2 * size).sum(axis=-1),
        "plain": size.mean(axis=-1),
        "but_last": (a * size)[:, :-1].sum(axis=-1),
    }


def mean_exact(x: Mapping[str, Any]) -> Checked:
    """|sum a_i g_i|^2; `total` scales the weights off the simplex."""
    a, g = [x.get("total", Fraction(1)) * p for p in x["weights"]], x["vectors"]
    mean = weighted_sum(a, g)
    parts = [p * dot(v, v) for p, v in zip(a, g, strict=True)]
    hypotheses = {"weights non-negative": min(a) >= 0} if "total" in x else {"weights on the simplex": is_simplex(a)}
    return hypotheses, {
        "lhs": dot(mean, mean),
        "mean2": sum(parts),
        "squares": sum(p * s for p, s in zip(a, parts, strict=True)),
        "plain": sum(dot(v, v) for v in g) / len(g),
        "but_last": sum(parts[:-1], Fraction(0)),
    }


def _reweighted(x: Instance) -> Mapping[str, Any]:
    lam, tilde = x["weights"], x["applied"]
    gap = lam - tilde
    g = (gap / lam)[..., None] * x["pull"][:, None, :] + x["deviation"]
    size = (g**2).sum(axis=-1)
    some = tilde > 0
    return {
        "lhs": (np.einsum("ni,nij->nj", gap, g) ** 2).sum(axis=-1),
        "chi2": (gap**2 / lam).sum(axis=-1),
        "mean2": (lam * size).sum(axis=-1),
        "swapped": (gap**2 * some / np.where(some, tilde, 1.0)).sum(axis=-1),
        "applied2": (tilde * size).sum(axis=-1),
        "squares": (gap**2 * size).sum(axis=-1),
    }


def reweighted_exact(x: Mapping[str, Any]) -> Checked:
    """g_i = pull (lam_i − tilde_i)/lam_i + deviation_i, which is any vector at all."""
    lam, tilde = x["weights"], x["applied"]
    gap = [a - b for a, b in zip(lam, tilde, strict=True)]
    g = [
        [p * c / a + e for p, e in zip(x["pull"], row, strict=True)]
        for a, c, row in zip(lam, gap, x["deviation"], strict=True)
    ]
    moved = weighted_sum(gap, g)
    size = [dot(v, v) for v in g]
    return {"lambda > 0": min(lam) > 0}, {
        "lhs": dot(moved, moved),
        "chi2": sum(c * c / a for a, c in zip(lam, gap, strict=True)),
        "mean2": dot(lam, size),
        "swapped": sum((c * c / b for b, c in zip(tilde, gap, strict=True) if b > 0), Fraction(0)),
        "applied2": dot(tilde, size),
        "squares": sum(c * c * s for c, s in zip(gap, size, strict=True)),
    }


def _spread(x: Instance) -> Mapping[str, Any]:
    a, w = x["weights"], x["points"]
    mean = np.einsum("ni,nij->nj", a, w)
    center = w.mean(axis=1) if "plain" in x else mean
    away = ((w - (mean + x["shift"])[:, None]) ** 2).sum(axis=-1)
    return {
        "lhs": (a * ((w - center[:, None]) ** 2).sum(axis=-1)).sum(axis=-1),
        "around_v": (a * away).sum(axis=-1),
        "squares": (a**2 * away).sum(axis=-1),
        "but_last": (a * away)[:, :-1].sum(axis=-1),
        "shift2": (x["shift"] ** 2).sum(axis=-1),
        "magnitude": 1e3 * (w**2).sum(axis=-1).max(axis=-1),  # distances below 1e-5 of the points are rounding
    }


def spread_exact(x: Mapping[str, Any]) -> Checked:
    """v = mean + shift; `plain` takes the left side around the unweighted mean instead."""
    a, w = x["weights"], x["points"]
    mean = weighted_sum(a, w)
    v = [m + s for m, s in zip(mean, x["shift"], strict=True)]
    center = weighted_sum([Fraction(1, len(a))] * len(a), w) if "plain" in x else mean
    about = [[sum((p - c) ** 2 for p, c in zip(one, to, strict=True)) for one in w] for to in (center, v)]
    parts = [p * s for p, s in zip(a, about[1], strict=True)]
    return {"weights on the simplex": is_simplex(a)}, {
        "lhs": dot(a, about[0]),
        "around_v": sum(parts),
        "squares": dot(a, parts),
        "but_last": sum(parts[:-1], Fraction(0)),
        "shift2": dot(x["shift"], x["shift"]),
    }


_VECTORS = (dot, weighted_sum, is_simplex)
DIM = Size("d", 1, 8, 2)


def clients(low: int = 1) -> Size:
    """N clients, three unless N itself is tried."""
    return Size("N", low, 300, 3)


def sized(name: str, N: float, d: float, coordinates: tuple[Coordinate, ...], measure: Any, check: Any) -> Case:
    """The case of N clients in dimension d; 0 where there is no dimension."""
    sizes = f"N = {int(N)}" + (f", d = {int(d)}" if d else "")
    return Case(f"{name}, {sizes}", Space(coordinates), measure, check, cost=max(1.0, N * max(d, 1.0) / 50))


def weighted_mean(*extra: Coordinate) -> tuple[Family, ...]:
    """K7: weights on the simplex and any vectors; `extra` may bring `total`, the sum of the weights."""

    def at(*, N: float, d: float) -> Case:
        vectors = Signed("vectors", 1e-3, 1e3, (int(N), int(d)))
        coordinates: tuple[Coordinate, ...] = (Simplex("weights", int(N)), vectors, *extra)
        return sized("any vectors", N, d, coordinates, _mean, ExactCheck(mean_exact, _VECTORS))

    return (Family("any vectors", (clients(), DIM), at),)


def reweighted_sum(*kinds: str) -> tuple[Family, ...]:
    """K8: `kinds` "weights on the simplex" and "any weights", λ > 0 and λ̃ of any sign."""

    def at(kind: str, *, N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        weights: dict[str, tuple[Coordinate, ...]] = {
            "weights on the simplex": (Simplex("weights", n, interior=True), Simplex("applied", n)),
            "any weights": (LogScale("weights", 1e-3, 1e3, (n,)), Signed("applied", 1e-3, 1e3, (n,))),
        }
        vectors = (Signed("pull", 1e-3, 1e3, (dim,)), Signed("deviation", 1e-6, 1e3, (n, dim)))
        check = ExactCheck(reweighted_exact, (dot, weighted_sum))
        return sized(kind, N, d, (*weights[kind], *vectors), _reweighted, check)

    return tuple(Family(kind, (clients(), DIM), partial(at, kind)) for kind in kinds)


def point_spread(*extra: Coordinate) -> tuple[Family, ...]:
    """K10: points wᵢ and v = w̄ + shift; `extra` may bring `plain`, the unweighted mean on the left."""

    def at(*, N: float, d: float) -> Case:
        points = (Signed("points", 1e-3, 1e3, (int(N), int(d))), Signed("shift", 1e-6, 1e3, (int(d),)))
        coordinates: tuple[Coordinate, ...] = (Simplex("weights", int(N)), *points, *extra)
        return sized("any points", N, d, coordinates, _spread, ExactCheck(spread_exact, _VECTORS))

    return (Family("any points", (clients(), DIM), at),)
