"""A proof at the rate itself, where the dual matrix is singular: facial reduction on an exact null space.

At the optimum S·G = 0, so S vanishes on the range of the worst instance. Its reduced basis N is recognised from floats
as rationals, or numbers over the radicals of the statement; S·N = 0 is then linear in the multipliers and met exactly,
and S is positive definite beside N as far as complementarity is strict. A wrong guess gives no proof, not a false one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
from flint import fmpq, fmpz_mat
from scipy.linalg import qr

from theory.classes import Program, Solution
from theory.classes.numbers import Real, Surd, radicals, sign, sqrt, value
from theory.classes.program import Float
from validation.proof.classes.certificate import Proof, check, equations, proof_of
from validation.proof.classes.linear import Row, rounded, solve_near

__all__ = ["prove_at_rate", "simplest"]

_TOLERANCES = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4)
_LARGEST = 4000  # beyond it a denominator is no recognition
_DIGITS = (3, 6, 9, 12, 16)
_WORK = 10**7  # operations of the elimination beyond which a rank is not tried


def prove_at_rate(program: Program, solution: Solution, bound: Real) -> Proof | None:
    """A proof of a bound that equals the worst case, or None where its null space or multipliers are not recognised."""
    floats = np.concatenate([solution.weights, solution.multipliers])
    field = _field(program, bound)
    active = _active(program, solution, floats)
    for rank in _ranks(solution):
        if rank * len(program.kept) * len(active) ** 2 > _WORK:
            continue
        seen: set[str] = set()
        for tolerance in _TOLERANCES:
            null = _null_space(solution.gram, rank, tolerance, field)
            if null is None or str(null) in seen:
                continue
            seen.add(str(null))
            proof = _with_null_space(program, bound, active, floats, null)
            if proof is not None:
                return proof
    return None


def simplest(x: float, room: float) -> Fraction:
    """The fraction of smallest denominator within `room` of x.

    >>> simplest(0.33333, 1e-4)
    Fraction(1, 3)
    """
    low, high = Fraction(x - room), Fraction(x + room)
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest(-x, room)
    return _between(low, high)


def _between(low: Fraction, high: Fraction) -> Fraction:
    whole = low.numerator // low.denominator
    if whole == low:
        return Fraction(whole)
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / _between(1 / (high - whole), 1 / (low - whole))


def _field(program: Program, bound: Real) -> list[Real]:
    """1 and the products of the statement's radicals, at most eight numbers."""
    numbers = [bound]
    for form in program.forms:
        numbers += [*form.quad.values(), *form.values.values(), form.constant]
    inside = radicals(x for x in numbers if isinstance(x, Surd))
    roots = [sqrt(r) for r in inside or ()]
    basis: list[Real] = []
    for size in range(len(roots) + 1):
        for chosen in combinations(roots, size):
            product: Real = fmpq(1)
            for root in chosen:
                product = product * root
            basis.append(product)
    return basis if len(basis) <= 8 else basis[:1]


def _ranks(solution: Solution) -> list[int]:
    """Ranks of the worst instance, by how clear the step in its eigenvalues is."""
    powers = np.maximum(np.linalg.eigvalsh(_scaled(solution.gram)[0])[::-1], 1e-16)
    n = len(powers)
    steps = [(powers[r - 1] / powers[r] if r < n else 1.0, r) for r in range(1, n + 1)]
    return [r for step, r in sorted(steps, reverse=True) if step > 10][:4]


def _scaled(gram: Float) -> tuple[Float, Float]:
    """The Gram matrix of vectors made of length one, and their lengths."""
    lengths = np.sqrt(np.maximum(np.diag(gram), 1e-12 * max(float(np.diag(gram).max(initial=0.0)), 1e-300)))
    return gram / np.outer(lengths, lengths), lengths


def _active(program: Program, solution: Solution, floats: Float) -> list[int]:
    """Forms whose multiplier is not zero: larger, over its own scale, than what the form has to spare."""
    k = program.n_measures
    spare = np.einsum("kij,ij->k", program.gram, solution.gram) + program.linear @ solution.values + program.constant
    spare[:k] -= float(spare[:k].min())
    size = np.einsum("kij,ij->k", np.abs(program.gram), np.abs(solution.gram)) + np.abs(program.constant)
    size += np.abs(program.linear) @ np.abs(solution.values)
    size = np.maximum(size, 1e-3 * max(float(size.max(initial=0.0)), 1e-300))
    scale = max(abs(solution.upper), 1e-9)
    chosen = np.abs(floats) * size / scale > np.abs(spare) / size
    chosen[k:] |= program.equality
    return [int(i) for i in np.flatnonzero(chosen)]


def _null_space(gram: Float, rank: int, tolerance: float, field: Sequence[Real]) -> list[list[Real]] | None:
    """An exact basis of the range of G in reduced form (identity on its pivots), or None where it is not recognised."""
    unit, lengths = _scaled(gram)
    basis = np.linalg.eigh(unit)[1][:, -rank:] * lengths[:, None]
    pivots = qr(basis.T / lengths, pivoting=True)[2][:rank]
    reduced = np.linalg.solve(basis[pivots].T, basis.T)
    out: list[list[Real]] = []
    for row in reduced:
        found = [_recognised(float(x), tolerance, field) for x in row]
        if any(x is None for x in found):
            return None
        out.append([x for x in found if x is not None])
    for i, pivot in enumerate(pivots):
        for j in range(rank):
            out[j][pivot] = fmpq(int(i == j))
    return out


def _recognised(x: float, tolerance: float, field: Sequence[Real]) -> Real | None:
    near = simplest(x, tolerance * max(1.0, abs(x)))
    if len(field) == 1 or near.denominator <= 60:
        return fmpq(near.numerator, near.denominator) if near.denominator <= _LARGEST else None
    return _relation(x, tolerance, field)


def _relation(x: float, tolerance: float, field: Sequence[Real]) -> Real | None:
    """x over the field by a short integer relation (LLL), or None."""
    numbers = [x, *(value(b) for b in field)]
    scale = round(1 / tolerance)
    size = len(numbers)
    lattice = fmpz_mat([[int(i == j) for j in range(size)] + [round(numbers[i] * scale)] for i in range(size)]).lll()
    for i in range(size):
        row = [int(lattice[i, j]) for j in range(size)]
        if row[0] != 0:
            found: Real = fmpq(0)
            for a, b in zip(row[1:], field, strict=True):
                found = found - fmpq(a, row[0]) * b
            return found if abs(value(found) - x) < 10 * tolerance * max(1.0, abs(x)) else None
    return None


def _with_null_space(
    program: Program, bound: Real, active: Sequence[int], floats: Float, null: Sequence[Sequence[Real]]
) -> Proof | None:
    k = program.n_measures
    rows = [*equations(program, bound, active, False), *_vanishing(program, active, null)]
    tried: set[str] = set()
    for digits in _DIGITS:
        near = [rounded(float(floats[i]), digits) for i in active]
        solved = solve_near(rows, near)
        if solved is None:
            return None
        if str(solved) in tried:
            return None  # the equations leave nothing free
        tried.add(str(solved))
        if any(sign(x) < 0 for i, x in zip(active, solved, strict=True) if i < k or not program.equality[i - k]):
            continue
        proof = proof_of(program, bound, active, solved, "tight")
        if check(proof):
            return proof
    return None


def _vanishing(program: Program, active: Sequence[int], null: Sequence[Sequence[Real]]) -> Iterator[tuple[Row, Real]]:
    """S·N = 0, one equation per row of S and vector of N."""
    place = {v: i for i, v in enumerate(program.kept)}
    forms, k = program.forms, program.n_measures
    for vector in null:
        rows: list[dict[int, Real]] = [{} for _ in program.kept]
        for unknown, form_place in enumerate(active):
            factor = fmpq(-1 if form_place < k else 1)
            for (i, j), a in forms[form_place].quad.items():
                if i in place and j in place:
                    p, q = place[i], place[j]
                    for s, t in ((p, q), (q, p)):
                        rows[s][unknown] = rows[s].get(unknown, fmpq(0)) + factor * a / 2 * vector[t]
        for row in rows:
            yield row, fmpq(0)
