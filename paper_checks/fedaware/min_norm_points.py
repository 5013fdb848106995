"""FA-MN1 to FA-MN5: the shortest point of a hull exists, is unique, and what tells that weights give it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked, fact, flagged, hulls, nearest, never, shortest, squares
from theory.exact import dot, weighted_sum
from theory.quantities import pseudo_gradient
from validation import Canary, Choice, Claim, Instance, LogScale, Reading, Signed, Simplex
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]


def _unique(x: Instance) -> Mapping[str, Any]:
    """‖v − d‖² against ‖v‖² − ‖d‖² for v = Σμᵢmᵢ, so that no second point is as short; `weights`: ‖λ − μ‖² if v = d."""
    m, mu = x["m"], x["mu"]
    weights, d = nearest(m)
    v = pseudo_gradient(m, mu)
    largest = squares(m).max(axis=1)
    if "weights" in x:
        return {"lhs": squares(weights - mu), "admissible": squares(v - d) == 0}
    return {"lhs": squares(v - d) - (squares(v) - squares(d)), "magnitude": largest}


def unique_exact(x: Mapping[str, Any]) -> Checked:
    """d is the shortest stationary point of all faces, v any point of the hull."""
    m, mu = x["m"], x["mu"]
    weights, d = shortest(m)
    v = weighted_sum(mu, m)
    apart = [a - b for a, b in zip(v, d, strict=True)]
    hypotheses = {"mu on the simplex": sum(mu) == 1 and min(mu) >= 0}
    if "weights" in x:
        other = [a - b for a, b in zip(weights, mu, strict=True)]
        return {**hypotheses, "mu gives d too": dot(apart, apart) == 0}, {"lhs": dot(other, other)}
    return hypotheses, {"lhs": dot(apart, apart) - dot(v, v) + dot(d, d)}


def _optimal(x: Instance) -> Mapping[str, Any]:
    """How far ⟨mᵢ, d⟩ >= ‖d‖² with equality for λᵢ > 0 is missed; `back`: how far from shortest v is beyond its gap."""
    m = x["m"]
    weights, d = nearest(m)
    largest = squares(m).max(axis=1)
    if "mu" in x:
        v = pseudo_gradient(m, x["mu"])
        gap = 2 * (squares(v) - np.einsum("nid,nd->ni", m, v).min(axis=1))
        return {"lhs": squares(v) - squares(d) - gap, "magnitude": largest}
    beyond = np.einsum("nid,nd->ni", m, d) - squares(d)[:, None]
    tied = np.abs(beyond) if "all" in x else weights * beyond
    return {"lhs": np.maximum(-beyond.min(axis=1), tied.max(axis=1)), "magnitude": largest}


def optimal_exact(x: Mapping[str, Any]) -> Checked:
    """The conditions at the shortest point, or, with mu, what they leave open at another point of the hull."""
    m = x["m"]
    weights, d = shortest(m)
    if "mu" in x:
        v = weighted_sum(x["mu"], m)
        gap = 2 * (dot(v, v) - min(dot(u, v) for u in m))
        met = {"mu on the simplex": sum(x["mu"]) == 1 and min(x["mu"]) >= 0}
        return met, {"lhs": dot(v, v) - dot(d, d) - gap}
    beyond = [dot(u, d) - dot(d, d) for u in m]
    tied = [abs(b) if "all" in x else a * b for a, b in zip(weights, beyond, strict=True)]
    return {"lambda on the simplex": sum(weights) == 1 and min(weights) >= 0}, {"lhs": max(-min(beyond), *tied)}


def _descent(x: Instance) -> Mapping[str, Any]:
    """How far ⟨mᵢ, d⟩ >= ‖d‖² is missed, for d ≠ 0; `mean` takes the plain mean for d, `factor` asks for 2‖d‖²."""
    m = x["m"]
    d = m.mean(axis=1) if "mean" in x else nearest(m)[1]
    factor = 2.0 if "factor" in x else 1.0
    size, largest = squares(d), squares(m).max(axis=1)
    missed = factor * size - np.einsum("nid,nd->ni", m, d).min(axis=1)
    return {"lhs": missed, "admissible": size > 1e-10 * largest, "magnitude": largest}


def descent_exact(x: Mapping[str, Any]) -> Checked:
    """By how much the least inner product with d is below |d|^2 > 0."""
    m = x["m"]
    d = [sum(c) / len(m) for c in zip(*m, strict=True)] if "mean" in x else shortest(m)[1]
    factor = 2 if "factor" in x else 1
    return {"d is not 0": dot(d, d) > 0}, {"lhs": factor * dot(d, d) - min(dot(u, d) for u in m)}


def _zero(x: Instance) -> Mapping[str, Any]:
    """‖d‖² once −Σrᵢmᵢ has joined the m, so that 0 is in the hull for r >= 0; `any`: r of any sign."""
    m, r = x["m"], x["ratio"]
    joined = np.concatenate([m, -pseudo_gradient(m, r)[:, None]], axis=1)
    return {"lhs": squares(nearest(joined)[1]), "magnitude": squares(joined).max(axis=1)}


def zero_exact(x: Mapping[str, Any]) -> Checked:
    """0 = (last + sum r_i m_i)/(1 + sum r_i) is in the hull by construction for r >= 0."""
    r = x["ratio"]
    joined = [*x["m"], [-c for c in weighted_sum(r, x["m"])]]
    d = shortest(joined)[1]
    return {"r >= 0 where that is asked": "any" in x or min(r) >= 0}, {"lhs": dot(d, d)}


def _apart(x: Instance) -> Mapping[str, Any]:
    """(minᵢ⟨u, mᵢ⟩)₊² against ‖u‖²‖d‖²: a direction that separates the mᵢ from 0 keeps d away from it."""
    m, u = x["m"], x["u"]
    inner = np.einsum("nid,nd->ni", m, u)
    least = np.maximum(inner.max(axis=1) if "largest" in x else inner.min(axis=1), 0.0)
    room = squares(u) * squares(nearest(m)[1])
    return {"lhs": least**2 - room, "magnitude": squares(u) * squares(m).max(axis=1)}


def apart_exact(x: Mapping[str, Any]) -> Checked:
    """The least inner product with u, where it is positive, against |u||d|, both squared."""
    inner = [dot(v, x["u"]) for v in x["m"]]
    least = max(max(inner) if "largest" in x else min(inner), Fraction(0))
    d = shortest(x["m"])[1]
    return {}, {"lhs": least * least - dot(x["u"], x["u"]) * dot(d, d)}


def _one(x: Instance) -> Mapping[str, Any]:
    """‖λ − λ'‖² for the weights found with the clients in order and in reverse; `any`: the mᵢ need not be independent."""
    m = x["m"]
    weights, d = nearest(m)
    other = nearest(m[:, ::-1])[0][:, ::-1]
    size = squares(m)
    beyond = np.abs(np.einsum("nid,nd->ni", m, d) - squares(d)[:, None])
    active = beyond <= 1e-6 * (np.sqrt(size) * np.sqrt(size.max(axis=1))[:, None] + squares(d)[:, None])
    unit = np.where(size.max(axis=1) > 0, size.max(axis=1), 1.0)[:, None, None]
    lifted = np.einsum("nid,njd->nij", m, m) / unit + 1.0
    root = np.sqrt(np.einsum("nii->ni", lifted))
    both = active[:, :, None] & active[:, None, :]
    inside = np.where(both, lifted / (root[:, :, None] * root[:, None, :]), np.eye(m.shape[1]))
    independent = np.linalg.eigvalsh(inside)[:, 0] > 1e-6
    # Weights on nearly dependent faces are known to a thousandth; other weights differ by far more.
    apart = {"lhs": squares(weights - other), "magnitude": np.full(len(m), 1e7)}
    return {**apart, "admissible": independent | ("any" in x)}


def one_exact(x: Mapping[str, Any]) -> Checked:
    """Two optimal weight vectors, from the faces in one order and in the other; the active m_i affinely independent."""
    m = x["m"]
    weights, d = shortest(m)
    other = shortest(m[::-1])[0][::-1]
    active = [u for u in m if dot(u, d) == dot(d, d)]
    lifted = [[dot(u, v) + 1 for v in active] for u in active]
    for k in range(len(lifted)):  # a Gram matrix is regular if every pivot of its elimination is not 0
        for i in range(k + 1, len(lifted)):
            if lifted[k][k] != 0:
                factor = lifted[i][k] / lifted[k][k]
                lifted[i] = [a - factor * b for a, b in zip(lifted[i], lifted[k], strict=True)]
    independent = all(lifted[k][k] != 0 for k in range(len(lifted)))
    apart = [a - b for a, b in zip(weights, other, strict=True)]
    return {"active vectors affinely independent": independent or "any" in x}, {"lhs": dot(apart, apart)}


def _mu(n: int, _d: int) -> tuple[Coordinate, ...]:
    return (Simplex("mu", n),)


def _ratio(n: int, _d: int) -> tuple[Coordinate, ...]:
    return (LogScale("ratio", 1e-2, 1e2, (n,), at=(1.0,)),)


def _any_ratio(n: int, _d: int) -> tuple[Coordinate, ...]:
    return (Signed("ratio", 1e-2, 1e2, (n,)), Choice("any", (1.0,)))


def _u(_n: int, d: int) -> tuple[Coordinate, ...]:
    return (Signed("u", 1e-2, 1e2, (d,)),)


MN1 = fact(
    "FA-MN1",
    "A shortest point exists and is unique",
    r"d=\arg\min_{v\in C}\|v\|\ \text{ exists and is unique, weights need not be};\quad C=\mathrm{conv}\{m_1,\dots,m_N\}",
    "The hull of the updates has exactly one shortest point.",
    (
        Reading(
            "no second shortest point",
            "‖v − d‖² <= ‖v‖² − ‖d‖² for every v of the hull, so that a point as short as d is d.",
            never(hulls(_unique, unique_exact, _mu, clients=("mu",))),
        ),
    ),
    (
        Canary(
            "the weights are unique too",
            never(hulls(_unique, unique_exact, flagged("weights", _mu), clients=("mu",), symmetric=False), (0, 0)),
            "for m₁ = m₂ all weights give the same point",
        ),
    ),
    "v on the line through d at a right angle to d",
    "The hull is compact and the norm strictly convex. A point v of the hull exceeds d in squared norm by at least "
    "‖v − d‖². The weights are another matter: equal updates share their weight in any proportion.",
)

MN2 = fact(
    "FA-MN2",
    "Conditions of optimality",
    r"\lambda\text{ optimal}\iff\langle m_i,d\rangle\ge\|d\|^2\ \forall i,\text{ with equality where }\lambda_i>0",
    "Weights are optimal if and only if no update leans on their point by less than its squared length.",
    (
        Reading(
            "optimal weights meet them",
            "At the shortest of the stationary points of all faces.",
            never(hulls(_optimal, optimal_exact)),
        ),
        Reading(
            "weights that meet them are optimal",
            "‖v‖² − ‖d‖² is at most 2(‖v‖² − minᵢ⟨mᵢ, v⟩), which is 0 where the conditions hold.",
            never(hulls(_optimal, optimal_exact, _mu, clients=("mu",))),
        ),
    ),
    (
        Canary(
            "equality for every client",
            never(hulls(_optimal, optimal_exact, flagged("all"))),
            "for m₁ = 1 and m₂ = 2 the point is 1 and ⟨m₂, d⟩ = 2",
        ),
    ),
    "every mᵢ of positive weight",
    "Both directions hold: moving from d towards mᵢ cannot shorten it, and the duality gap vanishes where no update "
    "leans less.",
)

MN3 = fact(
    "FA-MN3",
    "A common descent direction",
    r"d\ne0\ \Rightarrow\ \langle d,m_i\rangle\ge\|d\|^2>0",
    "The negative of a non-zero shortest point is a descent direction for every client at once.",
    (Reading("as stated", "For every client, d not 0.", never(hulls(_descent, descent_exact))),),
    (
        Canary(
            "the mean in place of d",
            never(hulls(_descent, descent_exact, flagged("mean"))),
            "for m = 1 and −3 the mean is −1 and leans against 1",
        ),
        Canary(
            "twice as steep",
            never(hulls(_descent, descent_exact, flagged("factor"))),
            "for one client ⟨d, m⟩ = ‖d‖²",
        ),
    ),
    "every mᵢ of positive weight",
    "This is MN2 read at d ≠ 0: every local loss falls along −d to first order, at the rate ‖d‖² or faster.",
    ("FA-MN2",),
)

MN4 = fact(
    "FA-MN4",
    "When the shortest point is 0",
    r"d=0\iff0\in C",
    "The shortest point vanishes exactly if 0 is in the hull, for gradients: if the model is Pareto stationary.",
    (
        Reading(
            "0 in the hull gives d = 0",
            "The last vector is a negative combination of the others.",
            never(hulls(_zero, zero_exact, _ratio, clients=("ratio",))),
        ),
        Reading(
            "0 outside keeps d away",
            "A direction with ⟨u, mᵢ⟩ >= c > 0 for all i gives ‖d‖ >= c/‖u‖.",
            never(hulls(_apart, apart_exact, _u, vectors=("u",)), (0, 4)),
        ),
    ),
    (
        Canary(
            "linear dependence is enough",
            never(hulls(_zero, zero_exact, _any_ratio, clients=("ratio",))),
            "for m and 2m the hull does not contain 0",
        ),
        Canary(
            "one client on the right side is enough",
            never(hulls(_apart, apart_exact, flagged("largest", _u), vectors=("u",)), (0, 4)),
            "for m = 1 and −1 the direction u = 1 leans on one of them, and d = 0",
        ),
    ),
    "u = d for the second",
    "Both directions hold. For updates that are gradients, d = 0 says that no direction lowers all local losses to "
    "first order.",
)

MN5 = fact(
    "FA-MN5",
    "When the weights are unique",
    r"\text{weights are unique if the }m_i\text{ with }\langle m_i,d\rangle=\|d\|^2\text{ are affinely independent}",
    "Optimal weights are unique if the updates that lean least on d are affinely independent.",
    (
        Reading(
            "as stated",
            "Optimal weights found from the faces in one order and in the other are the same.",
            never(hulls(_one, one_exact, symmetric=False, line=False), (0, 0)),
        ),
    ),
    (
        Canary(
            "independence not asked for",
            never(hulls(_one, one_exact, flagged("any"), symmetric=False, line=False), (0, 0)),
            "for m₁ = m₂ each order puts the weight on another of the two",
        ),
    ),
    None,
    "Optimal weights live on the active vectors, and a point has one set of weights over affinely independent vectors.",
    ("FA-MN2",),
)

CLAIMS: tuple[Claim, ...] = (MN1, MN2, MN3, MN4, MN5)
