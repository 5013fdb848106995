"""The instances of K11, K12, K14 and K16: shortest points of hulls, minima of federations, largest entries."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.known_truths.exact import (
    FACES,
    TURNED,
    faces,
    is_simplex,
    is_within,
    stationary_points,
    turned,
)
from theory.exact import dot, quadratic_loss, quadratic_optimum, solve, weighted_sum
from validation import Case, Choice, ExactCheck, Family, Instance, Integer, LogScale, Signed, Simplex, Size, Space
from validation.statement.draw import Coordinate

__all__ = ["federations", "largest_entries", "shortest_points"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]


def _stationary(m: Any) -> tuple[Any, Any, Any]:
    """(points, inside, clear): the shortest point of every face's affine hull, (n, faces, d), and whether it is inside.

    `m` (n, N, d), each row by rising length. Edges from the shortest corner are made orthonormal face by face; `clear`
    is False where a face is so nearly flat that its point is rounding.
    """
    points, inside, clear = [], [], np.ones(len(m), dtype=bool)
    for face in faces(m.shape[1]):
        origin = m[:, face[0]]
        basis: list[Any] = []
        steps: list[list[Any]] = []  # steps: lower triangular, edge j in terms of the basis
        independent = np.ones(len(m), dtype=bool)
        for j in face[1:]:
            edge = m[:, j] - origin
            length = np.sqrt((m[:, j] ** 2).sum(axis=-1))
            row: list[Any] = []
            for _ in range(2):  # twice is enough: what is left is orthogonal to rounding
                parts = [(b * edge).sum(axis=-1) for b in basis]
                edge = edge - sum((p[:, None] * b for p, b in zip(parts, basis, strict=True)), np.zeros_like(edge))
                row = [a + b for a, b in zip(row, parts, strict=True)] if row else parts
            rest = np.sqrt((edge**2).sum(axis=-1))
            flat = rest / np.where(length > 0, length, 1.0)
            clear &= (flat < 1e-13) | (flat > 1e-3)
            independent &= flat > 1e-3
            basis.append(edge / np.where(rest > 0, rest, 1.0)[:, None])
            steps.append([*row, np.where(rest > 0, rest, 1.0)])
        along = [-(b * origin).sum(axis=-1) for b in basis]
        weights: list[Any] = [None] * len(basis)
        for j in reversed(range(len(basis))):
            known = sum((weights[i] * steps[i][j] for i in range(j + 1, len(basis))), np.zeros(len(m)))
            weights[j] = (along[j] - known) / steps[j][j]
        first = 1.0 - sum(weights, np.zeros(len(m)))
        points.append(origin + sum((a[:, None] * b for a, b in zip(along, basis, strict=True)), np.zeros_like(origin)))
        inside.append(independent & np.all([w >= 0 for w in (first, *weights)], axis=0))
    return np.stack(points, axis=1), np.stack(inside, axis=1), clear


def _best(points: Any, inside: Any, score: Any) -> Any:
    """The point of the highest score among those inside, (n, d)."""
    chosen = np.argmax(np.where(inside, score, -np.inf), axis=1)
    return points[np.arange(len(points)), chosen]


def _point(x: Instance, kind: int) -> tuple[Any, Any]:
    """(d, clear): the shortest point of the hull, by its length for K11 and by its optimality for K12.

    `of` 1 takes the plain mean instead, 2 leaves the last vector out of the hull.
    """
    m, of = x["vectors"], int(x["of"][0])
    if of == 1:
        return m.mean(axis=1), np.ones(len(m), dtype=bool)
    hull = m[:, :-1] if of == 2 else m
    rising = np.argsort((hull**2).sum(axis=-1), axis=1, kind="stable")
    points, inside, clear = _stationary(np.take_along_axis(hull, rising[..., None], axis=1))
    square = (points**2).sum(axis=-1)
    if kind == 11:
        d, largest = _best(points, inside, -square), (m**2).sum(axis=-1).max(axis=-1)[:, None]
        # Points whose lengths agree to rounding may still differ by its root: then floats cannot tell which is shorter.
        near = inside & (square <= (d**2).sum(axis=-1)[:, None] + 1e-14 * largest)
        return d, clear & ~np.any(near & (((points - d[:, None]) ** 2).sum(axis=-1) > 1e-26 * largest), axis=1)
    return _best(points, inside, np.einsum("nid,nfd->nfi", hull, points).min(axis=-1) - square), clear


def _inner(x: Instance) -> Mapping[str, Any]:
    m = x["vectors"]
    d, clear = _point(x, 11)
    gram = np.einsum("nid,njd->nij", m, m)
    square, largest = (d**2).sum(axis=-1), (m**2).sum(axis=-1).max(axis=-1)
    return {
        "lhs": square,
        "inner": np.einsum("nid,nd->ni", m, d).min(axis=-1),
        "pairs": gram.min(axis=(1, 2)),
        "magnitude": largest,
        # A point that is 0 but for rounding, or nearly so, has no direction in floats.
        "admissible": clear & ((square > 1e-5 * largest) | (square < 1e-20 * largest)),
    }


def inner_exact(x: Mapping[str, Any]) -> Checked:
    """d is the shortest of the stationary points of all faces of the hull."""
    m = x["vectors"]
    hull = m[:-1] if x["of"] == 2 else m
    weights, d = min(stationary_points(hull), key=lambda one: dot(one[1], one[1]))
    hypotheses = {"d in the hull": is_simplex(weights) and weighted_sum(weights, hull) == d}
    if x["of"] == 1:
        d = [sum(column) / len(m) for column in zip(*m, strict=True)]
    return hypotheses, {
        "lhs": dot(d, d),
        "inner": min(dot(v, d) for v in m),
        "pairs": min(dot(u, v) for u in m for v in m),
    }


def _norm(x: Instance) -> Mapping[str, Any]:
    m = x["vectors"]
    d, clear = _point(x, 12)
    square = (m**2).sum(axis=-1)
    return {
        "lhs": (d**2).sum(axis=-1),
        "shortest": square.min(axis=-1),
        "pairs": np.einsum("nid,njd->nij", m, m).min(axis=(1, 2)),
        "mean2": square.mean(axis=-1),
        "n": np.full(len(m), float(m.shape[1])),
        "magnitude": square.max(axis=-1),
        "admissible": clear,
    }


def norm_exact(x: Mapping[str, Any]) -> Checked:
    """d is the point of a face that meets the condition of optimality: <m_i, d> >= |d|^2 for all i of the hull."""
    m = x["vectors"]
    hull = m[:-1] if x["of"] == 2 else m
    met = [(w, d) for w, d in stationary_points(hull) if all(dot(v, d) >= dot(d, d) for v in hull)]
    hypotheses = {"d in the hull and optimal": any(is_simplex(w) and weighted_sum(w, hull) == d for w, d in met)}
    d = met[0][1] if x["of"] != 1 else [sum(column) / len(m) for column in zip(*m, strict=True)]
    return hypotheses, {
        "lhs": dot(d, d),
        "shortest": min(dot(v, v) for v in m),
        "pairs": min(dot(u, v) for u in m for v in m),
        "mean2": sum(dot(v, v) for v in m) / len(m),
        "n": Fraction(len(m)),
    }


def _bases(reflectors: Any) -> Any:
    """Q = H₁H₂… of every basis, (n, bases, d, d); a zero reflector counts as the identity."""
    Q: Any = np.eye(reflectors.shape[-1])
    for r in np.moveaxis(reflectors, 2, 0):
        size = (r**2).sum(axis=-1)[..., None, None]
        Q = Q - 2 * (Q @ r[..., None]) * r[..., None, :] / np.where(size > 0, size, 1.0)
    return Q


def _federation(x: Instance) -> Mapping[str, Any]:
    s, m, p = x["spectrum"], x["optima"], x["shares"]
    dim = s.shape[-1]
    Q = _bases(x["reflectors"])[:, np.arange(s.shape[1]) % 3] if dim > 1 else np.ones((*s.shape, 1))
    A = (Q * s[..., None, :]) @ np.swapaxes(Q, -1, -2)
    mixed, pull = np.einsum("ni,nijk->njk", p, A), np.einsum("ni,nijk,nik->nj", p, A, m)
    best = np.linalg.solve(mixed, pull[..., None])[..., 0]
    off = best[:, None, :] - m
    bent = 0.5 * np.einsum("nij,nijk,nik->ni", off, A, off)
    far = (off**2).sum(axis=-1)
    losses = bent + x["floor"]
    return {
        "lhs": (p * losses).sum(axis=-1) - (p * x["floor"]).sum(axis=-1),
        "L": s.max(axis=(1, 2)),
        "mu": s.min(axis=(1, 2)),
        "L_mean": (p * s.max(axis=-1)).sum(axis=-1),
        "far2": (p * far).sum(axis=-1),
        "squares": (p**2 * far).sum(axis=-1),
        "mean_off2": (np.einsum("ni,nij->nj", p, off) ** 2).sum(axis=-1),
        "magnitude": s.max(axis=(1, 2)) * (m**2).max(axis=(1, 2)),
        # Γ far below the minima it is left from when they cancel is rounding.
        "admissible": (p * bent).sum(axis=-1) >= 1e-6 * (p * np.abs(x["floor"])).sum(axis=-1),
    }


def federation_exact(x: Mapping[str, Any]) -> Checked:
    """F_i(w) = (w − m_i)^T A_i (w − m_i)/2 + c_i; client i in basis i mod 3.

    w* solves the mixed equations, every w_i* = m_i and F_i* = c_i.
    """
    s, m, p, floor = x["spectrum"], x["optima"], x["shares"], x["floor"]
    bases = x.get("reflectors", [[]] * 3)
    A = [turned(one, bases[i % 3]) for i, one in enumerate(s)]
    L, mu = max(max(one) for one in s), min(min(one) for one in s)
    best = quadratic_optimum(p, A, m)
    far = [sum((a - b) ** 2 for a, b in zip(best, one, strict=True)) for one in m]
    center = weighted_sum(p, m)
    hypotheses = {
        "p on the simplex": is_simplex(p),
        "mu-strong convexity and L-smoothness, by exact LDL^T": mu > 0 and all(is_within(a, mu, L) for a in A),
    }
    return hypotheses, {
        "lhs": dot(p, [quadratic_loss(a, one, c, best) for a, one, c in zip(A, m, floor, strict=True)]) - dot(p, floor),
        "L": L,
        "mu": mu,
        "L_mean": dot(p, [max(one) for one in s]),
        "far2": dot(p, far),
        "squares": sum(a * a * b for a, b in zip(p, far, strict=True)),
        "mean_off2": sum((a - b) ** 2 for a, b in zip(best, center, strict=True)),
    }


def _top(x: Instance) -> Mapping[str, Any]:
    square, k = x["entries"] ** 2, x["k"]
    kept = np.arange(square.shape[1]) < k[:, None]
    order = np.sort(square, axis=-1)
    ranked = np.where((x["kept"] > 0)[:, None], order[:, ::-1], square)
    return {
        "lhs": (ranked * ~kept).sum(axis=-1),
        "k": k,
        "n": np.full(len(k), float(square.shape[1])),
        "norm2": square.sum(axis=-1),
        "top2": order[:, -1],
    }


def top_exact(x: Mapping[str, Any]) -> Checked:
    """The k entries of largest size are kept, or the first k where `kept` is 0."""
    entries, k = x["entries"], int(x["k"])
    kept = sorted(range(len(entries)), key=lambda i: -abs(entries[i]))[:k] if x["kept"] > 0 else list(range(k))
    rest = [Fraction(0) if i in kept else v for i, v in enumerate(entries)]
    return {"0 < k <= n": 0 < k <= len(entries)}, {
        "lhs": dot(rest, rest),
        "k": Fraction(k),
        "n": Fraction(len(entries)),
        "norm2": dot(entries, entries),
        "top2": max(v * v for v in entries),
    }


def shortest_points(kind: int, of: float = 0.0) -> tuple[Family, ...]:
    """K11 and K12 (`kind` 11, 12): up to four vectors; `of` 1 replaces d by their mean, 2 leaves the last one out."""
    measure = _inner if kind == 11 else _norm
    check = ExactCheck(inner_exact if kind == 11 else norm_exact, (*FACES, is_simplex))

    def at(*, N: float, d: float) -> Case:
        vectors = Signed("vectors", 1e-3, 1e3, (int(N), int(d)))
        space = Space((vectors, Choice("of", (of,))))
        return Case(f"any vectors, N = {int(N)}, d = {int(d)}", space, measure, check, cost=2.0)

    return (Family("any vectors", (Size("N", 2 if of == 2 else 1, 4, 3), Size("d", 1, 8, 2)), at),)


def federations() -> tuple[Family, ...]:
    """K14: quadratic clients, each with its own curvatures, minimiser and minimum, in three bases in turn."""

    def at(*, N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        turns: tuple[Coordinate, ...] = (Signed("reflectors", 1e-2, 1.0, (3, min(2, dim - 1), dim)),) if dim > 1 else ()
        coordinates: tuple[Coordinate, ...] = (
            Simplex("shares", n),
            LogScale("spectrum", 1e-2, 1e2, (n, dim), at=(1e-2, 1.0, 1e2)),
            *turns,
            Signed("optima", 1e-2, 1e2, (n, dim)),
            Signed("floor", 1e-3, 1e1, (n,)),
        )
        check = ExactCheck(
            federation_exact, (*TURNED, solve, weighted_sum, quadratic_loss, quadratic_optimum, is_simplex)
        )
        cost = max(1.0, n * dim * dim / 30)
        return Case(f"quadratic clients, N = {n}, d = {dim}", Space(coordinates), _federation, check, cost=cost)

    return (Family("quadratic clients", (Size("N", 2, 300, 3), Size("d", 1, 8, 2)), at),)


def largest_entries(kept: float = 1.0) -> tuple[Family, ...]:
    """K16: any vector and any k; `kept` 0 keeps the first k entries instead of the largest."""

    def at(*, n: float) -> Case:
        size = int(n)
        k: Coordinate = (
            Integer("k", 1, size, at=tuple(sorted({1, size // 2, size - 1} - {0}))) if size > 1 else Choice("k", (1.0,))
        )
        entries: Coordinate = Signed("entries", 1e-3, 1e3, (size,))
        space = Space((entries, k, Choice("kept", (kept,))))
        return Case(f"any vector, n = {size}", space, _top, ExactCheck(top_exact, (dot,)), cost=max(1.0, size / 100))

    return (Family("any vector", (Size("n", 1, 300, 3),), at),)
