"""Counterexample to EA-E20c.

Reading: as printed.
Instance: 1 bent clients, d = 1.
Claimed: The squared gradient is at least 2L times the loss above that of the global optimum.
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


def quadratic_gradient(curvature: Matrix, center: Vector, w: Vector) -> Vector:
    """∇F(w) = A(w − m)."""
    return matvec(curvature, [x - y for x, y in zip(w, center, strict=True)])


def quadratic_optimum(shares: Sequence[Number], curvatures: Sequence[Matrix], centers: Sequence[Vector]) -> Vector:
    """w* = (Σpᵢ Aᵢ)⁻¹ Σpᵢ Aᵢ mᵢ."""
    dim = len(centers[0])
    mixed = [[dot(shares, [a[i][j] for a in curvatures]) for j in range(dim)] for i in range(dim)]
    pulls = [matvec(a, m) for a, m in zip(curvatures, centers, strict=True)]
    return solve(mixed, weighted_sum(shares, pulls))


def curvature_of(spectrum: list[Any], mirror: list[Any]) -> list[list[Any]]:
    """H diag(spectrum) H for the reflection H = I - 2 v v^T / |v|^2, v = mirror; v = 0 leaves the diagonal."""
    dims, size = range(len(spectrum)), dot(mirror, mirror)
    h = [[Fraction(int(i == j)) - (2 * mirror[i] * mirror[j] / size if size else 0) for j in dims] for i in dims]
    return [[dot([h[i][k] * spectrum[k] for k in dims], h[j]) for j in dims] for i in dims]


def bent_gradient(low: Any, high: Any, m: Any, w: Any) -> Any:
    """F'(w) of a client of curvature `low` below m and `high` above."""
    return (high if w >= m else low) * (w - m)


def bent_optimum(low: list[Any], high: list[Any], m: list[Any], p: list[Any]) -> Any:
    """The zero of sum p_i F_i': linear between neighbouring minimisers."""
    clients = range(len(m))
    for kink in sorted(m, reverse=True):
        if sum(p[i] * bent_gradient(low[i], high[i], m[i], kink) for i in clients) <= 0:
            h = [p[i] * (high[i] if m[i] <= kink else low[i]) for i in clients]
            return sum(h[i] * m[i] for i in clients) / sum(h)
    raise ZeroDivisionError("no minimiser")


def terms_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], dict[str, Any]]:
    """Every sum, client by client; bent clients where x has `low`, else quadratics."""
    n, m, W, a = len(x["share"]), x["optimum"], x["local"], x["weights"][0]
    b = a if "kept" in x else x["weights"][1]
    if "low" in x:
        low, high = x["low"], x["high"]
        best = [bent_optimum(low, high, [u[0] for u in m], x["share"])]
        mu, L = min([*low, *high]), max([*low, *high])
    else:
        A = [curvature_of(s, v) for s, v in zip(x["spectrum"], x["mirror"], strict=True)]
        best = quadratic_optimum(x["share"], A, m)
        mu, L = min(min(s) for s in x["spectrum"]), max(max(s) for s in x["spectrum"])

    def gradient(i: int, w: list[Any]) -> list[Any]:
        if "low" in x:
            return [bent_gradient(low[i], high[i], m[i][0], w[0])]
        return quadratic_gradient(A[i], m[i], w)

    def excess(i: int, w: list[Any]) -> Any:
        return dot(gradient(i, w), [p - q for p, q in zip(w, m[i], strict=True)]) / 2

    bar, eta = weighted_sum(a, W), x["step"] / L
    away = [[p - q for p, q in zip(w, bar, strict=True)] for w in W]
    now, there = [excess(i, bar) for i in range(n)], [excess(i, best) for i in range(n)]
    local = [excess(i, W[i]) for i in range(n)]
    start = sum(a[i] * excess(i, x["start"]) for i in range(n))
    met = {
        "A1, A2: curvatures in [mu, L], mu > 0": mu > 0,
        "0 < eta <= limit / L": 0 < x["step"] <= (1 if "long" in x else Fraction(1, 4)),
        "shares and weights on the simplex": all(
            sum(r) == 1 and min(r) >= 0 for r in (x["share"], x["weights"][0], x["weights"][1])
        ),
    }
    return met, {
        "eta": eta,
        "L": L,
        "bend": 2 * eta * (1 - 2 * L * eta),
        "lin": sum(b[i] * dot(away[i], gradient(i, bar)) for i in range(n)),
        "gain": sum(b[i] * (local[i] - now[i]) for i in range(n)),
        "grad2": sum(b[i] * dot(gradient(i, bar), gradient(i, bar)) for i in range(n)),
        "spread": sum(b[i] * dot(away[i], away[i]) for i in range(n)),
        "now": dot(b, now),
        "local": dot(b, local),
        "about": dot(b, there),
        "above": sum(b[i] * (now[i] - there[i]) for i in range(n)),
        "Omega": min(start, dot(b, now)),
        "Gamma": max(dot(a, there), dot(b, there)),
    }


def smooth_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Left: (2 L eta (F_i(W_bar) - F_i(W*)) + |W_i - W_bar|^2 / eta) / 2, averaged."""
    met, c = terms_exact(x)
    return met, {**c, "lhs": c["L"] * c["eta"] * c["above"] + c["spread"] / (2 * c["eta"])}


INSTANCE = {
    'low': [Fraction(2)],
    'high': [Fraction(1)],
    'optimum': [[Fraction(0)]],
    'share': [Fraction(1)],
    'weights': [[Fraction(1)], [Fraction(1)]],
    'start': [Fraction(0)],
    'local': [[Fraction(1)]],
    'step': Fraction(1, 4),
    'kept': Fraction(1),
}
hypotheses, constants = smooth_exact(INSTANCE)
eta = constants["eta"]
grad2 = constants["grad2"]
spread = constants["spread"]
lhs = constants["lhs"]
rhs = Fraction(eta*grad2/2 + spread/(2*eta))
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
