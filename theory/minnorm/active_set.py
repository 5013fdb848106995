"""The exact point of least norm by active sets, on a unit-diagonal form of the Gram matrix.

With u >= 0 minimising ‖Σuᵢmᵢ‖² + (Σuᵢ − 1)², λ = u/Σu is a minimiser over the simplex. In units of the shortest
update and with columns [mᵢ; 1] of unit length (uᵢ = xᵢ/ℓᵢ), that reads x >= 0, y = Hx − b >= 0, x·y = 0 with H of unit
diagonal and b = 1/ℓ. Ways to solve it, each where it is fastest or safest: one client at a time by the compiled kernel
where few count, SciPy's Lawson–Hanson on a factor, block principal pivoting (many clients: whole groups enter and
leave), and a descent that changes one client at a time and never goes up, for what the others leave above the target.
Clients that are equal or nearly equal count as one for the kernel: once one is in, the others gain nothing by joining.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import nnls

from theory.base.arrays import one_blas_thread
from theory.minnorm.compiled import judged as solved_and_judged
from theory.minnorm.inwards import leaving_one_factor, spread_out
from theory.minnorm.point import Certificate, Float, certify

__all__ = ["AT_ONCE", "active_set", "at_once"]

EPS = float(np.finfo(np.float64).eps)
# Up to here SciPy's compiled Lawson-Hanson is faster than a handful of NumPy calls per pivot.
FEW_CLIENTS = 16
# Up to here the compiled kernel is fastest even where all clients count; beyond, where few do or many are nearly equal.
ONE_BY_ONE = 200
FEW_COUNT = 48
# Up to here it also beats pivoting where the updates are linearly dependent, which makes whole groups go in and out.
MODERATELY_MANY = 200
# Beyond this BLAS starts threads; on a busy machine they wait for each other and a solve takes fifty times as long.
WORTH_THREADS = 128
RANK_DEFICIENT, AT_ONCE = "rank deficient", "one by one"
# A method whose answer is within this is believed; rounding alone reaches some 1e-16.
TARGET = 1e-14


@dataclass(frozen=True, eq=False)
class _Problem:
    """y = Hx − b with H `matrix`, b `target`; λᵢ ∝ xᵢ/`length`ᵢ; `start` is the shortest update.

    The `ridge`, a few n·eps, added to the diagonal where a part of H is factorised, makes it positive definite,
    duplicates and all; what it changes is taken out again by refinement.
    """

    matrix: Float
    target: Float
    length: Float
    ridge: float
    start: int

    def weights(self, x: Float) -> Float:
        u: Float = np.maximum(x, 0.0) / self.length
        return np.asarray(u / u.sum(), dtype=np.float64)


def _problem(gram: Float) -> _Problem:
    n = gram.shape[0]
    squares = gram.diagonal()
    start = int(squares.argmin())
    unit = squares[start]
    length = np.sqrt(squares / unit + 1.0)
    inverse = 1.0 / length
    matrix = gram / unit
    matrix += 1.0
    matrix *= inverse
    matrix *= inverse[:, None]
    matrix.flat[:: n + 1] = 1.0
    return _Problem(matrix, inverse, length, 4.0 * n * EPS, start)


def active_set(gram: Float, max_iterations: int | None = None) -> tuple[Float, int, str, Certificate]:
    """(weights, iterations, method, certificate) of the least-norm point for `gram` (n_clients, n_clients) float64.

    Source: fedaware, eq. (2). The first method whose KKT residual is at rounding level gives the answer; if none is,
    the best of them. The diagonal must be > 0. `max_iterations` bounds pivoting and descent (default: 100 block
    exchanges, 20·n_clients single ones) and leaves out the kernel and SciPy's Lawson–Hanson, which do not tell how many
    they took (0 here).
    """
    if max_iterations is None:
        found = at_once(gram)
        if found is not None:
            return found[0], 0, AT_ONCE, Certificate(*found[1])
    answers = []
    with one_blas_thread() if gram.shape[0] > WORTH_THREADS else nullcontext():
        for weights, done, method in _attempts(gram, max_iterations):
            judged = certify(gram, weights)
            answers.append((weights, done, method, judged))
            if judged.kkt_residual <= TARGET:
                return answers[-1]
    return min(answers, key=lambda answer: answer[3].kkt_residual)


def at_once(gram: Any) -> tuple[Float, list[float]] | None:
    """(weights, the fields of their `Certificate`) by the compiled kernel, where it is the fastest way; else None.

    It checks `gram`, which may be anything, and refuses what `min_norm_point` raises for.
    """
    found = solved_and_judged(gram, _most(gram)) if getattr(gram, "ndim", 0) == 2 else None
    return None if found is None or not found[1][3] <= TARGET else found


def _most(gram: Float) -> int:
    """How many clients may count before the kernel is not the fastest way."""
    n = int(gram.shape[0])
    if n <= ONE_BY_ONE:
        return n
    return n // 2 if _close(gram, gram.diagonal()) else max(FEW_COUNT, n // 8)


def _close(gram: Float, squares: Float) -> bool:
    """Whether half of some clients nearly equal another one, ‖mᵢ − mⱼ‖² <= 1e-6·(‖mᵢ‖² + ‖mⱼ‖²)."""
    some = np.arange(0, squares.size, max(1, squares.size // 16))
    with np.errstate(over="ignore", invalid="ignore"):  # nothing is checked yet
        both = squares[some, None] + squares
        apart = both - 2.0 * gram[some]
    apart[np.arange(some.size), some] = np.inf
    return bool(2 * np.count_nonzero((apart <= 1e-6 * both).any(axis=1)) >= some.size)


def _attempts(gram: Float, limit: int | None) -> Iterator[tuple[Float, int, str]]:
    """One answer after the other, the likely fastest first."""
    n, start = gram.shape[0], int(gram.diagonal().argmin())
    pulling = 2 * np.count_nonzero(gram[start] < gram[start, start]) > n  # most pull away from it: begin with all
    problem = _problem(gram)
    compiled = limit is None and n <= MODERATELY_MANY  # worth it, and not yet tried
    if compiled and n <= FEW_CLIENTS:
        compiled = False
        yield from _nonnegative_least_squares(problem)
    if pulling:
        x, done, method = _pivoting(problem, np.arange(n), limit or 100)
        if method != RANK_DEFICIENT:
            yield problem.weights(x), done, method
        else:
            found = None if n <= MODERATELY_MANY else spread_out(problem.matrix, problem.target, limit or 100)
            if compiled:
                compiled = False
                yield from _nonnegative_least_squares(problem)
            elif found is not None:
                yield problem.weights(found[0]), found[1], "spread out"
    x, done, method = _pivoting(problem, np.asarray([problem.start]), limit or 100)
    yield problem.weights(x), done, method
    if compiled:
        yield from _nonnegative_least_squares(problem)
    x, more = _descent(problem, gram, x, limit or 20 * n)
    yield problem.weights(x), done + more, "descent"


def _nonnegative_least_squares(problem: _Problem) -> Iterator[tuple[Float, int, str]]:
    """½xᵀHx − bᵀx = ½‖Rx − c‖² − ½‖c‖² over x >= 0 by Lawson–Hanson; nothing where it gives up.

    R is a pivoted Cholesky factor of H, RᵀR = H, with as many rows as H has rank, and Rᵀc = b.
    """
    factor, order, rank, _ = lapack.dpstrf(problem.matrix.T, tol=-1.0)
    order -= 1
    factor = np.triu(factor[:rank])
    right, _ = lapack.dtrtrs(factor[:, :rank], problem.target[order[:rank]], trans=1)
    try:
        found, _ = nnls(factor, right)
    except RuntimeError:
        return
    x = np.empty_like(problem.target)
    x[order] = found
    if x.any():
        yield problem.weights(x), 0, "non-negative least squares"


def _factor(problem: _Problem, support: Any) -> tuple[Any, Float]:
    """Cholesky factor, None if there is none, and copy of the rows and columns in `support`, both with the ridge."""
    inside = problem.matrix[support[:, None], support]
    inside.flat[:: support.size + 1] += problem.ridge
    lower, failed = lapack.dpotrf(inside.T, lower=1, clean=0)  # symmetric: transposed it is as LAPACK stores it
    return (None if failed else lower), inside


def _factor_all(problem: _Problem) -> Any:
    """Cholesky factor of the whole of H without the ridge; None where a pivot is near rounding."""
    lower, failed = lapack.dpotrf(problem.matrix.T, lower=1, clean=0)
    return None if failed or float(lower.diagonal().min()) < 1e-5 else lower


def _pivoting(problem: _Problem, support: Any, limit: int, group: int = 16) -> tuple[Float, int, str]:
    """(x >= 0, exchanges, how it ended): block principal pivoting from the clients in `support`.

    All clients with negative x leave, the most violating outside enter, at most doubling the support, which keeps the
    factorisations small where few clients count. Five exchanges without fewer wrong signs than ever before end it, and
    begun with all clients, a pivot near rounding does: dependent updates are better let in one by one.
    """
    n = problem.target.size
    full = np.zeros(n)
    fewest, patience = n + 1, 5
    for done in range(1, limit + 1):
        if done == 1 and support.size == n:
            lower, inside, ridge = _factor_all(problem), problem.matrix, 0.0
            if lower is None:
                return full, done, RANK_DEFICIENT
            found = leaving_one_factor(lower, inside, problem.target, limit) if n > MODERATELY_MANY else None
            if found is not None:
                return found[0], found[1], "block pivoting"
        else:
            lower, inside = _factor(problem, support)
            ridge = problem.ridge
        if lower is None:
            break
        x = lapack.dpotrs(lower, problem.target[support], lower=1)[0]
        full = np.zeros(n)
        full[support] = x
        outside = problem.matrix @ full - problem.target
        outside[support] = 0.0
        falling = x < 0.0
        entering = np.flatnonzero(outside < -4.0 * EPS * float(np.abs(x).sum()))
        wrong = int(falling.sum()) + entering.size
        if wrong == 0:
            for _ in range(2):  # takes the ridge out again; along duplicates it may only move noise
                finer = x + lapack.dpotrs(lower, problem.target[support] - inside @ x + ridge * x, lower=1)[0]
                if finer.min() < 0.0:
                    break
                x = finer
            full[support] = x
            return full, done, "block pivoting"
        patience = 5 if wrong < fewest else patience - 1
        fewest = min(fewest, wrong)
        if patience < 0:
            break
        room = max(group, support.size)
        if entering.size > room:
            entering = entering[np.argpartition(outside[entering], room)[:room]]
        support = np.concatenate([support[~falling], entering])
    full = np.maximum(full, 0.0)
    if not full.any():
        full[problem.start] = problem.target[problem.start]
    return full, done, "block pivoting, unfinished"


def _descent(problem: _Problem, gram: Float, x: Float, limit: int) -> tuple[Float, int]:
    """(x, iterations): one client in or out at a time from any x >= 0, each step a descent in ½xᵀHx − bᵀx.

    Steps solve for the change of x, not for x: what the ridge or an ill-conditioned support gets wrong, the next
    step corrects, and along a direction of no curvature it goes until a client leaves. Ends at rounding level, or
    when the residual has not halved for n + 50 steps.
    """
    n, x = x.size, x.copy()
    best, last, waited = np.inf, x, 0
    active = x > 0.0
    for done in range(1, limit + 1):
        residual = certify(gram, problem.weights(x)).kkt_residual
        waited = 0 if residual < best / 2 else waited + 1
        if residual < best:
            best, last = residual, x.copy()
        if best <= TARGET / 4 or (waited > n + 50 and best < 1.0):
            return last, done
        slope = problem.matrix @ x - problem.target
        noise = 4.0 * EPS * float(x.sum())
        if not np.any(np.abs(slope[active]) > noise):
            entering = int(np.where(active, 0.0, slope).argmin())
            if active[entering] or slope[entering] >= -noise:
                return last, done
            active[entering] = True
        support = np.flatnonzero(active)
        lower, _ = _factor(problem, support)
        if lower is None:
            return last, done
        step = lapack.dpotrs(lower, -slope[support], lower=1)[0]
        here = x[support]
        leaving = np.flatnonzero(here + step < 0.0)
        if leaving.size == 0:
            x[support] = here + step
            continue
        lengths = here[leaving] / -step[leaving]
        first = int(lengths.argmin())
        here = np.maximum(here + lengths[first] * step, 0.0)
        here[leaving[first]] = 0.0
        x[support] = here
        active[support[leaving[first]]] = False
    return last, limit
