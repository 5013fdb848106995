"""Counterexample to RA-T1.

Reading: virtual model averaged with the round's weights.
Instance: rounds that end where they begin.
Claimed: Every step contracts the mean squared distance to w*, up to a term in η² and one in η Γ(ρ̃ − ρ̄).
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


def curvature(spectrum: Sequence[Any], mirror: Sequence[Any]) -> Matrix:
    """H diag(spectrum) H with H = I − 2vvᵀ/‖v‖², v = `mirror`; v = 0 leaves the diagonal."""
    dims, size = range(len(spectrum)), dot(mirror, mirror)
    h = [[Fraction(int(i == j)) - (2 * mirror[i] * mirror[j] / size if size else 0) for j in dims] for i in dims]
    return [[dot([h[i][k] * spectrum[k] for k in dims], h[j]) for j in dims] for i in dims]


def between(u: Sequence[Any], v: Sequence[Any]) -> Any:
    """‖u − v‖²."""
    return sum((a - b) ** 2 for a, b in zip(u, v, strict=True))


def losses(A: Sequence[Matrix], centers: Sequence[Any], at: Sequence[Any]) -> list[Any]:
    """Fᵢ(wᵢ) − Fᵢ* of every client at its own point."""
    return [quadratic_loss(a, m, Fraction(0), list(v)) for a, m, v in zip(A, centers, at, strict=True)]


def one_hot(scores: Sequence[Any]) -> list[Any]:
    """All weight on the first of the largest scores."""
    first = max(range(len(scores)), key=lambda i: (scores[i], -i))
    return [Fraction(int(i == first)) for i in range(len(scores))]


def schedule(x: Mapping[str, Any], L: Any) -> list[Any]:
    """The step sizes of all steps."""
    n_local, now, etas = int(x["local_steps"]), x["first"] / L, []
    if "harmonic" in x:
        mu = min(min(s) for s in x["spectrum"])
        return [1 / (mu * (t + 4 * L / mu)) for t in range(len(x["drop"]) * n_local)]
    for drop in x["drop"]:
        for e in range(n_local):
            if n_local == 1:
                etas.append(now)
            elif x["late"] > 0:
                etas.append(now * drop if e == n_local - 1 else now)
            else:
                etas.append(now * (1 - (1 - drop) * Fraction(e, n_local - 1)))
        now = etas[-1] * (drop if n_local == 1 else 1)
    return etas


def expected(paths: Sequence[Mapping[str, Any]], value: Any) -> Any:
    """Σ over the paths of chance · value(path)."""
    return sum(path["chance"] * value(path) for path in paths)


def run(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any], list[dict[str, Any]]]:
    """(hypotheses, constants, the step t on every path of the noise)."""
    p, m, dim, n_local = x["share"], x["optimum"], len(x["start"]), int(x["local_steps"])
    clients, n_rounds, watched = range(len(p)), len(x["weights"]) - 1, int(x["t"])
    mirrors = x.get("mirror", [[Fraction(0)] * dim for _ in clients])
    A = [curvature(s, v) for s, v in zip(x["spectrum"], mirrors, strict=True)]
    L, mu = max(max(s) for s in x["spectrum"]), min(min(s) for s in x["spectrum"])
    best, etas, noisy = quadratic_optimum(p, A, m), schedule(x, L), "rare" in x
    sigma = x["sigma"] if noisy else [Fraction(0) for _ in clients]
    zero = Fraction(0)

    def excess(at: Sequence[Any]) -> list[Any]:
        return [quadratic_loss(A[i], m[i], zero, list(at)) for i in clients]

    at_best = excess(best)
    Gamma = dot(p, at_best)
    defined = True
    skews, skews_best, far, G2 = [], [], [between(v, best) for v in m], zero
    n_paths = 2 ** (n_rounds * n_local * len(p)) if noisy else 1
    paths: list[dict[str, Any]] = []
    for number in range(n_paths):
        bits, chance, w = number, Fraction(1), list(x["start"])
        local, kept, in_round, moved = [w for _ in clients], dict[str, Any](), [], []
        for t in range(n_rounds * n_local + 1):
            r, sync = t // n_local, t % n_local == 0
            over = t == n_rounds * n_local
            slope = [quadratic_gradient(A[i], m[i], list(local[i])) for i in clients]
            drawn = [list(g) for g in slope]
            if noisy and not over:
                for i in clients:
                    up, bits = bits % 2, bits // 2
                    q = 1 / (1 + x["rare"] ** 2)
                    chance = chance * (q if up else 1 - q)
                    drawn[i][0] = drawn[i][0] + sigma[i] * (x["rare"] if up else -1 / x["rare"])
            eta = etas[min(t, len(etas) - 1)]
            ends = [[y - eta * g for y, g in zip(local[i], drawn[i], strict=True)] for i in clients]
            if sync:
                moved = [[zero] * dim for _ in clients]
            if sync and x["rule"] == 0:
                in_round = x["weights"][r]
            elif sync and x["rule"] == 4:
                in_round = p
            elif sync and x["rule"] == 3:
                in_round = one_hot([between(end, best) for end in ends])
            elif sync:
                in_round = one_hot([f if x["rule"] == 1 else -f for f in excess(w)])
            weights = in_round if sync or x["by_p"] == 0 else p
            if sync or x["over_all"] > 0:
                below = dot(p, excess(w))
                defined = defined and below > 0 and Gamma > 0
                skews.append(dot(weights, excess(w)) / below if defined else zero)
                skews_best.append(dot(weights, at_best) / Gamma if defined else zero)
            far = [*far, *(between(v, best) for v in local)]
            if over:
                break
            G2 = max([G2] + [dot(slope[i], slope[i]) + sigma[i] ** 2 for i in clients])
            aggregates = sync if x["eq1"] > 0 else (t + 1) % n_local == 0
            new = weighted_sum(in_round if aggregates or x["by_p"] == 0 else p, ends)
            if t == watched:
                kept = {
                    "w": w,
                    "new": new,
                    "local": local,
                    "slope": slope,
                    "drawn": drawn,
                    "weights": weights,
                    "moved": moved,
                }
            moved = [[a + eta * g for a, g in zip(moved[i], drawn[i], strict=True)] for i in clients]
            w, local = new, ([new for _ in clients] if aggregates else ends)
        paths.append({"chance": chance, **kept})
    if x["ball"] > 0:
        bounds = [max(s) ** 2 * 2 * (between(v, best) + max(far)) for s, v in zip(x["spectrum"], m, strict=True)]
        G2 = max(b + s**2 for b, s in zip(bounds, sigma, strict=True))
    hypotheses = {
        "mu-strong convexity and L-smoothness (eigenvalues given)": mu > 0,
        "p and all weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in [p, *x["weights"]]),
        "step sizes positive and not increasing": etas[-1] > 0 and sorted(etas, reverse=True) == etas,
        "the weighting skew is defined (Remark 2)": defined,
        "noise of mean 0 and second moment sigma_i^2, probabilities sum to 1": sum(q["chance"] for q in paths) == 1,
    }
    constants = {
        "eta": etas[watched],
        "eta0": etas[watched - watched % n_local],
        "mu": mu,
        "L": L,
        "E": Fraction(n_local),
        "G2": G2,
        "sigma2": max(s**2 for s in sigma),
        "rho": min(skews),
        "rho_best": max(skews_best),
        "Gamma": Gamma,
        "D": expected(paths, lambda q: between(q["w"], best)),
        "best": best,
        "A": A,
    }
    return hypotheses, constants, paths


def out_and_back_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Rounds of two steps that end where they begin: a fast client pulls one way first, a slow far one makes up for it.

    Client 2, at 0, holds nearly all data and has no weight; the run repeats itself for ever, with constant steps.
    """
    fast, slow, tiny = x["fast"], x["slow"] * x["fast"], x["tiny"]
    one, far = Fraction(1), (2 * fast - fast**2) / (2 * slow - slow**2)
    given = {
        "spectrum": [[one], [one], [x["slow"]]],
        "optimum": [[one], [0 * one], [-far]],
        "share": [tiny, 1 - 2 * tiny, tiny],
        "weights": [[one / 2, 0 * one, one / 2]] * 2,
        "start": [0 * one],
        "first": fast,
        "drop": [one],
        "t": one,
        "local_steps": 2 * one,
        "ball": one,
        "over_all": x["over_all"],
        **dict.fromkeys(("eq1", "by_p", "rule", "late"), 0 * one),
    }
    hypotheses, constants, paths = run(given)
    returned = paths[0]["new"] == [0]
    gap = expected(paths, lambda q: between(q["new"], constants["best"]))
    return {**hypotheses, "the round ends at 0 where it began": returned}, {**constants, "lhs": gap}


INSTANCE = {
    'fast': Fraction(1, 4),
    'slow': Fraction(1, 2),
    'tiny': Fraction(1, 100000000000000),
    'over_all': Fraction(0),
}
hypotheses, constants = out_and_back_exact(INSTANCE)
D = constants["D"]
E = constants["E"]
G2 = constants["G2"]
Gamma = constants["Gamma"]
L = constants["L"]
eta = constants["eta"]
mu = constants["mu"]
rho = constants["rho"]
rho_best = constants["rho_best"]
sigma2 = constants["sigma2"]
lhs = constants["lhs"]
rhs = Fraction(D*(-eta*mu*(3*rho/8 + 1) + 1) + 2*Gamma*eta*(-rho + rho_best) + eta**2*(32*E**2*G2 + 6*Gamma*L*rho + sigma2))
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
