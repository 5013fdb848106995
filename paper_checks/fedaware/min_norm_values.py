"""FA-MN10 to FA-MN13 and FA-MN15: closed forms of the shortest point, and what bounds its length from both sides."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked, fact, flagged, hulls, nearest, never, shortest, squares
from paper_checks.known_truths.exact import reflected
from theory.exact import dot, weighted_sum
from theory.quantities import pseudo_gradient
from validation import (
    Canary,
    Case,
    Claim,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    units,
)
from validation.statement.draw import Choice, Coordinate

__all__ = ["CLAIMS"]


def _orthogonal(x: Instance) -> Mapping[str, Any]:
    """Vectors ℓᵢUeᵢ: ‖Σλᵢmᵢ‖² − ‖Σμᵢmᵢ‖² and |‖Σλᵢmᵢ‖²·Σ‖mᵢ‖⁻² − 1|·least ‖mᵢ‖², λᵢ ∝ ‖mᵢ‖⁻² (`root`: ∝ ‖mᵢ‖⁻¹)."""
    length, r = x["length"], x["mirror"]
    m = np.eye(length.shape[1]) * length[:, :, None]
    size = np.where(squares(r) > 0, squares(r), 1.0)
    m = m - 2 * (m @ r[..., None]) * r[:, None] / size[:, None, None]
    power = 1.0 / length if "root" in x else 1.0 / length**2
    claimed = squares(pseudo_gradient(m, power / power.sum(axis=1, keepdims=True)))
    least = (length**2).min(axis=1)
    value = np.abs(claimed * (1.0 / length**2).sum(axis=1) - 1.0) * least
    missed = np.maximum(claimed - squares(pseudo_gradient(m, x["mu"])), value)
    return {"lhs": missed, "magnitude": (length**2).max(axis=1)}


def orthogonal_exact(x: Mapping[str, Any]) -> Checked:
    """Orthogonal vectors of the given lengths in a reflected basis, and any other weights mu."""
    length, n = x["length"], len(x["length"])
    m = [reflected([x["mirror"]], [length[i] * (i == j) for j in range(n)]) for i in range(n)]
    power = [1 / a if "root" in x else 1 / (a * a) for a in length]
    claimed, other = weighted_sum([p / sum(power) for p in power], m), weighted_sum(x["mu"], m)
    short = dot(claimed, claimed)
    value = abs(short * sum(1 / dot(v, v) for v in m) - 1) * min(dot(v, v) for v in m)
    met = {"orthogonal": all(dot(m[i], m[j]) == 0 for i in range(min(n, 6)) for j in range(i))}
    return met, {"lhs": max(short - dot(other, other), value)}


def _orthogonal_family(extra: tuple[Coordinate, ...] = ()) -> Family:
    def at(N: float) -> Case:
        n = int(N)
        space = Space(
            (
                LogScale("length", 1e-2, 1e2, (n,), at=(1.0,)),
                Signed("mirror", 1e-2, 1.0, (n,)),
                Simplex("mu", n),
                *extra,
            )
        )
        same = (units({"length": (0, 1)}), permuted_clients({"length": 0, "mirror": 0, "mu": 0}))
        check = ExactCheck(orthogonal_exact, (dot, weighted_sum, reflected))
        return Case(f"{n} orthogonal vectors", space, _orthogonal, check, cost=max(1.0, n * n / 4000), symmetries=same)

    return Family("orthogonal vectors", (Size("N", 1, 100, 3),), at)


def _pair(x: Instance) -> Mapping[str, Any]:
    """‖λ₁m₁ + (1 − λ₁)m₂‖² − ‖d‖² for the printed λ₁; `free` without the clip, `other` with m₁ for m₂ in the product."""
    u, v = x["m"][:, 0], x["m"][:, 1]
    size = squares(u - v)
    top = ((v - u) * (u if "other" in x else v)).sum(axis=-1)
    share = top / np.where(size > 0, size, 1.0)
    share = (share if "free" in x else np.clip(share, 0.0, 1.0))[:, None]
    point = share * u + (1 - share) * v
    excess = squares(point) - squares(nearest(x["m"])[1])
    missed = np.abs(excess) if "free" in x else excess
    return {"lhs": missed, "admissible": size > 0, "magnitude": squares(x["m"]).max(axis=1)}


def pair_exact(x: Mapping[str, Any]) -> Checked:
    """The printed weight of two different vectors against the shortest of the hull's faces."""
    u, v = x["m"]
    apart = [b - a for a, b in zip(u, v, strict=True)]
    share = dot(apart, u if "other" in x else v) / dot(apart, apart)
    if "free" not in x:
        share = min(max(share, Fraction(0)), Fraction(1))
    point, d = weighted_sum([share, 1 - share], x["m"]), shortest(x["m"])[1]
    excess = dot(point, point) - dot(d, d)
    return {"m_1 and m_2 differ": any(apart)}, {"lhs": abs(excess) if "free" in x else excess}


def _shorter(x: Instance) -> Mapping[str, Any]:
    """‖d‖² − ‖Σμᵢmᵢ‖², and ‖d‖² − minᵢ‖mᵢ‖²; `over`: the least square over N instead."""
    m = x["m"]
    size, least = squares(nearest(m)[1]), squares(m).min(axis=1)
    if "over" in x:
        least = least / m.shape[1]
    missed = np.maximum(size - squares(pseudo_gradient(m, x["mu"])), size - least)
    return {"lhs": missed, "magnitude": squares(m).max(axis=1)}


def shorter_exact(x: Mapping[str, Any]) -> Checked:
    """The shortest point against another point of the hull and against the shortest vector."""
    m = x["m"]
    d, v = shortest(m)[1], weighted_sum(x["mu"], m)
    least = min(dot(u, u) for u in m) / (len(m) if "over" in x else 1)
    met = {"mu on the simplex": sum(x["mu"]) == 1 and min(x["mu"]) >= 0}
    return met, {"lhs": dot(d, d) - min(dot(v, v), least)}


def _margin(x: Instance) -> Mapping[str, Any]:
    """(minᵢ⟨u, mᵢ⟩)₊² − ‖d‖²‖u‖², and u = d attains it; `largest`: the largest inner product in place of the least."""
    m, u = x["m"], x["u"]
    d = nearest(m)[1]
    inner = np.einsum("nid,nd->ni", m, u)
    best = np.maximum(inner.max(axis=1) if "largest" in x else inner.min(axis=1), 0.0)
    attained = squares(d) - np.einsum("nid,nd->ni", m, d).min(axis=1)
    size, largest = squares(u), squares(m).max(axis=1)
    return {"lhs": np.maximum(best**2 - size * squares(d), attained * size), "magnitude": size * largest}


def margin_exact(x: Mapping[str, Any]) -> Checked:
    """No unit vector leans on all of them by more than |d|, and d/|d| does by as much."""
    m, u = x["m"], x["u"]
    d, inner = shortest(m)[1], [dot(v, u) for v in m]
    best = max(max(inner) if "largest" in x else min(inner), Fraction(0))
    attained = dot(d, d) - min(dot(v, d) for v in m)
    return {}, {"lhs": max(best * best - dot(u, u) * dot(d, d), attained * dot(u, u))}


def _gap(x: Instance) -> Mapping[str, Any]:
    """What v = Σμᵢmᵢ of gap Γ misses of the three bounds; `half`: Γ/2 bounds the excess."""
    m = x["m"]
    v, d = pseudo_gradient(m, x["mu"]), nearest(m)[1]
    lean = np.einsum("nid,nd->ni", m, v).min(axis=1)
    gap = 2 * (squares(v) - lean)
    excess = squares(v) - squares(d)
    first = squares(v - d) - excess
    second = excess - (gap / 2 if "half" in x else gap)
    third = squares(v) - gap / 2 - lean
    return {"lhs": np.maximum(np.maximum(first, second), third), "magnitude": squares(m).max(axis=1)}


def gap_exact(x: Mapping[str, Any]) -> Checked:
    """The Frank-Wolfe gap at v = sum mu_i m_i, from its definition max over s of the hull of <2v, v - s>."""
    m = x["m"]
    v, d = weighted_sum(x["mu"], m), shortest(m)[1]
    gap = max(2 * (dot(v, v) - dot(v, u)) for u in m)
    apart = [a - b for a, b in zip(v, d, strict=True)]
    excess = dot(v, v) - dot(d, d)
    second = excess - (gap / 2 if "half" in x else gap)
    third = max(dot(v, v) - gap / 2 - dot(v, u) for u in m)
    met = {"mu on the simplex": sum(x["mu"]) == 1 and min(x["mu"]) >= 0}
    return met, {"lhs": max(dot(apart, apart) - excess, second, third)}


def _mu(n: int, _d: int) -> tuple[Coordinate, ...]:
    return (Simplex("mu", n),)


def _u(_n: int, d: int) -> tuple[Coordinate, ...]:
    return (Signed("u", 1e-2, 1e2, (d,)),)


def _two(extra: tuple[Coordinate, ...] = ()) -> tuple[Family, ...]:
    """Pairs of vectors only."""

    def at(d: float) -> Case:
        dim = int(d)
        case = hulls(_pair, pair_exact, lambda _n, _d: extra, symmetric=False, line=False, least=2)[0].at(N=2, d=dim)
        return case

    return (Family("two vectors", (Size("d", 1, 8, 2),), at),)


MN10 = fact(
    "FA-MN10",
    "Orthogonal updates",
    r"\langle m_i,m_j\rangle=0\ \Rightarrow\ \lambda_i\propto\frac1{\|m_i\|^2},\quad\|d\|^{-2}=\sum_i\|m_i\|^{-2}",
    "Orthogonal updates are weighted by their inverse squared lengths.",
    (
        Reading(
            "as stated",
            "No other weights give a shorter point, and its length is as stated.",
            never((_orthogonal_family(),)),
        ),
    ),
    (
        Canary(
            "inverse lengths",
            never((_orthogonal_family((Choice("root", (1.0,)),)),)),
            "for lengths 1 and 2 the weights 2/3 and 1/3 give 8/9, and 4/5 and 1/5 give 4/5",
        ),
    ),
    "always equal",
    "The inner product of mᵢ with Σλⱼmⱼ is λᵢ‖mᵢ‖², the same for all clients: the conditions of optimality hold.",
    ("FA-MN2",),
)

MN11 = fact(
    "FA-MN11",
    "Two clients in closed form",
    r"N=2:\quad\lambda_1=\mathrm{clip}\Big(\frac{\langle m_2-m_1,m_2\rangle}{\|m_1-m_2\|^2},0,1\Big)",
    "For two different updates the optimal weight has a closed form.",
    (Reading("as stated", "Two different vectors; equal ones leave 0/0, and any weight is optimal.", never(_two())),),
    (
        Canary(
            "without the clip",
            never(_two((Choice("free", (1.0,)),))),
            "for m = 1 and 2 the line through them passes 0, which is not in the hull",
        ),
        Canary(
            "m₁ in place of m₂ in the product",
            never(_two((Choice("other", (1.0,)),))),
            "for (1, 0) and (0, 2) it gives λ₁ = 0 and the point (0, 2), which is longer than (1, 0)",
        ),
    ),
    "always equal",
    "‖λ₁m₁ + (1 − λ₁)m₂‖² is a parabola in λ₁ whose vertex is the fraction printed.",
)

MN12 = fact(
    "FA-MN12",
    "No point of the hull is shorter",
    r"\|d\|\le\Big\|\sum_i\mu_im_i\Big\|\ \forall\mu\in\Delta_N,\qquad\|d\|\le\min_i\|m_i\|",
    "The shortest point is no longer than any weighted mean, nor than any update.",
    (Reading("as stated", "Any weights.", never(hulls(_shorter, shorter_exact, _mu, clients=("mu",)))),),
    (
        Canary(
            "shorter by the number of clients",
            never(hulls(_shorter, shorter_exact, flagged("over", _mu), clients=("mu",))),
            "for equal vectors ‖d‖ = ‖m‖, whatever their number",
        ),
    ),
    "μ = λ",
    "This is what d is.",
)

MN13 = fact(
    "FA-MN13",
    "The largest common lean",
    r"\|d\|=\max_{\|u\|\le1}\min_i\langle u,m_i\rangle",
    "The length of the shortest point is the largest margin by which a unit vector can lean on all updates.",
    (
        Reading(
            "as stated",
            "No u leans more, and d/‖d‖ as much; squared, negative margins count as 0.",
            never(hulls(_margin, margin_exact, _u, vectors=("u",)), (0, 4)),
        ),
    ),
    (
        Canary(
            "the largest inner product in place of the least",
            never(hulls(_margin, margin_exact, flagged("largest", _u), vectors=("u",)), (0, 4)),
            "for m = 1 and 2 and u = 1 the largest is 2 and ‖d‖ = 1",
        ),
    ),
    "u = d/‖d‖",
    "⟨u, d⟩ is a mean of the ⟨u, mᵢ⟩ and at most ‖u‖‖d‖, so no margin is larger; by MN2 u = d/‖d‖ has margin ‖d‖.",
    ("FA-MN2",),
)

MN15 = fact(
    "FA-MN15",
    "What the gap of approximate weights tells",
    r"\|v-d\|^2\le\|v\|^2-\|d\|^2\le\Gamma,\qquad\langle v,m_i\rangle\ge\|v\|^2-\Gamma/2",
    "The Frank-Wolfe gap bounds how far an approximate point is from the shortest, and how much it may fail to lean.",
    (Reading("as stated", "Any weights.", never(hulls(_gap, gap_exact, _mu, clients=("mu",)))),),
    (
        Canary(
            "half the gap",
            never(hulls(_gap, gap_exact, flagged("half", _mu), clients=("mu",))),
            "for m = 1 and 2 and v = 2 the excess is 3 and half the gap is 2",
        ),
    ),
    "v on a line through d at a right angle to d for the first",
    "The first is MN1, the second convexity of the squared norm, the third the definition of the gap.",
    ("FA-MN1",),
)

CLAIMS: tuple[Claim, ...] = (MN10, MN11, MN12, MN13, MN15)
