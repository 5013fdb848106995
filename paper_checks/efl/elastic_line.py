"""Quadratic clients of the line with EFL's elastic term: minimisers, gradients, curvature and heterogeneity, with exact checks.

F̃ₖ(w) = hₖ(w − mₖ)²/2 + (λ/2) Σᵢ Iᵢ (w − aᵢ)², I the Fisher diagonals, a the anchors of a round, `later` those of another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.drawn import drawn
from theory.elastic import elastic
from theory.families import from_spectra
from validation import Instance, LogScale, Property, Signed, Simplex, Uniform, permuted_clients, units
from validation.statement.draw import Coordinate

__all__ = ["gap", "gradient", "minimiser"]


def _coordinates(N: int) -> Sequence[Coordinate]:
    return (
        LogScale("curvature", 1e-2, 1e2, (N,), at=(1.0,)),
        Signed("optimum", 1e-1, 1e1, (N,)),
        Simplex("share", N, interior=True),
        Uniform("fisher", 0.0, 1.0, (N,), at=(0.0, 1.0)),
        Signed("anchor", 1e-1, 1e1, (N,)),
        Signed("later", 1e-1, 1e1, (N,)),
        LogScale("elastic", 1e-2, 1e2, at=(1.0,)),
        Signed("point", 1e-1, 1e1),
    )


def _federation(x: Instance) -> tuple[Any, Any]:
    """The risks as quadratic clients, and the same with the elastic term, from `theory.elastic` at λ = 1 and I scaled by λ."""
    h, m = x["curvature"], x["optimum"]
    if "alike" in x:
        h, m = np.repeat(h[:, :1], h.shape[1], axis=1), np.repeat(m[:, :1], h.shape[1], axis=1)
    risks = from_spectra(h[..., None], None, m[..., None], np.zeros_like(h), x["share"])
    return risks, elastic(risks, (x["elastic"][:, None] * x["fisher"])[..., None], x["anchor"][..., None], 1.0)


def _reach(x: Instance) -> Any:
    return sum(np.abs(x[k]).reshape(len(x["point"]), -1).max(axis=1) for k in ("optimum", "anchor", "later", "point"))


def _minimiser(x: Instance) -> Mapping[str, Any]:
    """|F′| at the minimiser, or the distance to the minimiser at another round's anchors (`rounds`)."""
    x = {**x, "elastic": 0 * x["elastic"]} if "free" in x else x
    risks, here = _federation(x)
    best = here.optimum()
    if "rounds" in x:
        there = elastic(risks, (x["elastic"][:, None] * x["fisher"])[..., None], x["later"][..., None], 1.0)
        return {"lhs": np.abs(best - there.optimum())[:, 0], "magnitude": _reach(x)}
    h, lam = x["curvature"], x["elastic"]
    w = best[:, 0]
    pull = (x["share"] * h * (w[:, None] - x["optimum"])).sum(axis=1)
    hold = lam * (x["fisher"] * (w[:, None] - x["anchor"])).sum(axis=1)
    if "per client" in x:
        hold = hold * 2
    stiff = h.max(axis=1) + lam * x["fisher"].sum(axis=1)
    return {"lhs": np.abs(pull + hold) / stiff, "magnitude": _reach(x)}


def optimum_exact(h: Any, m: Any, p: Any, pull: Any, anchor: Any) -> Any:
    """Minimiser of sum p_k h_k (w - m_k)^2/2 + sum pull_i (w - a_i)^2/2."""
    top = sum(q * c * v for q, c, v in zip(p, h, m, strict=True)) + sum(
        u * a for u, a in zip(pull, anchor, strict=True)
    )
    return top / (sum(q * c for q, c in zip(p, h, strict=True)) + sum(pull))


def minimiser_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|F'| over its curvature at the minimiser of one round, or how far the minimisers of two rounds are apart."""
    h, m, p, lam = x["curvature"], x["optimum"], x["share"], x["elastic"] * (0 if "free" in x else 1)
    pull = [lam * i for i in x["fisher"]]
    w = optimum_exact(h, m, p, pull, x["anchor"])
    met = {"shares on the simplex": sum(p) == 1, "lambda and Fisher diagonals >= 0": lam >= 0 and min(pull) >= 0}
    if "rounds" in x:
        return met, {"lhs": abs(w - optimum_exact(h, m, p, pull, x["later"]))}
    slope = sum(q * c * (w - v) for q, c, v in zip(p, h, m, strict=True))
    hold = sum(u * (w - a) for u, a in zip(pull, x["anchor"], strict=True)) * (2 if "per client" in x else 1)
    return met, {"lhs": abs(slope + hold) / (max(h) + sum(pull))}


def _gradient(x: Instance) -> Mapping[str, Any]:
    """|∇fₖ + λ(Σuω − Σv) − central difference of F̃ₖ| over the curvature, or the curvature against hₖ + λΣIᵢ (`bend`)."""
    h, lam, w = x["curvature"], x["elastic"], x["point"]
    total = lam * x["fisher"].sum(axis=1)
    if "bend" in x:
        _, here = _federation(x)
        found = here.curvature[..., 0, 0]
        less = 0.0 if "mean" not in x else 1 - 1 / h.shape[1]
        lhs = np.abs(found - h - (total * (1 - less))[:, None]).max(axis=1) / (h.max(axis=1) + total)
        return {"lhs": lhs, "magnitude": np.ones_like(lhs)}
    step = 1.0 + np.abs(w)

    def value(z: Any) -> Any:
        hold = (x["fisher"] * (z[:, None] - x["anchor"]) ** 2).sum(axis=1)
        return 0.5 * h * (z[:, None] - x["optimum"]) ** 2 + 0.5 * (lam * hold)[:, None]

    slope = (value(w + step) - value(w - step)) / (2 * step)[:, None]
    v = lam * (x["fisher"] * (1.0 if "box" in x else x["anchor"])).sum(axis=1)
    given = h * (w[:, None] - x["optimum"]) + (total * w - v)[:, None]
    lhs = np.abs(slope - given).max(axis=1) / (h.max(axis=1) + total)
    return {"lhs": lhs, "magnitude": 10 * (_reach(x) + 1) ** 2}


def gradient_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """grad f_k + lambda (sum u w - sum v) against a central difference of (2), which is exact on quadratics."""
    h, m, lam, w = x["curvature"], x["optimum"], x["elastic"], x["point"]
    clients, step, total = range(len(h)), 1 + abs(w), lam * sum(x["fisher"])

    def value(k: int, z: Any) -> Any:
        hold = sum(i * (z - a) ** 2 for i, a in zip(x["fisher"], x["anchor"], strict=True))
        return h[k] * (z - m[k]) ** 2 / 2 + lam * hold / 2

    met = {"lambda and Fisher diagonals >= 0": lam >= 0 and min(x["fisher"]) >= 0}
    if "bend" in x:
        bends = [value(k, w + 1) + value(k, w - 1) - 2 * value(k, w) for k in clients]
        added = total / len(h) if "mean" in x else total
        return met, {"lhs": max(abs(bends[k] - h[k] - added) for k in clients) / (max(h) + total)}
    v = lam * sum(i if "box" in x else i * a for i, a in zip(x["fisher"], x["anchor"], strict=True))
    gaps = []
    for k in clients:
        slope = (value(k, w + step) - value(k, w - step)) / (2 * step)
        gaps.append(abs(slope - h[k] * (w - m[k]) - total * w + v))
    return met, {"lhs": max(gaps) / (max(h) + total)}


def _gap(x: Instance) -> Mapping[str, Any]:
    """−min Dₖ; max Dₖ for equal risks (`alike`); max |Dₖ with F̃ − Dₖ with f| at the respective minimisers (`both`)."""
    risks, here = _federation(x)
    best = here.optimum()[:, None, :]
    own = here.losses(best) - here.floor
    if "wrong" in x:
        own = here.losses(best) - here.losses(risks.centers)
    size = (x["curvature"].max(axis=1) + x["elastic"] * x["fisher"].sum(axis=1)) * _reach(x) ** 2
    if "both" in x:
        plain = risks.losses(risks.optimum()[:, None, :])
        return {"lhs": np.abs(own - plain).max(axis=1), "magnitude": 10 * size}
    return {"lhs": own.max(axis=1) if "alike" in x else -own.min(axis=1), "magnitude": 10 * size}


def gap_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """D_k = F~_k(w*) - min F~_k at the minimiser w* of F; `both`: its distance from the same without elastic term."""
    h, m, p, lam = x["curvature"], x["optimum"], x["share"], x["elastic"]
    if "alike" in x:
        h, m = [h[0] for _ in h], [m[0] for _ in m]
    pull, anchor, clients = [lam * i for i in x["fisher"]], x["anchor"], range(len(h))

    def value(k: int, z: Any) -> Any:
        return h[k] * (z - m[k]) ** 2 / 2 + sum(u * (z - a) ** 2 for u, a in zip(pull, anchor, strict=True)) / 2

    best = optimum_exact(h, m, p, pull, anchor)
    plain = optimum_exact(h, m, p, [Fraction(0) for _ in pull], anchor)
    own = []
    for k in clients:
        low = m[k] if "wrong" in x else optimum_exact([h[k]], [m[k]], [1], pull, anchor)
        own.append(value(k, best) - value(k, low))
    met = {"shares on the simplex": sum(p) == 1, "lambda and Fisher diagonals >= 0": lam >= 0 and min(pull) >= 0}
    if "both" in x:
        return met, {"lhs": max(abs(own[k] - h[k] * (plain - m[k]) ** 2 / 2) for k in clients)}
    return met, {"lhs": max(own) if "alike" in x else -min(own)}


_EACH = dict.fromkeys(("curvature", "optimum", "share", "fisher", "anchor", "later"), 0)
_UNITS = units(
    {"curvature": (1, -2), "elastic": (1, -2), **dict.fromkeys(("optimum", "anchor", "later", "point"), (0, 1))}
)


def _test(measure: Any, exact: Any, *flags: str, degrees: tuple[int, int] | None) -> Property:
    same = () if "alike" in flags else (permuted_clients(_EACH),)
    plain = measure is _gradient and "bend" not in flags
    return drawn(
        "elastic clients" + "".join(f", {f}" for f in flags),
        _coordinates,
        measure,
        exact,
        uses=() if measure is _gradient else (optimum_exact,),
        flags=dict.fromkeys(flags, 1.0),
        same=same if plain else (*same, _UNITS),
        degrees=degrees,
    )


def minimiser(*flags: str) -> Property:
    """F′ = 0 at the minimiser, or (`rounds`) one minimiser for two rounds' anchors; `free`: λ = 0."""
    return _test(_minimiser, minimiser_exact, *flags, degrees=(0, 1))


def gradient(*flags: str) -> Property:
    """The gradient from the two sums, or (`bend`) the curvature hₖ + λΣIᵢ."""
    return _test(_gradient, gradient_exact, *flags, degrees=(0, 0) if "bend" in flags else None)


def gap(*flags: str) -> Property:
    """Dₖ >= 0; `alike`: 0 for equal risks; `both`: the same with and without elastic term."""
    return _test(_gap, gap_exact, *flags, degrees=(1, 0))
