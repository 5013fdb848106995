"""Exact linear algebra over rationals and square roots: equations solved near a float solution, LDLᵀ, definiteness."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from flint import ctx, fmpq, fmpq_mat, fmpz

from theory.classes.numbers import Real, Surd, enclosure, is_zero, scaled, sign, value
from theory.classes.program import Float

__all__ = ["Matrix", "Row", "floats_near", "is_positive_semidefinite", "pivots", "rounded", "solve_near", "solver"]

_BITS = 192  # of the balls
Matrix: TypeAlias = "list[list[Real]]"
Row: TypeAlias = "Mapping[int, Real]"


def rounded(x: float, digits: int) -> Real:
    """The float to this many decimal places, as a rational."""
    scale = 10**digits
    return fmpq(int(fmpz(round(x * scale))), scale) if abs(x) < 1e12 else fmpq(round(x))


Solve = Callable[[Sequence[Real]], "list[Real] | None"]


def solve_near(rows: Sequence[tuple[Row, Real]], near: Sequence[Real]) -> list[Real] | None:
    """An exact solution of Σ row[i]·x[i] = right, all rows, that keeps near[i] where it can; None where there is none.

    Each equation is met by an unknown that is large: it has the most room to move.
    """
    return solver(rows, [abs(value(x)) for x in near])(near)


def solver(rows: Sequence[tuple[Row, Real]], size: Sequence[float]) -> Solve:
    """`solve_near` of these equations for any `near`; `size`: how far each unknown may move, about.

    Rational equations are reduced once. With square roots numbers may not cancel as written in one order of elimination
    and cancel in another, so each `near` chooses its own.
    """
    rational = not any(isinstance(a, Surd) for row, right in rows for a in (*row.values(), right))
    once = _reduced_rational(rows, size) if rational else None

    def solve(near: Sequence[Real]) -> list[Real] | None:
        reduced = once if rational else _reduced(rows, [abs(value(x)) for x in near])
        if reduced is None:
            return None
        out = list(near)
        for pivot, (row, right) in reduced.items():
            total = right
            for i, a in row.items():
                if i != pivot:
                    total = total - a * near[i]
            out[pivot] = total
        return out

    return solve


def _reduced(rows: Sequence[tuple[Row, Real]], size: Sequence[float]) -> dict[int, tuple[Row, Real]] | None:
    """Reduced equations by the unknown that meets each; None where they contradict."""
    reduced: dict[int, tuple[dict[int, Real], Real]] = {}
    for given, right in rows:
        row = {i: a for i, a in given.items() if not _zero(a)}
        for pivot in [p for p in row if p in reduced]:
            row, right = _combine(row, right, row[pivot], *reduced[pivot])
        if not row:
            if not _zero(right):
                return None
            continue
        pivot = max(row, key=lambda i: abs(value(row[i])) * (size[i] + 1e-12))
        lead = row[pivot]
        row, right = {i: a / lead for i, a in row.items()}, right / lead
        for p, (known, known_right) in list(reduced.items()):
            if pivot in known:
                reduced[p] = _combine(known, known_right, known[pivot], row, right)
        reduced[pivot] = (row, right)
    return {pivot: (row, right) for pivot, (row, right) in reduced.items()}


def _reduced_rational(rows: Sequence[tuple[Row, Real]], size: Sequence[float]) -> dict[int, tuple[Row, Real]] | None:
    """The same by one reduced echelon form over the rationals; floats choose the unknowns that meet the equations."""
    left = np.zeros((len(rows), len(size)))
    for r, (row, _) in enumerate(rows):
        for i, a in row.items():
            left[r, i] = value(a)
    first = pivots(left, size)
    order = [*first, *sorted(set(range(len(size))) - set(first), key=lambda i: -size[i])]
    place = {i: column for column, i in enumerate(order)}
    matrix = fmpq_mat(len(rows), len(order) + 1)
    for r, (row, right) in enumerate(rows):
        for i, a in row.items():
            matrix[r, place[i]] = a
        matrix[r, len(order)] = right
    echelon, rank = matrix.rref()
    found: dict[int, tuple[Row, Real]] = {}
    for reduced in echelon.tolist()[:rank]:
        entries = {column: a for column, a in enumerate(reduced) if a}
        right = entries.pop(len(order), fmpq(0))
        if not entries:
            return None
        found[order[min(entries)]] = ({order[column]: a for column, a in entries.items()}, right)
    return found


def pivots(left: Float, size: Sequence[float]) -> list[int]:
    """The unknowns that elimination row by row would choose, by floats; `left` has shape (equations, unknowns)."""
    left = left.copy()
    room = np.asarray(size) + 1e-12
    whole = np.abs(left).max(axis=1, initial=0.0)
    found: list[int] = []
    for r in range(len(left)):
        pivot = int(np.argmax(np.abs(left[r]) * room)) if len(size) else 0
        if whole[r] == 0 or abs(left[r, pivot]) < 1e-9 * whole[r]:
            continue  # it follows from those before
        found.append(pivot)
        left[r] /= left[r, pivot]
        left[r + 1 :] -= np.outer(left[r + 1 :, pivot], left[r])
        left[r + 1 :, pivot] = 0.0
    return found


def floats_near(left: Float, right: Float, near: Float) -> Float | None:
    """`solve_near` of left·x = right in floats; None where its equations do not seem to agree."""
    met = pivots(left, list(np.abs(near)))
    out = near.copy()
    out[met] = 0.0
    rest = right - left @ out
    if met:
        out[met] = np.linalg.lstsq(left[:, met], rest, rcond=None)[0]
    size = np.abs(left) @ np.abs(out) + np.abs(right) + 1e-12
    return out if np.all(np.abs(left @ out - right) < 1e-8 * size) else None


def _combine(
    row: Mapping[int, Real], right: Real, factor: Real, other: Mapping[int, Real], other_right: Real
) -> tuple[dict[int, Real], Real]:
    out = dict(row)
    for i, a in other.items():
        new = out[i] - factor * a if i in out else -factor * a
        if _zero(new):
            out.pop(i, None)
        else:
            out[i] = new
    return out, right - factor * other_right


def _zero(a: Real) -> bool:
    return is_zero(a) if isinstance(a, Surd) else a == 0


def is_positive_semidefinite(matrix: Matrix) -> bool:
    """Whether the symmetric matrix is positive semidefinite, by exact LDLᵀ.

    Balls say first where a pivot is negative. A matrix with irrational entries is compared with a rational one a
    rounding away; only where that leaves no room is it eliminated in its own field.
    """
    if _surely_negative(matrix):
        return False
    if any(isinstance(x, Surd) for row in matrix for x in row):
        if all(_near_rational(matrix, bits) is False for bits in (128, 256)):
            return _eliminates(matrix)
        return True
    return _eliminates(matrix)


def _surely_negative(matrix: Matrix) -> bool:
    """Whether elimination in balls meets a pivot that is certainly negative; False says nothing."""
    n = len(matrix)
    before = ctx.prec
    ctx.prec = _BITS
    try:
        rows = [[enclosure(x, _BITS) for x in row[: i + 1]] for i, row in enumerate(matrix)]
        order = sorted(range(n), key=lambda i: -float(rows[i][i].mid()))
        rows = [[rows[max(i, j)][min(i, j)] for j in order[: at + 1]] for at, i in enumerate(order)]
        for j in range(n):
            pivot = rows[j][j]
            if pivot < 0:
                return True
            if not pivot > 0:
                return False
            column = [rows[i][j] for i in range(j + 1, n)]
            for i, x in enumerate(column):
                factor = x / pivot
                row = rows[j + 1 + i]
                for k in range(i + 1):
                    row[j + 1 + k] -= factor * column[k]
        return False
    finally:
        ctx.prec = before


def _near_rational(matrix: Matrix, bits: int) -> bool:
    """Whether S' − nεI ⪰ 0 for a rational S' with |S − S'| <= ε entrywise, which proves S ⪰ 0."""
    n, unit = len(matrix), fmpq(1, 2 ** (bits // 2))
    near: Matrix = [[fmpq(scaled(x, bits // 2 + 2), 2 ** (bits // 2 + 2)) for x in row] for row in matrix]
    for i in range(n):
        near[i][i] = near[i][i] - n * unit
    return _eliminates(near)


def _eliminates(matrix: Matrix) -> bool:
    """Symmetric elimination: no negative pivot, and a zero pivot only over a zero column."""
    rows = [list(row) for row in matrix]
    n = len(rows)
    order = list(np.argsort([-value(rows[i][i]) for i in range(n)], kind="stable"))
    rows = [[rows[i][j] for j in order] for i in order]
    for j in range(n):
        pivot = rows[j][j]
        s = sign(pivot)
        if s < 0:
            return False
        if s == 0:
            if any(not _zero(rows[i][j]) for i in range(j + 1, n)):
                return False
            continue
        for i in range(j + 1, n):
            if _zero(rows[i][j]):
                continue
            factor = rows[i][j] / pivot
            for k in range(j + 1, i + 1):
                rows[i][k] = rows[i][k] - factor * rows[k][j]
        for i in range(j + 1, n):
            for k in range(i + 1, n):
                rows[i][k] = rows[k][i]
    return True
