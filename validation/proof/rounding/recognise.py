"""Exact vectors behind floats: fractions, numbers over given radicals, and the range of a Gram matrix in reduced form.

What is recognised is a guess; whoever uses it checks what follows from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
from flint import fmpq, fmpz_mat
from scipy.linalg import qr

from theory.classes import Program
from theory.classes.numbers import Real, Surd, radicals, scaled, sqrt, value
from theory.classes.program import Float

__all__ = [
    "COARSE",
    "FINE",
    "TOLERANCES",
    "field_of",
    "lengths_of",
    "likely_ranks",
    "null_spaces",
    "sharp_null_space",
    "simplest",
]

TOLERANCES = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4)
FINE = (1e-11, 1e-10, 1e-9)  # after refinement
COARSE = (1e-6, 1e-4, 1e-3, 1e-2)  # of a cone's largest element, which is known to few digits
_NOISE = 1e-9  # eigenvalues below are no step
_LARGEST = 20_000  # beyond it a denominator is no recognition
_SHARP = Fraction(1, 10**48)  # of an entry known to about 60 digits
_LARGEST_SHARP = 10**20  # a chance hit within _SHARP has a denominator of 10²⁴ or so


def null_spaces(
    gram: Float,
    lengths: Float,
    field: Sequence[Real],
    rank: int | None = None,
    tolerances: Sequence[float] = TOLERANCES,
) -> Iterator[list[list[Real]]]:
    """Exact bases of what may be the range of G, the likeliest ranks first, each guess once.

    `lengths`: the sizes of the vectors that make entries comparable, all > 0. `tolerances` of entries, tried in turn.
    """
    for tried in [rank] if rank is not None else likely_ranks(gram / np.outer(lengths, lengths)):
        seen: set[str] = set()
        for tolerance in tolerances:
            null = _null_space(gram, lengths, tried, tolerance, field)
            if null is not None and str(null) not in seen:
                seen.add(str(null))
                yield null


def simplest(x: float | Fraction, room: float | Fraction) -> Fraction:
    """The fraction of smallest denominator within `room` of x.

    >>> simplest(0.33333, 1e-4)
    Fraction(1, 3)
    """
    low, high = Fraction(x) - Fraction(room), Fraction(x) + Fraction(room)
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


def likely_ranks(gram: Float) -> list[int]:
    """Ranks, by how clear the step in the eigenvalues is."""
    powers = np.append(np.maximum(np.linalg.eigvalsh(gram)[::-1], _NOISE), _NOISE)
    steps = [(powers[r - 1] / powers[r], r) for r in range(1, len(powers))]
    return [r for step, r in sorted(steps, reverse=True) if step > 10][:4]


def lengths_of(gram: Float) -> Float:
    """Lengths of the vectors of a Gram matrix, none 0."""
    lengths: Float = np.sqrt(np.maximum(np.diag(gram), 1e-12 * max(float(np.diag(gram).max(initial=0.0)), 1e-300)))
    return lengths


def _null_space(
    gram: Float, lengths: Float, rank: int, tolerance: float, field: Sequence[Real]
) -> list[list[Real]] | None:
    """An exact basis of the range of G in reduced form (identity on its pivots), or None where it is not recognised."""
    basis = np.linalg.eigh(gram / np.outer(lengths, lengths))[1][:, -rank:] * lengths[:, None]
    pivots = qr(basis.T / lengths, pivoting=True)[2][:rank]
    reduced = np.linalg.solve(basis[pivots].T, basis.T)
    out: list[list[Real]] = []
    for row in reduced:
        found = [_recognised(float(x), tolerance, field) for x in row]
        if any(x is None for x in found):
            return None
        out.append([x for x in found if x is not None])
    return _with_identity(out, pivots)


def sharp_null_space(
    pivots: Sequence[int], reduced: Sequence[Sequence[Fraction]], field: Sequence[Real]
) -> list[list[Real]] | None:
    """An exact basis behind entries known to about sixty digits, or None where one of them is not recognised."""
    out: list[list[Real]] = []
    for row in reduced:
        found = [_recognised_sharp(x, field) for x in row]
        if any(x is None for x in found):
            return None
        out.append([x for x in found if x is not None])
    return _with_identity(out, pivots)


def _with_identity(basis: list[list[Real]], pivots: Sequence[int]) -> list[list[Real]]:
    for i, pivot in enumerate(pivots):
        for j in range(len(basis)):
            basis[j][pivot] = fmpq(int(i == j))
    return basis


def _recognised_sharp(x: Fraction, field: Sequence[Real]) -> Real | None:
    near = simplest(x, _SHARP * max(Fraction(1), abs(x)))
    if near.denominator <= _LARGEST_SHARP:
        return fmpq(near.numerator, near.denominator)
    if len(field) == 1:
        return None
    found = _integer_relation(x, _SHARP, [Fraction(scaled(b, 256), 2**256) for b in field])
    # Integers of a chance relation have 48 digits together, each as many.
    if found is None or max(map(abs, found)) ** (2 * len(found)) > 1 / _SHARP:
        return None
    return _combination(found, field)


def _recognised(x: float, tolerance: float, field: Sequence[Real]) -> Real | None:
    near = simplest(x, tolerance * max(1.0, abs(x)))
    if len(field) == 1 or near.denominator <= 60:
        return fmpq(near.numerator, near.denominator) if near.denominator <= _LARGEST else None
    return _relation(x, tolerance, field)


def _relation(x: float, tolerance: float, field: Sequence[Real]) -> Real | None:
    """x over the field by a short integer relation (LLL), or None."""
    row = _integer_relation(Fraction(x), Fraction(tolerance), [Fraction(value(b)) for b in field])
    if row is None:
        return None
    found = _combination(row, field)
    return found if abs(value(found) - x) < 10 * tolerance * max(1.0, abs(x)) else None


def _integer_relation(x: Fraction, tolerance: Fraction, numbers: Sequence[Fraction]) -> list[int] | None:
    """Short integers a, b… with a·x + Σ b·number near 0, a not 0."""
    size, scale = 1 + len(numbers), 1 / tolerance
    rows = [[int(i == j) for j in range(size)] + [round(y * scale)] for i, y in enumerate([x, *numbers])]
    lattice = fmpz_mat(rows).lll()
    found = ([int(lattice[i, j]) for j in range(size)] for i in range(size))
    return next((row for row in found if row[0] != 0), None)


def _combination(row: Sequence[int], field: Sequence[Real]) -> Real:
    total: Real = fmpq(0)
    for a, b in zip(row[1:], field, strict=True):
        total = total - fmpq(a, row[0]) * b
    return total


def field_of(program: Program, bound: Real) -> list[Real]:
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
