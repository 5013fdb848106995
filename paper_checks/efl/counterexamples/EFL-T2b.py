"""Counterexample to EFL-T2b.

Reading: as printed.
Instance: 2 quadratic clients in dimension 1.
Claimed: When client a joins, the squared shift of the optimum is at most 8 L n_a² D̂_a/(μ² (n + n_a)²).
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
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[j], strict=True)]
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


def quadratic_optimum(shares: Sequence[Number], curvatures: Sequence[Matrix], centers: Sequence[Vector]) -> Vector:
    """w* = (Σpᵢ Aᵢ)⁻¹ Σpᵢ Aᵢ mᵢ."""
    dim = len(centers[0])
    mixed = [[dot(shares, [a[i][j] for a in curvatures]) for j in range(dim)] for i in range(dim)]
    pulls = [matvec(a, m) for a, m in zip(curvatures, centers, strict=True)]
    return solve(mixed, weighted_sum(shares, pulls))


def shift_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Clients 0..N-2 hold one unit of samples together, client N-1 = a holds `size_ratio`; exact optima."""
    tilts = x.get("tilt", [Fraction(0)] * len(x["spectrum"]))
    A = [rotated(spectrum, tilt) for spectrum, tilt in zip(x["spectrum"], tilts, strict=True)]
    m, ratio = x["optimum"], x["size_ratio"]
    without = quadratic_optimum([*x["share"], Fraction(0)], A, m)
    with_a = quadratic_optimum([*[p / (1 + ratio) for p in x["share"]], ratio / (1 + ratio)], A, m)
    old, new = (without, with_a) if x["arriving"] > 0 else (with_a, without)
    L, mu = max(max(s) for s in x["spectrum"]), min(min(s) for s in x["spectrum"])
    dim = range(len(m[0]))
    low = [[[a[r][c] - (mu if r == c else 0) for c in dim] for r in dim] for a in A]
    high = [[[(L if r == c else 0) - a[r][c] for c in dim] for r in dim] for a in A]
    move = [u - v for u, v in zip(old, new, strict=True)]
    hypotheses = {
        "mu-strong convexity, by exact LDL^T": mu > 0 and all(is_positive_semidefinite(q) for q in low),
        "L-smoothness, by exact LDL^T": all(is_positive_semidefinite(q) for q in high),
        "sample counts positive": ratio > 0 and sum(x["share"]) == 1 and min(x["share"]) >= 0,
        "n_a <= n where that is required": x["small"] == 0 or ratio <= 1,
    }
    constants = {
        "lhs": dot(move, move),
        "L": L,
        "mu": mu,
        "n": Fraction(1) if x["arriving"] > 0 else 1 + ratio,
        "n_a": ratio,
        "D_hat": quadratic_loss(A[-1], m[-1], Fraction(0), new),
        "D_old": quadratic_loss(A[-1], m[-1], Fraction(0), old),
    }
    return hypotheses, constants


INSTANCE = {
    'spectrum': [[Fraction(1)], [Fraction(1)]],
    'optimum': [[Fraction(0)], [Fraction(-1)]],
    'share': [Fraction(1)],
    'size_ratio': Fraction(2),
    'arriving': Fraction(1),
    'small': Fraction(0),
}
hypotheses, constants = shift_exact(INSTANCE)
D_hat = constants["D_hat"]
L = constants["L"]
mu = constants["mu"]
n = constants["n"]
n_a = constants["n_a"]
lhs = constants["lhs"]
rhs = Fraction(8*D_hat*L*n_a**2/(mu**2*(n + n_a)**2))
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
