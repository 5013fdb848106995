"""Signs of the eigenvalues of symmetric matrices, exactly: by elimination, without an eigenvalue being computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["largest_sign"]


def largest_sign(matrix: Sequence[Sequence[Any]]) -> int:
    """The sign of the largest eigenvalue of a symmetric matrix: 1, 0 or −1.

    By symmetric elimination of the matrix with its sign turned: the largest eigenvalue is positive where that is not
    positive semidefinite, and negative where all its pivots are positive. Entries are exact numbers, in any dimension.
    Raises `ValueError` for a matrix that is not square and symmetric.

    >>> largest_sign([[-2, 1], [1, -2]]), largest_sign([[-1, 1], [1, -1]]), largest_sign([[0, 1], [1, -5]])
    (-1, 0, 1)
    """
    rows = [[-entry for entry in row] for row in matrix]
    n = len(rows)
    if any(len(row) != n for row in rows):
        raise ValueError(
            f"largest_sign: {n} rows of {', '.join(str(len(row)) for row in rows)}; expected a square matrix"
        )
    if any(rows[i][j] != rows[j][i] for i in range(n) for j in range(i)):
        raise ValueError("largest_sign: the matrix is not symmetric")
    singular = False
    for k in range(n):
        pivot = rows[k][k]
        if pivot < 0:
            return 1
        if pivot == 0:
            if any(rows[k][j] != 0 for j in range(k + 1, n)):
                return 1
            singular = True
            continue
        for i in range(k + 1, n):
            factor = rows[i][k] / pivot
            if factor != 0:
                for j in range(i, n):
                    rows[i][j] = rows[j][i] = rows[i][j] - factor * rows[k][j]
    return 0 if singular or n == 0 else -1
