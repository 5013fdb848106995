"""Counterexample to EA-L1.

Reading: in expectation, Ωₜ the summand at t.
Instance: 1 clients, d = 1, no noise and one weight vector a round.
Claimed: One step brings the virtual sequence nearer to the optimum, up to drift, heterogeneity and noise.
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


def curvature_of(spectrum: list[Any], mirror: list[Any]) -> list[list[Any]]:
    """H diag(spectrum) H for the reflection H = I - 2 v v^T / |v|^2, v = mirror; v = 0 leaves the diagonal."""
    dims, size = range(len(spectrum)), dot(mirror, mirror)
    h = [[Fraction(int(i == j)) - (2 * mirror[i] * mirror[j] / size if size else 0) for j in dims] for i in dims]
    return [[dot([h[i][k] * spectrum[k] for k in dims], h[j]) for j in dims] for i in dims]


def one_step_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Steps t = 0 and t = 1 of a round of two steps: hypotheses, and every quantity of Lemma 1 at t = 1."""
    clients = range(len(x["share"]))
    A = [curvature_of(s, v) for s, v in zip(x["spectrum"], x["mirror"], strict=True)]
    m, a, b = x["optimum"], x["weights"][0], x["weights"][1]  # a = rho^1, b = rho^2
    L, mu = max(max(s) for s in x["spectrum"]), min(min(s) for s in x["spectrum"])
    eta, best = x["step"] / L, quadratic_optimum(x["share"], A, m)
    W, before = x["local"], weighted_sum(a, x["local"])
    exact = [quadratic_gradient(A[i], m[i], W[i]) for i in clients]
    noisy = [[g + L * n for g, n in zip(exact[i], x["noise"][i], strict=True)] for i in clients]
    V = [[w - eta * g for w, g in zip(W[i], noisy[i], strict=True)] for i in clients]
    after, g, g_bar = weighted_sum(b, V), weighted_sum(b, noisy), weighted_sum(b, exact)

    def square(u: list[Any], v: list[Any]) -> Any:
        return sum((p - q) ** 2 for p, q in zip(u, v, strict=True))

    def excess(weights: list[Any], w: list[Any]) -> Any:
        return sum(weights[i] * quadratic_loss(A[i], m[i], Fraction(0), w) for i in clients)

    Omegas = [excess(a, x["start"]), excess(b, before)]
    constants = {
        "after": square(after, best),
        "virtual": square([w - eta * y for w, y in zip(before, g, strict=True)], best),
        "residual": square(after, [w - eta * y for w, y in zip(before, g, strict=True)]),
        "eta": eta,
        "mu": mu,
        "L": L,
        "before": square(before, best),
        "spread": sum(b[i] * square(before, W[i]) for i in clients),
        "Omega": min(Omegas),
        "Omega_t": Omegas[1],
        "Gamma": max(excess(a, best), excess(b, best)),
        "deviation": square(g, g_bar),
    }
    hypotheses = {
        "A1, A2: mu > 0, curvatures in [mu, L]": mu > 0,
        "eta <= 1/(4 L)": 0 < x["step"] <= Fraction(1, 4),
        "data shares on the simplex": sum(x["share"]) == 1 and min(x["share"]) >= 0,
        "weights on the simplex at every step": all(sum(r) == 1 and min(r) >= 0 for r in x["weights"]),
    }
    return hypotheses, constants


def step_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Both sides of Lemma 1 at t = 1."""
    hypotheses, found = one_step_exact(x)
    return hypotheses, {**found, "lhs": found["virtual" if x["virtual"] > 0 else "after"]}


def quiet_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with full gradients."""
    return step_exact({**x, "noise": [[Fraction(0) for _ in row] for row in x["noise"]]})


def plain_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with full gradients, and the weights of the round's start kept."""
    return quiet_exact({**x, "weights": [x["weights"][0], x["weights"][0]]})


INSTANCE = {
    'spectrum': [[Fraction(1)]],
    'mirror': [[Fraction(0)]],
    'optimum': [[Fraction(0)]],
    'share': [Fraction(1)],
    'weights': [[Fraction(1)], [Fraction(1)]],
    'start': [Fraction(0)],
    'local': [[Fraction(-1)]],
    'noise': [[Fraction(0)]],
    'step': Fraction(1, 4),
    'virtual': Fraction(0),
}
hypotheses, constants = plain_exact(INSTANCE)
Gamma = constants["Gamma"]
L = constants["L"]
Omega = constants["Omega"]
Omega_t = constants["Omega_t"]
before = constants["before"]
deviation = constants["deviation"]
eta = constants["eta"]
mu = constants["mu"]
spread = constants["spread"]
lhs = constants["lhs"]
rhs = Fraction(6*L*Omega*eta**2 + before*(-eta*mu + 1) + deviation*eta**2 + 2*eta*(Gamma - Omega_t) + 2*spread)
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
