"""The plain reference: local SGD on quadratic clients, readable as pseudocode, in whatever arithmetic it is given.

Numbers may be ``fractions.Fraction``, python-flint rationals (``fmpq``) or balls (``arb``); vectors are lists. Nothing
here is fast. Tests hold the array simulator against it, and the scripts of counterexamples carry copies of these
functions, so each one uses only builtins and its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = [
    "dot",
    "is_positive_semidefinite",
    "local_sgd_round",
    "matvec",
    "quadratic_gradient",
    "quadratic_loss",
    "quadratic_optimum",
    "rotated",
    "solve",
    "weighted_sum",
]

Number = Any
Vector = list[Any]
Matrix = list[list[Any]]


def dot(u: Sequence[Number], v: Sequence[Number]) -> Number:
    """⟨u, v⟩."""
    total = u[0] * v[0]
    for a, b in zip(u[1:], v[1:], strict=True):
        total = total + a * b
    return total


def matvec(matrix: Sequence[Sequence[Number]], v: Sequence[Number]) -> Vector:
    """A v."""
    return [dot(row, v) for row in matrix]


def weighted_sum(weights: Sequence[Number], vectors: Sequence[Sequence[Number]]) -> Vector:
    """Σ aₖ uₖ."""
    return [dot(weights, [u[j] for u in vectors]) for j in range(len(vectors[0]))]


def solve(matrix: Sequence[Sequence[Number]], right: Sequence[Number]) -> Vector:
    """x with A x = b by Gaussian elimination; `ZeroDivisionError` when A is singular."""
    n = len(right)
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for j in range(n):
        pivot = next((i for i in range(j, n) if rows[i][j] != 0), None)
        if pivot is None:
            raise ZeroDivisionError("solve: the matrix is singular")
        rows[j], rows[pivot] = rows[pivot], rows[j]
        for i in range(n):
            if i != j:
                factor = rows[i][j] / rows[j][j]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[j], strict=True)]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def is_positive_semidefinite(matrix: Sequence[Sequence[Number]]) -> bool:
    """Exact LDLᵀ of a symmetric matrix: every pivot >= 0, and a zero pivot only with a zero row behind it."""
    rows = [list(row) for row in matrix]
    n = len(rows)
    for j in range(n):
        if rows[j][j] < 0 or (rows[j][j] == 0 and any(rows[j][k] != 0 for k in range(j, n))):
            return False
        for i in range(j + 1, n):
            if rows[j][j] != 0:
                factor = rows[i][j] / rows[j][j]
                later = zip(rows[i][j + 1 :], rows[j][j + 1 :], strict=True)  # earlier columns are not read again
                rows[i][j + 1 :] = [x - factor * y for x, y in later]
    return True


def rotated(spectrum: Sequence[Number], tilt: Number) -> Matrix:
    """diag(spectrum) in one dimension; in two, turned by the angle whose half has tangent `tilt` (rational)."""
    if len(spectrum) == 1:
        return [[spectrum[0]]]
    c, s = (1 - tilt * tilt) / (1 + tilt * tilt), 2 * tilt / (1 + tilt * tilt)
    a, b = spectrum
    return [[c * c * a + s * s * b, c * s * (a - b)], [c * s * (a - b), s * s * a + c * c * b]]


def quadratic_loss(curvature: Matrix, center: Vector, floor: Number, w: Vector) -> Number:
    """F(w) = ½(w−m)ᵀA(w−m) + c."""
    offset = [x - y for x, y in zip(w, center, strict=True)]
    return dot(offset, matvec(curvature, offset)) / 2 + floor


def quadratic_gradient(curvature: Matrix, center: Vector, w: Vector) -> Vector:
    """∇F(w) = A(w − m)."""
    return matvec(curvature, [x - y for x, y in zip(w, center, strict=True)])


def quadratic_optimum(shares: Sequence[Number], curvatures: Sequence[Matrix], centers: Sequence[Vector]) -> Vector:
    """w* = (Σpᵢ Aᵢ)⁻¹ Σpᵢ Aᵢ mᵢ."""
    dim = len(centers[0])
    mixed = [[dot(shares, [a[i][j] for a in curvatures]) for j in range(dim)] for i in range(dim)]
    pulls = [matvec(a, m) for a, m in zip(curvatures, centers, strict=True)]
    return solve(mixed, weighted_sum(shares, pulls))


def local_sgd_round(
    model: Vector,
    curvatures: Sequence[Matrix],
    centers: Sequence[Vector],
    step_sizes: Sequence[Number],
    noise: Sequence[Sequence[Vector]] | None,
    weigh: Callable[[list[Vector]], Sequence[Number]],
    n_done: Sequence[int] | None = None,
) -> tuple[Vector, Sequence[Number], list[list[Vector]]]:
    """One round: E = len(step_sizes) local steps of every client from `model`, then w ← w + Σ aₖ(wₖ − w).

    `noise[e][k]` is added to client k's gradient at local step e; `weigh` turns the local models into weights; client k
    stops after `n_done[k]` steps where that is given.
    Returns the new model, the weights, and every client's local models before each step and after the last.
    """
    paths = []
    for k, (curvature, center) in enumerate(zip(curvatures, centers, strict=True)):
        path = [list(model)]
        for e, eta in enumerate(step_sizes):
            if n_done is not None and e >= n_done[k]:
                path.append(path[-1])
                continue
            gradient = quadratic_gradient(curvature, center, path[-1])
            if noise is not None:
                gradient = [g + n for g, n in zip(gradient, noise[e][k], strict=True)]
            path.append([x - eta * g for x, g in zip(path[-1], gradient, strict=True)])
        paths.append(path)
    weights = weigh([path[-1] for path in paths])
    updates = [[x - y for x, y in zip(path[-1], model, strict=True)] for path in paths]
    new = [w + step for w, step in zip(model, weighted_sum(weights, updates), strict=True)]
    return new, weights, paths
