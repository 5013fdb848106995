"""A few vectors and the shortest point of their hull: in batch by `theory.minnorm`, exactly by looking at its faces.

Squares and inner products are observed, no roots. Plain functions use `Fraction`, `dot`, `solve` and `weighted_sum`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theory.exact import dot, solve, weighted_sum
from theory.minnorm import enumerate_faces, min_norm_point
from theory.minnorm.faces import MOST_CLIENTS
from theory.minnorm.lockstep import lockstep
from theory.quantities import pseudo_gradient

__all__ = [
    "FACES",
    "SHORTEST",
    "changed",
    "changed_exact",
    "faces",
    "first_optimal",
    "hull",
    "hull_exact",
    "nearest",
    "reflected",
    "reordered",
    "reordered_exact",
    "shortest",
    "squares",
    "stationary_points",
    "turned",
]

Number = Any
Vector = list[Any]
Matrix = list[list[Any]]
# A few units in the last place: what `lockstep` leaves above this, `min_norm_point` solves.
_CLOSE = 1e-14
Exact = tuple[Mapping[str, bool], Mapping[str, Any]]


def squares(v: Any) -> Any:
    """‖v‖² along the last axis."""
    return (v**2).sum(axis=-1)


def nearest(m: Any) -> tuple[Any, Any]:
    """(weights, point) of least norm in the hull of m (batch, N, d): in closed form on a line, else face by face.

    More than five vectors in space are solved by their active sets, each that this leaves open by itself.
    """
    if m.shape[2] > 1:
        gram = np.einsum("nid,njd->nij", m, m)
        weights = enumerate_faces(gram)[0] if m.shape[1] <= MOST_CLIENTS else _many(m, gram)
        return weights, pseudo_gradient(m, weights)
    values = m[..., 0]
    rows = np.arange(len(m))
    low, high = values.argmin(axis=1), values.argmax(axis=1)
    least, most = values[rows, low], values[rows, high]
    span = np.where(most > least, most - least, 1.0)
    share = np.where(least > 0, 1.0, np.where(most < 0, 0.0, np.where(most > least, most / span, 1.0)))
    weights = np.zeros_like(values)
    weights[rows, high] += 1.0 - share
    weights[rows, low] += share
    point = np.where(least > 0, least, np.where(most < 0, most, 0.0))
    return weights, point[:, None]


def _many(m: Any, gram: Any) -> Any:
    """Weights of more than a few vectors; equal ones for vectors that are 0, NaN where a vector is not finite."""
    weights, residual = lockstep(gram)
    null = squares(m) == 0
    some, finite = null.any(axis=1), np.isfinite(gram).all(axis=(1, 2))
    weights[~finite] = np.nan
    for row in np.flatnonzero(~(residual <= _CLOSE) & ~some & finite):
        weights[row] = min_norm_point(gram=gram[row]).weights
    even = null / np.maximum(null.sum(axis=1, keepdims=True), 1)
    return np.where(some[:, None], even, weights)


def faces(n: int) -> list[list[int]]:
    """The corners of every face of a simplex of n points: all non-empty subsets."""
    return [[i for i in range(n) if mask >> i & 1] for mask in range(1, 2**n)]


def stationary_points(points: Sequence[Vector]) -> list[tuple[Vector, Vector]]:
    """(weights, point) for each face whose affine hull has one shortest point and holds it inside.

    On a face the weights solve <m_i, d> = s for its corners i and sum to 1. Faces of dependent corners are left out:
    by Caratheodory the shortest point of the hull lies on a face of independent ones.
    """
    found = []
    for face in faces(len(points)):
        rows: Matrix = [[*[dot(points[i], points[j]) for j in face], Fraction(-1)] for i in face]
        rows.append([*[Fraction(1)] * len(face), Fraction(0)])
        try:
            inner = solve(rows, [*[Fraction(0)] * len(face), Fraction(1)])[:-1]
        except ZeroDivisionError:
            continue
        if min(inner) >= 0:
            weights = [inner[face.index(i)] if i in face else Fraction(0) for i in range(len(points))]
            found.append((weights, weighted_sum(weights, points)))
    return found


def first_optimal(points: Sequence[Vector]) -> tuple[Vector, Vector]:
    """(weights, point) of the smallest face whose shortest point p lies inside it and has <m_i, p> >= <p, p> for all i.

    By Caratheodory a face of at most d + 1 corners has it, d the dimension.
    """
    small = [face for face in faces(len(points)) if len(face) <= len(points[0]) + 1]
    for face in sorted(small, key=len):
        rows: Matrix = [[*[dot(points[i], points[j]) for j in face], Fraction(-1)] for i in face]
        rows.append([*[Fraction(1)] * len(face), Fraction(0)])
        try:
            inner = solve(rows, [*[Fraction(0)] * len(face), Fraction(1)])[:-1]
        except ZeroDivisionError:
            continue
        weights = [inner[face.index(i)] if i in face else Fraction(0) for i in range(len(points))]
        point = weighted_sum(weights, points)
        if min(inner) >= 0 and min(dot(v, point) for v in points) >= dot(point, point):
            break
    return weights, point


def shortest(m: Sequence[Vector]) -> tuple[Vector, Vector]:
    """(weights, point) of least norm in the hull of the vectors m: from its two ends on a line, else from its faces."""
    if len(m[0]) > 1 and len(m) > 5:
        return first_optimal(m)
    if len(m[0]) > 1:
        return min(stationary_points(m), key=lambda one: dot(one[1], one[1]))
    values = [v[0] for v in m]
    low, high = values.index(min(values)), values.index(max(values))
    least, most = values[low], values[high]
    share = Fraction(1)
    if least <= 0 and most > least:
        share = Fraction(0) if most < 0 else most / (most - least)
    weights = [Fraction(0) for _ in m]
    weights[high] += 1 - share
    weights[low] += share
    return weights, [share * least + (1 - share) * most]


def reflected(reflectors: Sequence[Sequence[Number]], v: Sequence[Number]) -> Vector:
    """Q v, Q = H_1 H_2 ..., each H = I − 2 r r^T/(r^T r), or I for r = 0: orthogonal, and rational for rational r."""
    out = list(v)
    for r in reversed(reflectors):
        size = dot(r, r)
        if size != 0:
            factor = 2 * dot(r, out) / size
            out = [a - factor * b for a, b in zip(out, r, strict=True)]
    return out


def turned(spectrum: Sequence[Number], reflectors: Sequence[Sequence[Number]]) -> Matrix:
    """A = Q diag(spectrum) Q^T, row by row."""
    rows = []
    for i in range(len(spectrum)):
        inside = reflected(reflectors[::-1], [Fraction(i == j) for j in range(len(spectrum))])
        rows.append(reflected(reflectors, [s * z for s, z in zip(spectrum, inside, strict=True)]))
    return rows


FACES = (dot, solve, weighted_sum, faces, stationary_points)  # `stationary_points` and all it calls
SHORTEST = (*FACES, first_optimal, shortest)


def hull(x: Mapping[str, Any], *, asked: str = "") -> dict[str, Any]:
    """d2 = ‖d‖² and how the mᵢ lean on d: `lean` least and `most_lean` largest ⟨mᵢ, d⟩, `tied` max λᵢ(⟨mᵢ, d⟩ − ‖d‖²).

    With `mu` of v = Σμᵢmᵢ: v2, lean_v, ‖v − d‖² and the gap Γ; with `u` of a direction: u2 and the margins
    (min⟨u, mᵢ⟩)₊, (max⟨u, mᵢ⟩)₊. `asked`: «d» not 0, the «mean» not 0, or «same» point from λ and μ.
    """
    m = x["m"]
    weights, d = nearest(m)
    size, largest = squares(d), squares(m).max(axis=1)
    inner, mean = np.einsum("nid,nd->ni", m, d), m.mean(axis=1)
    found = {
        "N": np.full(len(m), float(m.shape[1])),
        "d2": size,
        "lean": inner.min(axis=1),
        "most_lean": inner.max(axis=1),
        "tied": (weights * (inner - size[:, None])).max(axis=1),
        "mean2": squares(mean),
        "lean_mean": np.einsum("nid,nd->ni", m, mean).min(axis=1),
        "least2": squares(m).min(axis=1),
        "largest2": largest,
    }
    sizes = dict.fromkeys(("d2", "lean", "most_lean", "tied", "mean2", "lean_mean"), largest)
    admissible = np.ones(len(m), dtype=bool)
    if asked in ("d", "mean"):
        admissible = found["d2" if asked == "d" else "mean2"] > 1e-10 * largest
    if "mu" in x:
        v = pseudo_gradient(m, x["mu"])
        lean = np.einsum("nid,nd->ni", m, v).min(axis=1)
        found |= {"v2": squares(v), "lean_v": lean, "Gamma": 2 * (squares(v) - lean), "v_apart2": squares(v - d)}
        found["order2"] = squares(weights - x["mu"])
        sizes |= dict.fromkeys(("v2", "lean_v", "Gamma", "v_apart2"), largest)
        admissible = found["v_apart2"] == 0 if asked == "same" else admissible
    if "u" in x:
        inner = np.einsum("nid,nd->ni", m, x["u"])
        found |= {"u2": squares(x["u"]), "margin": np.maximum(inner.min(axis=1), 0.0)}
        found["most_margin"] = np.maximum(inner.max(axis=1), 0.0)
        sizes |= dict.fromkeys(("margin", "most_margin"), np.sqrt(found["u2"] * largest))
    return {**found, "sizes": sizes, "admissible": admissible}


def hull_exact(x: Mapping[str, Any], *, asked: str = "") -> Exact:
    """The shortest point d of the hull, and how the vectors lean on it and on others."""
    m = x["m"]
    weights, d = shortest(m)
    size, mean = dot(d, d), [sum(c) / len(m) for c in zip(*m, strict=True)]
    inner = [dot(v, d) for v in m]
    found = {"N": Fraction(len(m)), "d2": size, "lean": min(inner), "most_lean": max(inner)}
    found["tied"] = max(a * (b - size) for a, b in zip(weights, inner, strict=True))
    found |= {"mean2": dot(mean, mean), "lean_mean": min(dot(v, mean) for v in m)}
    found |= {"least2": min(dot(v, v) for v in m), "largest2": max(dot(v, v) for v in m)}
    met = {"lambda on the simplex": sum(weights) == 1 and min(weights) >= 0}
    if asked in ("d", "mean"):
        met[f"{asked} is not 0"] = found["d2" if asked == "d" else "mean2"] > 0
    if "mu" in x:
        v = weighted_sum(x["mu"], m)
        met["mu on the simplex"] = sum(x["mu"]) == 1 and min(x["mu"]) >= 0
        found |= {"v2": dot(v, v), "lean_v": min(dot(u, v) for u in m)}
        found["Gamma"] = max(2 * (dot(v, v) - dot(u, v)) for u in m)
        found["v_apart2"] = sum((a - b) ** 2 for a, b in zip(v, d, strict=True))
        found["order2"] = sum((a - b) ** 2 for a, b in zip(weights, x["mu"], strict=True))
        if asked == "same":
            met["mu gives d too"] = found["v_apart2"] == 0
    if "u" in x:
        inner = [dot(v, x["u"]) for v in m]
        found |= {"u2": dot(x["u"], x["u"]), "margin": max(min(inner), Fraction(0))}
        found["most_margin"] = max(*inner, Fraction(0))
    return met, found


def changed(x: Mapping[str, Any], *, by: str) -> dict[str, Any]:
    """The shortest point before and after a change: d2, after2 = ‖d'‖², moved2 = ‖d' − T d‖², kept2 = ‖Σλᵢ(Tm)ᵢ‖².

    `by` «scale» (all times s ≠ 0; in units of s²), «each» (a factor for each vector), «mirror» (a reflection T),
    «stretch» (T diagonal); or a vector joins: any («join»), with ⟨m, d⟩ = (1 + slack)‖d‖² («lean») or ‖d‖²/2 («half»),
    a copy of the first («copy»); or the first one leaves («leave»). T = 1 in all of these.
    """
    m = x["m"]
    weights, d = nearest(m)
    target, unit, admissible = d, np.ones(len(m)), np.ones(len(m), dtype=bool)
    if by == "scale":
        s = np.where(x["scale"] != 0, x["scale"], 1.0)[:, None]
        moved, target, unit, admissible = s[:, :, None] * m, s * d, s[:, 0] ** 2, x["scale"] != 0
    elif by == "each":
        moved = x["scale"][:, :, None] * m
    elif by == "stretch":
        moved, target = m * x["mirror"][:, None], d * x["mirror"]
    elif by == "mirror":
        r = x["mirror"]
        size = np.where(squares(r) > 0, squares(r), 1.0)
        moved = m - 2 * (m @ r[..., None]) * r[:, None] / size[:, None, None]
        target = d - 2 * (d * r).sum(axis=-1)[:, None] * r / size[:, None]
    elif by == "leave":
        moved = m[:, 1:]
    else:
        new = m[:, 0] if by == "copy" else x["joining"]
        if by in ("lean", "half"):
            admissible = squares(d) > 1e-6 * squares(m).max(axis=1)
            share = 1.0 + x["slack"] if by == "lean" else np.full(len(m), 0.5)
            short = share - (new * d).sum(axis=-1) / np.where(admissible, squares(d), 1.0)
            new = new + short[:, None] * d
        moved = np.concatenate([m, new[:, None]], axis=1)
    after = nearest(moved)[1]
    found = {"d2": squares(d), "after2": squares(after) / unit, "moved2": squares(after - target) / unit}
    if moved.shape == m.shape:
        found["kept2"] = squares(pseudo_gradient(moved, weights)) / unit
    largest = np.maximum(squares(m).max(axis=1), squares(moved).max(axis=1) / unit)
    return {**found, "sizes": dict.fromkeys(found, largest), "admissible": admissible}


def changed_exact(x: Mapping[str, Any], *, by: str) -> Exact:
    """The shortest point before and after: vectors scaled, reflected or stretched, or one that joins or leaves."""
    m = x["m"]
    weights, d = shortest(m)
    target, unit, met = d, Fraction(1), {}
    if by in ("scale", "each"):
        factors = [x["scale"] for _ in m] if by == "scale" else x["scale"]
        moved = [[s * c for c in v] for s, v in zip(factors, m, strict=True)]
        if by == "scale":
            target, unit, met = (
                [x["scale"] * c for c in d],
                x["scale"] ** 2 or Fraction(1),
                {"s is not 0": x["scale"] != 0},
            )
    elif by in ("mirror", "stretch"):
        r = x["mirror"]
        images = [reflected([r], v) if by == "mirror" else [a * b for a, b in zip(v, r, strict=True)] for v in [*m, d]]
        moved, target = images[:-1], images[-1]
    elif by == "leave":
        moved = m[1:]
    else:
        new = m[0] if by == "copy" else x["joining"]
        if by in ("lean", "half"):
            met = {"d is not 0": dot(d, d) > 0}
            short = (1 + x["slack"] if by == "lean" else Fraction(1, 2)) - dot(new, d) / dot(d, d)
            new = [a + short * b for a, b in zip(new, d, strict=True)]
        moved = [*m, new]
    after = shortest(moved)[1]
    found = {"d2": dot(d, d), "after2": dot(after, after) / unit}
    found["moved2"] = sum((a - b) ** 2 for a, b in zip(after, target, strict=True)) / unit
    if len(moved) == len(m):
        kept = weighted_sum(weights, moved)
        found["kept2"] = dot(kept, kept) / unit
    return met, found


def reordered(x: Mapping[str, Any], *, turn: bool = False, asked: str = "") -> dict[str, Any]:
    """Two solutions, the vectors in order and in reverse (`turn`: a third of them moved to the front).

    `moved2`: ‖d − d'‖²; `order2`: ‖λ − λ'‖²; `half2`: ‖d − (d' + m̄)/2‖². `asked`: affinely independent are the
    vectors that lean least («active») or «all».
    """
    m = x["m"]
    n = m.shape[1]
    k = n // 3 if turn else 0
    weights, d = nearest(m)
    other, e = nearest(np.roll(m[:, ::-1], k, axis=1))
    size = squares(m)
    largest = size.max(axis=1)
    unit = np.where(largest > 0, largest, 1.0)[:, None, None]
    free = np.ones(len(m), dtype=bool)
    if asked == "all" and n > 1:
        edges = m[:, 1:] - m[:, :1]
        free = np.linalg.eigvalsh(np.einsum("nid,njd->nij", edges, edges) / unit)[:, 0] > 1e-4
    if asked == "active":
        beyond = np.abs(np.einsum("nid,nd->ni", m, d) - squares(d)[:, None])
        active = beyond <= 1e-6 * (np.sqrt(size) * np.sqrt(largest)[:, None] + squares(d)[:, None])
        lifted = np.einsum("nid,njd->nij", m, m) / unit + 1.0
        root = np.sqrt(np.einsum("nii->ni", lifted))
        both = active[:, :, None] & active[:, None, :]
        inside = np.where(both, lifted / (root[:, :, None] * root[:, None, :]), np.eye(n))
        free = np.linalg.eigvalsh(inside)[:, 0] > 1e-6
    found = {
        "moved2": squares(d - e),
        "half2": squares(d - (e + m.mean(axis=1)) / 2),
        "order2": squares(weights - np.roll(other, -k, axis=1)[:, ::-1]),
    }
    # Weights on nearly dependent faces are known to a thousandth; other weights differ by far more.
    sizes = {"moved2": largest, "half2": largest, "order2": np.full(len(m), 1e7)}
    return {**found, "sizes": sizes, "admissible": free}


def reordered_exact(x: Mapping[str, Any], *, turn: bool = False, asked: str = "") -> Exact:
    """Two solutions by faces; a Gram matrix is regular if every pivot of its elimination is not 0."""
    m = x["m"]
    n = len(m)
    k = n // 3 if turn else 0
    back = m[::-1]
    weights, d = shortest(m)
    other, e = shortest([*back[n - k :], *back[: n - k]])
    other = [*other[k:], *other[:k]][::-1]
    half = [(a + sum(c) / n) / 2 for a, c in zip(e, zip(*m, strict=True), strict=True)]
    active = [u for u in m if asked != "active" or dot(u, d) == dot(d, d)]
    lifted = [[dot(u, v) + 1 for v in active] for u in active] if asked else []
    for i in range(len(lifted)):
        for j in range(i + 1, len(lifted)):
            if lifted[i][i] != 0:
                factor = lifted[j][i] / lifted[i][i]
                lifted[j] = [a - factor * b for a, b in zip(lifted[j], lifted[i], strict=True)]
    found = {
        name: sum((a - b) ** 2 for a, b in zip(u, v, strict=True))
        for name, u, v in (("moved2", d, e), ("half2", d, half), ("order2", weights, other))
    }
    return {"affinely independent where asked": all(lifted[i][i] != 0 for i in range(len(lifted)))}, found
