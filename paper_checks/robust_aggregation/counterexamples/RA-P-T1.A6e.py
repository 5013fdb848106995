"""Counterexample to RA-P-T1.A6e.

Reading: from the line before, as printed.
Instance: two mirrored clients, d = 1.
Claimed: The factor of the squared distances is at most 1.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Number = Any
Vector = list[Any]
Matrix = list[list[Any]]

def at_points_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """All sums of the proof at given points, and the left side of one of its lines."""
    a, m, own, line = x["weights"], x["optimum"], x["local"], int(x["line"])
    w = weighted_sum(a, own) if line in (6, 7, 8, 9, 10, 12, 13) else x["model"]
    mirrors = x.get("mirror", [[Fraction(0)] * len(w) for _ in a])
    A = [curvature(s, v) for s, v in zip(x["spectrum"], mirrors, strict=True)]
    ref = quadratic_optimum(a, A, m) if line == 11 else x["other"]
    L, mu, rho = max(max(s) for s in x["spectrum"]), min(min(s) for s in x["spectrum"]), x["rho"]
    eta = x["step"] / L
    clients = range(len(a))
    slope = [quadratic_gradient(A[i], m[i], own[i]) for i in clients]
    away = [[p - q for p, q in zip(v, w, strict=True)] for v in own]
    X = dot(a, losses(A, m, own))
    Delta = dot(a, losses(A, m, [w for _ in clients]))
    best = dot(a, losses(A, m, [ref for _ in clients]))
    S = dot(a, [between(v, w) for v in own])
    far = dot(a, [between(v, ref) for v in own])
    slopes2 = dot(a, [dot(g, g) for g in slope])
    mean = weighted_sum(a, slope)
    cross = sum(a[i] * dot(quadratic_gradient(A[i], m[i], w), away[i]) for i in clients)
    from_ref = sum(a[i] * dot([p - q for p, q in zip(own[i], ref, strict=True)], slope[i]) for i in clients)
    half = 1 / (2 * eta) - mu / 2
    printed = -2 * eta * (2 * L * eta - 1) * Delta
    left = {
        1: 2 * eta * sum(a[i] * dot(away[i], slope[i]) for i in clients),
        2: eta**2 * slopes2,
        3: 2 * eta * (X + mu * far / 2),
        4: eta**2 * dot(mean, mean),
        5: eta**2 * slopes2,
        6: 2 * eta * (2 * L * eta - 1) * X,
        7: 2 * eta * (1 - 2 * L * eta) * (cross + mu * S / 2) + printed,
        8: 2 * eta * (1 - 2 * L * eta) * (eta * L * Delta + half * S) + printed,
        9: 2 * eta * (2 * L * eta - 1) * (1 - eta * L) * Delta + (1 - 2 * L * eta) * half * S,
        10: 2 * eta * (2 * L * eta - 1) * X,
        11: eta * (1 - 2 * eta * L) * (1 - L * eta) * mu * rho * between(w, ref),
        12: 2 * eta * (1 - 2 * L * eta) * (cross + mu * S / 2 + Delta),
        13: 2 * eta * (1 - 2 * L * eta) * (1 - eta * L) * Delta,
    }
    hypotheses = {
        "mu-strong convexity and L-smoothness (eigenvalues given)": mu > 0,
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "eta <= 1/(4L) where the proof supposes it": eta > 0 and (line < 6 or 4 * L * eta <= 1),
        "rho >= 0": rho >= 0,
    }
    constants = {"eta": eta, "mu": mu, "L": L, "rho": rho, "S": S, "far": far, "X": X, "Y": X - best, "Delta": Delta}
    constants |= {"cross": cross, "slopes2": slopes2, "mean2": dot(mean, mean), "gap": between(w, ref)}
    constants |= {"towards": from_ref, "at_other": best}
    return hypotheses, {**constants, "lhs": left[line]}


def dot(u: Sequence[Number], v: Sequence[Number]) -> Number:
    """⟨u, v⟩."""
    total = u[0] * v[0]
    for a, b in zip(u[1:], v[1:], strict=True):
        total = total + a * b
    return total


def matvec(matrix: Sequence[Sequence[Number]], v: Sequence[Number]) -> Vector:
    """A v."""
    return [dot(row, v) for row in matrix]


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


def between(u: Sequence[Any], v: Sequence[Any]) -> Any:
    """‖u − v‖²."""
    return sum((a - b) ** 2 for a, b in zip(u, v, strict=True))


def curvature(spectrum: Sequence[Any], mirror: Sequence[Any]) -> Matrix:
    """H diag(spectrum) H with H = I − 2vvᵀ/‖v‖², v = `mirror`; v = 0 leaves the diagonal."""
    dims, size = range(len(spectrum)), dot(mirror, mirror)
    h = [[Fraction(int(i == j)) - (2 * mirror[i] * mirror[j] / size if size else 0) for j in dims] for i in dims]
    return [[dot([h[i][k] * spectrum[k] for k in dims], h[j]) for j in dims] for i in dims]


def losses(A: Sequence[Matrix], centers: Sequence[Any], at: Sequence[Any]) -> list[Any]:
    """Fᵢ(wᵢ) − Fᵢ* of every client at its own point."""
    return [quadratic_loss(a, m, Fraction(0), list(v)) for a, m, v in zip(A, centers, at, strict=True)]


def mirrored_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Clients h/2 (w - c)^2 and h/2 (w + c)^2 in every coordinate, weights 1/2, local models walk eta h c and its opposite."""
    h, c = x["curvature"], x["optimum"]
    away = [x["walk"] * x["step"] / max(h) * a * b for a, b in zip(h, c, strict=True)]
    pair = {"spectrum": [h, h], "optimum": [c, [-v for v in c]], "weights": [Fraction(1, 2)] * 2}
    return at_points_exact({**x, **pair, "local": [away, [-v for v in away]], "other": [Fraction(0) for _ in c]})


INSTANCE = {
    'curvature': [Fraction(1)],
    'optimum': [Fraction(-1)],
    'walk': Fraction(-1),
    'step': Fraction(1, 10),
    'rho': Fraction(1),
    'line': Fraction(9),
}
hypotheses, constants = mirrored_exact(INSTANCE)
Delta = constants["Delta"]
L = constants["L"]
S = constants["S"]
eta = constants["eta"]
lhs = constants["lhs"]
rhs = Fraction(2*Delta*eta*(-L*eta + 1)*(2*L*eta - 1) + S)
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
