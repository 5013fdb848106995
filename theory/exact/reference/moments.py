"""The moments once more, in exact arithmetic: mixtures of affine maps as plain lists, the oracle of
`theory.participation.moments`.

Numbers may be ``fractions.Fraction`` or python-flint rationals (``fmpq``). A round is a list of outcomes
(probability q, matrix M, shift b, covariance S), the round w ← Mw + b + ξ with probability q. Here the second moment
E[wwᵀ] is carried, not the covariance, and local noise through the covariances of every pair of clients: a different
road to the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, combinations_with_replacement, product
from math import comb, factorial, prod
from typing import Any

from theory.exact.reference.plain import dot, matvec

__all__ = [
    "bernoulli_law",
    "expected_quadratic",
    "fedavg_mixture",
    "moment_step",
    "moments",
    "multinomial_law",
    "subsets_law",
]

Number = Any
Vector = list[Any]
Matrix = list[list[Any]]
Mixture = list[tuple[Number, Matrix, Vector, Matrix]]


def subsets_law(n_clients: int, n_sampled: int, one: Number) -> list[tuple[Number, list[int]]]:
    """(probability, 0/1 per client) of every K-subset; `one` is the 1 of the arithmetic."""
    cohorts = combinations(range(n_clients), n_sampled)
    return [(one / comb(n_clients, n_sampled), [int(k in cohort) for k in range(n_clients)]) for cohort in cohorts]


def bernoulli_law(q: Sequence[Number]) -> list[tuple[Number, list[int]]]:
    """(probability, 0/1 per client) of all 2^N cohorts, client k present with probability qₖ."""
    law = []
    for bits in product((0, 1), repeat=len(q)):
        chance = q[0] * 0 + 1
        for bit, qk in zip(bits, q, strict=True):
            chance = chance * (qk if bit else 1 - qk)
        law.append((chance, list(bits)))
    return law


def multinomial_law(p: Sequence[Number], n_sampled: int) -> list[tuple[Number, list[int]]]:
    """(probability, times drawn per client) of K draws with replacement by p."""
    law = []
    for drawn in combinations_with_replacement(range(len(p)), n_sampled):
        counts = [drawn.count(k) for k in range(len(p))]
        chance = p[0] * 0 + factorial(n_sampled) // prod(factorial(c) for c in counts)
        for k in drawn:
            chance = chance * p[k]
        law.append((chance, counts))
    return law


def fedavg_mixture(
    curvatures: Sequence[Matrix],
    centers: Sequence[Vector],
    step_sizes: Sequence[Number],
    outcomes: Iterable[tuple[Number, Sequence[Number], Sequence[int] | None, Sequence[Sequence[Vector]] | None]],
    noise_covariance: Matrix | None = None,
) -> Mixture:
    """One round w ← w + Σ aₖ(wₖ − w) for each outcome (probability, weights a, step counts s, noise).

    s = None: all E = len(step_sizes) steps. `noise[e][k]` is added to client k's gradient in that outcome.
    `noise_covariance[k][l]` V: at every step, independent noise with E[nₖ nₗᵀ] = Vₖₗ I comes on top; diagonal for
    independent clients, σₖσₗ/dim for one direction shared by all.
    """
    n, dim = len(centers), len(centers[0])
    zero = centers[0][0] * 0
    eye = [[zero + int(i == j) for j in range(dim)] for i in range(dim)]
    mixture: Mixture = []
    for probability, weights, steps, noise in outcomes:
        matrices = [eye for _ in range(n)]
        shifts = [[zero] * dim for _ in range(n)]
        between = [[_scaled(zero, eye) for _ in range(n)] for _ in range(n)]
        for e, eta in enumerate(step_sizes):
            busy = [steps is None or e < steps[k] for k in range(n)]
            turns = [_add(eye, _scaled(-eta, a)) if go else eye for a, go in zip(curvatures, busy, strict=True)]
            for k in range(n):
                for m in range(n):
                    between[k][m] = _matmul(_matmul(turns[k], between[k][m]), _transpose(turns[m]))
                    if noise_covariance is not None and busy[k] and busy[m]:
                        between[k][m] = _add(between[k][m], _scaled(eta * eta * noise_covariance[k][m], eye))
            for k in range(n):
                if busy[k]:
                    push = matvec(curvatures[k], centers[k])
                    if noise is not None:
                        push = [x - y for x, y in zip(push, noise[e][k], strict=True)]
                    matrices[k] = _matmul(turns[k], matrices[k])
                    shifts[k] = [x + eta * y for x, y in zip(matvec(turns[k], shifts[k]), push, strict=True)]
        matrix, shift, covariance = eye, [zero] * dim, _scaled(zero, eye)
        for k, a in enumerate(weights):
            matrix = _add(matrix, _scaled(a, _add(matrices[k], _scaled(-1, eye))))
            shift = [x + a * y for x, y in zip(shift, shifts[k], strict=True)]
            for m, b in enumerate(weights):
                covariance = _add(covariance, _scaled(a * b, between[k][m]))
        mixture.append((probability, matrix, shift, covariance))
    return mixture


def moment_step(mean: Vector, second: Matrix, mixture: Mixture) -> tuple[Vector, Matrix]:
    """E[w'] and E[w'w'ᵀ] after one round: Σ q(Mμ + b) and Σ q(MSMᵀ + (Mμ)bᵀ + b(Mμ)ᵀ + bbᵀ + covariance)."""
    zero = mean[0] * 0
    new_mean, new_second = [zero for _ in mean], _scaled(zero, second)
    for q, matrix, shift, covariance in mixture:
        image = matvec(matrix, mean)
        new_mean = [x + q * (y + b) for x, y, b in zip(new_mean, image, shift, strict=True)]
        inside = _add(_matmul(_matmul(matrix, second), _transpose(matrix)), covariance)
        inside = _add(inside, _add(_outer(image, shift), _add(_outer(shift, image), _outer(shift, shift))))
        new_second = _add(new_second, _scaled(q, inside))
    return new_mean, new_second


def moments(mean: Vector, second: Matrix | None, rounds: Iterable[Mixture]) -> list[tuple[Vector, Matrix]]:
    """(E[w], E[wwᵀ]) before each round and after the last; second = None: the start is not random."""
    path = [(list(mean), _outer(mean, mean) if second is None else second)]
    for mixture in rounds:
        path.append(moment_step(*path[-1], mixture))
    return path


def expected_quadratic(mean: Vector, second: Matrix, matrix: Matrix, center: Vector) -> Number:
    """E[(w − c)ᵀB(w − c)] = tr(B E[wwᵀ]) − (Bᵀc + Bc)ᵀμ + cᵀBc."""
    crossed = [x + y for x, y in zip(matvec(matrix, center), matvec(_transpose(matrix), center), strict=True)]
    trace = dot([x for row in matrix for x in row], [x for row in _transpose(second) for x in row])
    return trace - dot(crossed, mean) + dot(center, matvec(matrix, center))


def _transpose(a: Matrix) -> Matrix:
    return [list(column) for column in zip(*a, strict=True)]


def _matmul(a: Matrix, b: Matrix) -> Matrix:
    columns = _transpose(b)
    return [[dot(row, column) for column in columns] for row in a]


def _add(a: Matrix, b: Matrix) -> Matrix:
    return [[x + y for x, y in zip(u, v, strict=True)] for u, v in zip(a, b, strict=True)]


def _scaled(factor: Number, a: Matrix) -> Matrix:
    return [[factor * x for x in row] for row in a]


def _outer(u: Vector, v: Vector) -> Matrix:
    return [[x * y for y in v] for x in u]
