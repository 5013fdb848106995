"""Counterexample to FA-R6.

Reading: any Hessians.
Instance: 2 clients, d = 2.
Claimed: FedAvg converges to a point of the convex hull of the local solutions.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Number = Any
Vector = list[Any]
Matrix = list[list[Any]]

def dot(u: Sequence[Number], v: Sequence[Number]) -> Number:
    """⟨u, v⟩."""
    total = u[0] * v[0]
    for a, b in zip(u[1:], v[1:], strict=True):
        total = total + a * b
    return total


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


def weighted_sum(weights: Sequence[Number], vectors: Sequence[Sequence[Number]]) -> Vector:
    """Σ aₖ uₖ."""
    return [dot(weights, [u[j] for u in vectors]) for j in range(len(vectors[0]))]


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


def shortest(m: Sequence[Vector]) -> tuple[Vector, Vector]:
    """(weights, point) of least norm in the hull of the vectors m: from its two ends on a line, else from its faces."""
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
    """Q v with Q = H_1 H_2 ..., each H = I − 2 r r^T/(r^T r), or I for r = 0: orthogonal, and rational for rational r."""
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


def matvec(matrix: Sequence[Sequence[Number]], v: Sequence[Number]) -> Vector:
    """A v."""
    return [dot(row, v) for row in matrix]


def quadratic_optimum(shares: Sequence[Number], curvatures: Sequence[Matrix], centers: Sequence[Vector]) -> Vector:
    """w* = (Σpᵢ Aᵢ)⁻¹ Σpᵢ Aᵢ mᵢ."""
    dim = len(centers[0])
    mixed = [[dot(shares, [a[i][j] for a in curvatures]) for j in range(dim)] for i in range(dim)]
    pulls = [matvec(a, m) for a, m in zip(curvatures, centers, strict=True)]
    return solve(mixed, weighted_sum(shares, pulls))


def outside_exact(x: Mapping[str, Any]) -> Checked:
    """The minimum of f, and the shortest point of the hull of the m_i seen from there."""
    m, dim = x["optimum"], range(len(x["optimum"][0]))
    if "mirror" in x:
        A = [turned(s, [r]) for s, r in zip(x["spectrum"], x["mirror"], strict=True)]
    else:
        A = [[[s[0] if i == j else Fraction(0) for j in dim] for i in dim] for s in x["spectrum"]]
    best = quadratic_optimum(x["weights"], A, m)
    away = shortest([[a - b for a, b in zip(v, best, strict=True)] for v in (m[1:] if "without" in x else m)])[1]
    met = {
        "mu > 0": min(min(s) for s in x["spectrum"]) > 0,
        "weights on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) >= 0,
    }
    return met, {"lhs": dot(away, away)}


INSTANCE = {
    'spectrum': [[Fraction(1), Fraction(1)], [Fraction(1), Fraction(2)]],
    'mirror': [[Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)]],
    'optimum': [[Fraction(0), Fraction(0)], [Fraction(-1), Fraction(-1)]],
    'weights': [Fraction(1, 2), Fraction(1, 2)],
}
hypotheses, constants = outside_exact(INSTANCE)
lhs = constants["lhs"]
rhs = Fraction(0)
for name, met in hypotheses.items():
    print(f"hypothesis {name}: {met}")
for side, value in (("left side ", lhs), ("right side", rhs)):
    short = max(abs(value.numerator), value.denominator) < 10**60
    try:
        about = f"{float(value):.6g}"
    except OverflowError:
        about = "beyond the range of floats"
    print(f"{side} = {value} = {about}" if short else f"{side} = about {about}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
