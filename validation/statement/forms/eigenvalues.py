"""«λmax(A) <= bound» and «‖A‖ <= bound»: decided by exact elimination, in any dimension.

A function makes the matrix of each instance. The search climbs the eigenvalue in floats; the exact side never computes
one: the sign of λmax(A − bound·I) follows from the pivots of a symmetric elimination.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import sympy as sp

from theory.exact.arrays import exact_array
from theory.exact.copied import exact_copy
from theory.exact.definite import largest_sign
from theory.exact.errors import InexactError
from theory.exact.germ import Germ
from theory.exact.number import Exact
from validation.statement.bound import Bound
from validation.statement.forms.for_small import in_germs
from validation.statement.forms.inner_letters import observed, observed_exactly
from validation.statement.forms.kinds import Case, ExactCheck, Family, Inequality
from validation.statement.instances.draw import Instance

__all__ = ["largest_eigenvalue", "spectral_norm"]

Matrices: TypeAlias = Callable[[Any], Any]
Entries: TypeAlias = Callable[[Mapping[str, Any]], Sequence[Sequence[Any]]]


def largest_eigenvalue(
    bound: Bound, cases: tuple[Case | Family, ...], matrix: Matrices, *, exact: Entries | None = None
) -> Inequality:
    """λmax(A) <= bound on every instance; `matrix(instances)`: A of each of n instances, symmetric, (n, d, d).

    The cases measure the constants of the bound. `exact(instance)`: the rows of A in exact numbers; without it
    `matrix` itself runs on them, as in `recomputed`. The search climbs (λmax(A) − bound)/(max|A| + |bound|), whose
    exact version is its sign. Raises `ValueError` for a case without an exact side; entries of A and the bound
    are exact where they are made by +, −, ·, / and comparisons.
    """
    return _stated(bound, cases, _Matrix(matrix, exact, norm=False))


def spectral_norm(
    bound: Bound, cases: tuple[Case | Family, ...], matrix: Matrices, *, exact: Entries | None = None
) -> Inequality:
    """‖A‖ <= bound, the largest singular value, on every instance; A is (n, rows, columns), else as above.

    It is the largest eigenvalue of the symmetric matrix with blocks 0, A, Aᵀ, 0.
    """
    return _stated(bound, cases, _Matrix(matrix, exact, norm=True))


@dataclass(frozen=True)
class _Matrix:
    of: Matrices
    exact: Entries | None
    norm: bool

    def rows(self, instance: Mapping[str, Any]) -> list[list[Any]]:
        """The symmetric matrix of one instance, in exact numbers."""
        if self.exact is not None:
            a = [list(row) for row in self.exact(instance)]
        else:
            made = exact_copy(self.of)({name: exact_array([value]) for name, value in instance.items()})[0]
            a = [[_plain(entry) for entry in row] for row in made]
        if any(isinstance(entry, float) for row in a for entry in row):
            raise InexactError("the exact matrix has a float; expected whole numbers and fractions")
        if not self.norm:
            return a
        rows, columns = len(a), len(a[0])
        top = [[Fraction(0)] * rows + row for row in a]
        return [*top, *([a[i][j] for i in range(rows)] + [Fraction(0)] * columns for j in range(columns))]

    def largest(self, drawn: Instance) -> tuple[Any, Any]:
        """λmax or ‖A‖ in floats, and the largest entry."""
        a = np.asarray(self.of(drawn), dtype=float)
        n, what = len(next(iter(drawn.values()), [0])), "spectral_norm" if self.norm else "largest_eigenvalue"
        if a.ndim != 3 or 0 in a.shape[1:] or len(a) != n or (not self.norm and a.shape[1] != a.shape[2]):
            shape = f"({n}, rows, columns)" if self.norm else f"({n}, d, d)"
            raise ValueError(f"{what}: the matrices of {n} draws have shape {a.shape}; expected {shape}, d >= 1")
        found = np.linalg.norm(a, 2, axis=(-2, -1)) if self.norm else np.linalg.eigvalsh(a)[..., -1]
        return found, np.abs(a).max(axis=(-2, -1))


def _stated(bound: Bound, cases: tuple[Case | Family, ...], matrix: _Matrix) -> Inequality:
    made = tuple(
        replace(item, at=partial(_of_family, item.at, bound, matrix))
        if isinstance(item, Family)
        else _case(item, bound, matrix)
        for item in cases
    )
    return Inequality(Bound(sp.Integer(0), beside=bound.letters), made, signs=True)


def _of_family(at: Any, bound: Bound, matrix: _Matrix, **sizes: Any) -> Case:
    return _case(at(**sizes), bound, matrix)


def _case(case: Case, bound: Bound, matrix: _Matrix) -> Case:
    if case.exact is None:
        raise ValueError(f"the case «{case.name}» has no exact side, which decides about eigenvalues")
    exact = ExactCheck(partial(_decided, case.exact.function, bound, matrix), standalone=False)
    return replace(case, measure=partial(_measured, case.measure, bound, matrix), exact=exact, symmetries=())


def _measured(measure: Any, bound: Bound, matrix: _Matrix, drawn: Instance) -> dict[str, Any]:
    """The distance of the eigenvalue to the bound as a share of both, and what else the case says of its draws."""
    seen = measure(drawn)
    largest, entry = matrix.largest(drawn)
    right = np.broadcast_to(bound.value(seen), largest.shape)
    size = entry + np.abs(right)
    with np.errstate(all="ignore"):
        lhs = np.where(size > 0, (largest - right) / size, 0.0)
    flags = {key: seen[key] for key in ("admissible", "resolved") if key in seen}
    letters = observed(bound.letters, [seen], [np.ones(largest.shape, dtype=bool)])
    return {**letters, "lhs": lhs, "magnitude": np.ones(largest.shape), **flags}


def _decided(function: Any, bound: Bound, matrix: _Matrix, instance: Mapping[str, Any]) -> tuple[Any, Any]:
    """The hypotheses, and the sign of λmax(A) − bound."""
    met, seen = function(instance)
    germs = any(isinstance(value, Germ) for value in seen.values())
    right, a = in_germs(bound, seen) if germs else bound.exact(seen), matrix.rows(instance)
    shifted = [[entry - right if i == j else entry for j, entry in enumerate(row)] for i, row in enumerate(a)]
    return met, {**observed_exactly(bound.letters, [seen]), "lhs": Fraction(largest_sign(shifted))}


def _plain(entry: Any) -> Any:
    """An exact number as a fraction where it is one."""
    return entry.fraction() if isinstance(entry, Exact) and entry.is_rational else entry
