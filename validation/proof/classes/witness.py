"""An exact counterexample over a class: finitely many points, gradients and values that satisfy every condition.

The factor P of an interior Gram matrix is rounded, so PᵀP stays rational and positive semidefinite; inequalities were
given room, equations are met exactly by the vectors and values that enter them linearly. Where every class has an
interpolation theorem, a member of each class takes these values there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from theory.classes import Form, Program, Solution, Statement, Vector, assemble, solve
from theory.classes.numbers import Real, Surd, is_zero, sign, value
from theory.classes.program import Float
from theory.classes.solver import interior_instance
from theory.worst_case.status import UnsolvedError
from validation.proof.classes.spans import pinned
from validation.proof.rounding.linear import Row, floats_near, solve_near

__all__ = ["Witness", "refute", "violates"]

# Denominators of coordinates, in the order in which they are tried.
_GRIDS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 60, 10**2, 10**3, 10**4, 10**6, 10**8, 10**11, 10**14)


_ROUNDING = 1e-9  # relative: how wrong floats of exact numbers may be about a form
_CLEARLY = 1e-6  # relative: what fails by more at the finest denominator does not at a coarse one, but for luck


@dataclass(frozen=True, eq=False)
class Witness:
    """Coordinates of the free vectors, and the free values, of an instance; `least` is its smallest measure."""

    statement: Statement
    vectors: tuple[tuple[Real, ...], ...]
    values: tuple[Real, ...]
    least: Real

    @property
    def dimension(self) -> int:
        return len(self.vectors[0]) if self.vectors else 0


class Place:
    """Vectors and values at which forms are evaluated exactly; each inner product is computed once."""

    def __init__(self, vectors: Sequence[Sequence[Real]], values: Sequence[Real]) -> None:
        self.vectors, self.values = vectors, values
        self.products: dict[tuple[int, int], Real] = {}
        self.rational = not any(isinstance(x, Surd) for row in vectors for x in row)

    def at(self, form: Form) -> Real:
        """The form's exact number."""
        total = form.constant
        for pair, a in form.quad.items():
            if pair not in self.products:
                self.products[pair] = self._product(*pair)
            total = total + a * self.products[pair]
        for v, a in form.values.items():
            total = total + a * self.values[v]
        return total

    def _product(self, i: int, j: int) -> Real:
        if self.rational:
            (u, bottom), (w, other) = self._over_one[i], self._over_one[j]
            return fmpq((u * w.transpose())[0, 0]) / (bottom * other)
        return sum((x * y for x, y in zip(self.vectors[i], self.vectors[j], strict=True)), fmpq(0))

    @cached_property
    def _over_one(self) -> list[tuple[Any, Any]]:
        """Each vector as (row of integers, their denominator)."""
        return [fmpq_mat(1, len(v), list(v)).numer_denom() for v in self.vectors]


def violates(witness: Witness) -> bool:
    """Whether the instance meets every condition and every measure exceeds the bound, in exact arithmetic alone."""
    statement = witness.statement
    if not statement.exact:
        return False
    place = Place(witness.vectors, witness.values)
    for condition in statement.conditions:
        found = place.at(condition.form)
        if (condition.equality and not is_zero(found)) or (not condition.equality and sign(found) > 0):
            return False
    if not all(sign(place.at(m) - statement.bound) > 0 for m in statement.measures):
        return False
    return _in_spans(statement, place) and _minimisers_are_known(statement, place)


def _along_spans(program: Program, solution: Solution) -> Witness | None:
    """An instance whose moves are fixed multiples of their directions, about those of the float instance."""
    statement = program.statement
    fixed = pinned(statement, program.kept, solution.gram)
    if fixed is None:
        return None
    short, moved = fixed
    try:
        found = solve(small := assemble(short))
    except UnsolvedError:
        return None
    witness = refute(small, found)
    if witness is None:
        return None
    vectors = tuple(tuple(_coordinates(moved.get(i, v), witness.vectors)) for i, v in enumerate(_free(statement)))
    whole = Witness(statement, vectors, witness.values, witness.least)
    return whole if violates(whole) else None


def _free(statement: Statement) -> list[Vector]:
    return [Vector({i: fmpq(1)}) for i in range(len(statement.vectors))]


def _in_spans(statement: Statement, place: Place) -> bool:
    """Whether each move lies in the span of its directions; irrational ones are not asked."""
    if statement.spans and not place.rational:
        return False
    for move, directions in statement.spans:
        rows = [_coordinates(v, place.vectors) for v in (*directions, move)]
        if any(isinstance(x, Surd) for row in rows for x in row):
            return False
        every = fmpq_mat(len(rows), len(rows[0]), [x for row in rows for x in row])
        fewer = fmpq_mat(len(rows) - 1, len(rows[0]), [x for row in rows[:-1] for x in row])
        if every.rank() > fewer.rank():
            return False
    return True


def _coordinates(v: Vector, vectors: Sequence[Sequence[Real]]) -> list[Real]:
    dimension = len(vectors[0])
    return [sum((a * vectors[i][k] for i, a in v.parts.items()), fmpq(0)) for k in range(dimension)]


def _minimisers_are_known(statement: Statement, place: Place) -> bool:
    """Whether, of classes defined by their minimisers, every point with the least value is known as one."""
    for _, family, samples in statement.asked:
        if family.exact and family.has_minimiser and samples:  # without samples it is asked once more, with them
            lowest = next(place.at(s.f) for s in samples if s.stationary)
            if any(is_zero(place.at(s.f) - lowest) for s in samples if not s.stationary):
                return False
    return True


def refute(program: Program, solution: Solution) -> Witness | None:
    """An instance beyond the statement's bound, in as few dimensions and with as small numbers as are found to do."""
    statement = program.statement
    if not statement.exact:
        return None
    if statement.spans:
        return _along_spans(program, solution)
    tau = value(statement.bound)
    diagonal = np.diag(solution.gram)
    # Room in the Gram matrix, too, costs dimensions; vectors that equations make orthogonal may need it.
    for spread in (0 * diagonal, np.maximum(diagonal, 1e-3 * float(diagonal.max(initial=0.0)))):
        found = interior_instance(program, tau, _room(program, solution, tau), spread)
        if found is not None and found[2] > 0:
            witness = _near(program, found[0], found[1])
            if witness is not None:
                return witness
    return None


def _near(program: Program, gram: Float, values: Float) -> Witness | None:
    """An exact instance near a float one, in the smallest dimension and with the smallest denominators that do."""
    tau = value(program.statement.bound)
    powers, basis = np.linalg.eigh(gram)
    factor = (basis * np.sqrt(np.maximum(powers, 0.0))).T[::-1]
    for dimension in range(1, len(gram) + 1):
        kept = factor[:dimension]
        if not _may_violate(program, kept, values, tau, 0.0):
            continue
        turned = _turned(kept)
        if not _seems_to(program, turned, values, _GRIDS[-1], _CLEARLY):
            continue  # not even what is nearest to the floats does, once equations are met
        for grid in _GRIDS:
            if not _seems_to(program, turned, values, grid, _ROUNDING):
                continue  # coarse grids seldom do
            witness = _rounded_witness(program, turned, values, grid)
            if witness is not None and violates(witness):
                return witness
    return None


def _seems_to(program: Program, factor: Float, values: Float, grid: int, rounding: float) -> bool:
    """Whether the instance rounded to the grid, equations met, violates in floats; True where they cannot tell."""
    statement, k = program.statement, program.n_measures
    place = {v: i for i, v in enumerate(program.kept)}
    equations = {id(c.form): k + i for i, c in enumerate(statement.conditions) if c.equality}
    forms = [c.form for c in statement.conditions if c.equality]
    vectors: Float = np.round(factor.T * grid) / grid
    for leaf, some in _order([form for form in forms if not form.values], program.kept):
        at, which = place[leaf], [equations[id(form)] for form in some]
        others = vectors.copy()
        others[at] = 0.0
        rows = 2 * program.gram[which][:, at] @ others
        rest = np.einsum("kij,ij->k", program.gram[which], others @ others.T) + program.constant[which]
        moved = floats_near(rows, -rest, vectors[at])
        if moved is None:
            return True
        vectors[at] = moved
    with_values = [equations[id(form)] for form in forms if form.values]
    right = np.einsum("kij,ij->k", program.gram[with_values], vectors @ vectors.T) + program.constant[with_values]
    fine = _finer(grid)
    solved = floats_near(program.linear[with_values], -right, np.round(values * fine) / fine)
    return solved is None or _may_violate(program, vectors.T, solved, value(statement.bound), rounding)


def _room(program: Program, solution: Solution, tau: float) -> Float:
    """What each inequality keeps to spare, in its own units: the size of its terms, the excess for the measures."""
    reach = np.abs(solution.gram)
    terms = np.einsum("kij,ij->k", np.abs(program.gram), reach) + np.abs(program.constant)
    room: Float = np.maximum(terms, 1e-3 * float(terms.max(initial=1e-12)))
    room[: program.n_measures] = max(abs(tau), abs(solution.value), 1e-9)
    return room


def _may_violate(program: Program, factor: Float, values: Float, tau: float, rounding: float) -> bool:
    """Whether the floats do, up to equations and `rounding` of the size of their terms; saves exact work.

    `factor`: the kept vectors as columns, shape (dimension, n).
    """
    gram = factor.T @ factor
    forms = np.einsum("kij,ij->k", program.gram, gram) + program.linear @ values + program.constant
    room = np.zeros(len(forms))
    if rounding:
        size = np.einsum("kij,ij->k", np.abs(program.gram), np.abs(gram)) + np.abs(program.linear) @ np.abs(values)
        room = rounding * (size + np.abs(program.constant) + abs(tau))
    k = program.n_measures
    return bool(np.all(forms[:k] > tau - room[:k]) and np.all((forms[k:] <= room[k:]) | program.equality))


def _turned(factor: Float) -> Float:
    """The same inner products with a triangular factor: the first vectors have few coordinates."""
    if len(factor) > factor.shape[1]:
        return factor
    triangular: Float = np.linalg.qr(factor)[1]
    turned: Float = triangular * np.where(np.diag(triangular) < 0, -1.0, 1.0)[:, None]
    return turned


def _rounded_witness(program: Program, factor: Float, values: Float, grid: int) -> Witness | None:
    statement, dimension = program.statement, len(factor)
    vectors: list[list[Real]] = [[fmpq(0)] * dimension for _ in statement.vectors]
    for i, v in enumerate(program.kept):
        vectors[v] = [_on(grid, float(x)) for x in factor[:, i]]
    equations = [c.form for c in statement.conditions if c.equality]
    on_vectors = [form for form in equations if not form.values]
    for leaf, forms in _order(on_vectors, program.kept):
        rows = [_linear_in(form, leaf, vectors) for form in forms]
        moved = solve_near(rows, vectors[leaf])
        if moved is None:
            return None
        vectors[leaf] = moved
    near = [_on(_finer(grid), float(x)) for x in values]
    blank = Place(vectors, [fmpq(0)] * len(values))
    value_rows: list[tuple[Row, Real]] = [(dict(form.values), -blank.at(form)) for form in equations if form.values]
    solved = solve_near(value_rows, near)
    if solved is None:
        return None
    used = [i for i in range(dimension) if any(v[i] != 0 for v in vectors)] or [0]
    vectors = [[v[i] for i in used] for v in vectors]
    place = Place(vectors, solved)
    measures = [place.at(m) for m in statement.measures]
    least = min(measures, key=value)
    return Witness(statement, tuple(tuple(v) for v in vectors), tuple(solved), least)


def _finer(grid: int) -> int:
    """The grid of the values beside that of the coordinates."""
    return min(2 * grid**2, 100 * grid)


def _on(grid: int, x: float) -> Real:
    return fmpq(round(x * grid), grid)


def _order(forms: Sequence[Form], kept: Sequence[int]) -> Iterator[tuple[int, list[Form]]]:
    """(vector, equations linear in it) one after the other, each equation once, in an order that undoes none.

    An equation goes to the last vector, in order of declaration, in which it has no square; nothing later moves it.
    """
    by_leaf: dict[int, list[Form]] = {}
    for form in forms:
        inside = sorted({i for pair in form.quad for i in pair if i in kept})
        linear = [i for i in inside if (i, i) not in form.quad]
        if linear:
            by_leaf.setdefault(linear[-1], []).append(form)
    for leaf in sorted(by_leaf):
        yield leaf, by_leaf[leaf]


def _linear_in(form: Form, leaf: int, vectors: Sequence[Sequence[Real]]) -> tuple[Mapping[int, Real], Real]:
    """The equation form = 0 as one on the coordinates of a vector in which it is linear."""
    row: dict[int, Real] = {}
    rest = form.constant
    for (i, j), a in form.quad.items():
        if leaf in (i, j):
            other = j if i == leaf else i
            for place, x in enumerate(vectors[other]):
                row[place] = row.get(place, fmpq(0)) + a * x
        else:
            for x, y in zip(vectors[i], vectors[j], strict=True):
                rest = rest + a * x * y
    return row, -rest
