"""FA-MN14: how fast Frank–Wolfe finds the shortest point, its gap, and its line search."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked, squares
from theory.exact import dot, weighted_sum
from theory.quantities import pseudo_gradient
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Integer,
    Kind,
    Property,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

D2, k, Gamma = symbols("D2 k Gamma")
DEGREES = {"D2": (0, 2), "k": (0, 0), "Gamma": (0, 2)}
MOST = 200


def _run(x: Instance) -> Mapping[str, Any]:
    """h(λ_k) − h(μ) after k steps of length 2/(j + 2) from the vertex of client 1, for any other weights μ."""
    m = x["m"]
    gram = np.einsum("nid,njd->nij", m, m)
    n = m.shape[1]
    weights = np.zeros(m.shape[:2])
    weights[:, 0] = 1.0
    steps = x["k"].astype(int)
    for j in range(int(steps.max())):
        corner = np.eye(n)[np.einsum("nij,nj->ni", gram, weights).argmin(axis=1)]
        moved = weights + 2 / (j + 2) * (corner - weights)
        weights = np.where((j < steps)[:, None], moved, weights)
    v = pseudo_gradient(m, weights)
    sizes = np.einsum("nii->ni", gram)
    apart = sizes[:, :, None] + sizes[:, None, :] - 2 * gram
    gap = 2 * (squares(v) - np.einsum("nid,nd->ni", m, v).min(axis=1))
    return {
        "lhs": squares(v) - squares(pseudo_gradient(m, x["mu"])),
        "D2": np.maximum(apart, 0.0).max(axis=(1, 2)),
        "k": x["k"],
        "Gamma": gap,
        "magnitude": sizes.max(axis=1),
    }


def run_exact(x: Mapping[str, Any]) -> Checked:
    """k steps on |sum lambda_i m_i|^2 from the first vertex, each towards the vertex of the least inner product."""
    m, n_steps = x["m"], int(x["k"])
    v = m[0]
    for j in range(n_steps):
        inner = [dot(u, v) for u in m]
        corner = m[inner.index(min(inner))]
        v = [a + Fraction(2, j + 2) * (b - a) for a, b in zip(v, corner, strict=True)]
    other = weighted_sum(x["mu"], m)
    apart = max(sum((a - b) ** 2 for a, b in zip(u, w, strict=True)) for u in m for w in m)
    gap = 2 * (dot(v, v) - min(dot(u, v) for u in m))
    met = {"mu on the simplex": sum(x["mu"]) == 1 and min(x["mu"]) >= 0, "k >= 0": n_steps >= 0}
    return met, {"lhs": dot(v, v) - dot(other, other), "D2": apart, "k": Fraction(n_steps), "Gamma": gap}


def _runs(low: int) -> Family:
    def at(N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        space = Space((Signed("m", 1e-2, 1e2, (n, dim)), Simplex("mu", n), Integer("k", low, MOST, at=(1, 2, 3))))
        check = ExactCheck(run_exact, (dot, weighted_sum))
        cost = max(1.5, n / 25)
        return Case(f"{n} vectors, d = {dim}", space, _run, check, cost=cost, symmetries=(units({"m": (0, 1)}),))

    return Family("runs of Frank–Wolfe", (Size("N", 1, 100, 3), Size("d", 1, 8, 2)), at)


def _searched(x: Instance) -> Mapping[str, Any]:
    """h after a step with line search, less h before it; `full`: a full step to the vertex instead."""
    m = x["m"]
    v = pseudo_gradient(m, x["mu"])
    inner = np.einsum("nid,nd->ni", m, v)
    corner = m[np.arange(len(m)), inner.argmin(axis=1)]
    curve = squares(corner - v)
    length = -((corner - v) * v).sum(axis=-1) / np.where(curve > 0, curve, 1.0)
    length = np.ones(len(m)) if "full" in x else np.clip(length, 0.0, 1.0)
    after = v + length[:, None] * (corner - v)
    return {"lhs": squares(after) - squares(v), "magnitude": squares(m).max(axis=1)}


def searched_exact(x: Mapping[str, Any]) -> Checked:
    """One step from v = sum mu_i m_i towards the vertex of the least inner product."""
    m = x["m"]
    v = weighted_sum(x["mu"], m)
    inner = [dot(u, v) for u in m]
    move = [b - a for a, b in zip(v, m[inner.index(min(inner))], strict=True)]
    curve, length = dot(move, move), Fraction(1)
    if "full" not in x:
        length = min(max(-dot(v, move) / curve, Fraction(0)), Fraction(1)) if curve else Fraction(0)
    after = [a + length * b for a, b in zip(v, move, strict=True)]
    met = {"mu on the simplex": sum(x["mu"]) == 1 and min(x["mu"]) >= 0}
    return met, {"lhs": dot(after, after) - dot(v, v)}


def _steps(*, full: bool = False) -> Family:
    def at(N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        extra = (Choice("full", (1.0,)),) if full else ()
        space = Space((Signed("m", 1e-2, 1e2, (n, dim)), Simplex("mu", n), *extra))
        check = ExactCheck(searched_exact, (dot, weighted_sum))
        cost = max(1.0, n / 50)
        return Case(f"{n} vectors, d = {dim}", space, _searched, check, cost=cost, symmetries=(units({"m": (0, 1)}),))

    return Family("steps of Frank–Wolfe", (Size("N", 1, 300, 3), Size("d", 1, 8, 2)), at)


def rate_again(D2: Any, k: Any) -> Any:
    """The rate once more."""
    return D2 / (k / 4 + 0.5)


MN14 = Claim(
    id="FA-MN14",
    kind=Kind.INEQUALITY,
    source="min-norm points, used by eq. (2), §3 (Jaggi 2013)",
    title="Frank–Wolfe on the squared length",
    statement=(
        r"h(\lambda_k)-h^*\le\frac{4D^2}{k+2},\ D=\max_{i,j}\|m_i-m_j\|;\qquad h(\lambda_k)-h^*\le\text{gap};\qquad"
        r"\text{line search decreases }h"
    ),
    says="Frank–Wolfe comes within 4D²/(k + 2) of the least squared length, and its gap says how near it is.",
    assumes=("h(λ) = ‖Σλᵢmᵢ‖²", "τⱼ = 2/(j + 2), or the exact line search", "k >= 1 for the rate"),
    readings=(
        Reading(
            "rate, k >= 1",
            "Against h at any other weights, hence against the least.",
            Inequality(Bound(4 * D2 / (k + 2), rate_again, DEGREES), (_runs(1),), degrees=(0, 2)),
        ),
        Reading(
            "gap",
            "At every iterate, the first one included.",
            Inequality(Bound(Gamma, lambda Gamma: 1 * Gamma, DEGREES), (_runs(0),), degrees=(0, 2)),
        ),
        Reading("line search", "From any point of the hull.", Property((_steps(),), degrees=(0, 2))),
    ),
    canaries=(
        Canary(
            "a quadratic rate",
            Inequality(Bound(4 * D2 / (k + 2) ** 2, degrees=DEGREES), (_runs(1),), degrees=(0, 2)),
            "k steps reach at most k + 1 of N orthonormal updates, so h − h* >= 1/(k + 1) − 1/N, more than 8/(k + 2)² for "
            "k = 20 and N = 100",
        ),
        Canary(
            "the rate at k = 0 too",
            Inequality(Bound(4 * D2 / (k + 2), degrees=DEGREES), (_runs(0),), degrees=(0, 2)),
            "far from 0 the start exceeds the least squared length by about 2‖d‖D, which no D² pays for",
        ),
        Canary(
            "a full step in place of the line search",
            Property((_steps(full=True),), degrees=(0, 2)),
            "from the middle of m = ±1 it goes from 0 to 1",
        ),
    ),
    tight=None,
    depends_on=("FA-E2",),
    verdict_words=(
        "The curvature constant of ‖Σλᵢmᵢ‖² over the simplex is 2D², so Jaggi's bound is 4D²/(k + 2), for k >= 1: the first "
        "step, of length 1, forgets the start. The paper gives neither the step rule nor when to stop; a certificate has "
        "to be asked for."
    ),
)

CLAIMS: tuple[Claim, ...] = (MN14,)
