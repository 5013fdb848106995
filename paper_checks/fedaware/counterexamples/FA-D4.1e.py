"""Counterexample to FA-D4.1e.

Reading: LUD itself if everybody takes part.
Instance: 2 vectors, d = 1.
Claimed: The diversity of the cohort's updates stands in for that of all clients.
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


def elud_exact(x: Mapping[str, Any]) -> Checked:
    """e-LUD^2 = mean_square/square_mean over the cohort; client 1 is always present."""
    g, part = x["m"], int(x["part"])
    some = part in (1, 4)
    cohort = [v for i, v in enumerate(g) if not some or i == 0 or x["here"][i] > Fraction(1, 2)]
    mean = [sum(c) / len(cohort) for c in zip(*cohort, strict=True)]
    mean_square, square_mean = sum(dot(v, v) for v in cohort) / len(cohort), dot(mean, mean)
    if some:
        cross = sum(dot(u, v) for i, u in enumerate(cohort) for j, v in enumerate(cohort) if i != j)
        beyond = mean_square - len(cohort) * square_mean if cross >= 0 or part == 4 else Fraction(-1)
        return {}, {"lhs": max(square_mean - mean_square, beyond)}
    lam = x["weights"] if part == 2 else [Fraction(1, len(g)) for _ in g]
    G = weighted_sum(lam, g)
    met = {"both are defined": dot(G, G) > 0 and square_mean > 0, "simplex": sum(lam) == 1 and min(lam) >= 0}
    return met, {"lhs": abs(dot(lam, [dot(v, v) for v in g]) * square_mean - mean_square * dot(G, G))}


INSTANCE = {
    'm': [[Fraction(0)], [Fraction(-1)]],
    'here': [Fraction(0), Fraction(0)],
    'weights': [Fraction(0), Fraction(1)],
    'part': Fraction(2),
}
hypotheses, constants = elud_exact(INSTANCE)
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
