"""A statement as a semidefinite program: exact coefficients over the Gram matrix of the free vectors, and floats.

For every instance min_j o_j(G, f) is to stay below τ where c_k(G, f) <= 0 or = 0; G ⪰ 0 holds the inner products of
the free vectors. Directions in which no form changes (a common shift of all points) are taken out exactly: the vectors
that span them are set to 0, which loses no instance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from theory.classes.numbers import Real, Surd, value
from theory.classes.problem import Statement
from theory.classes.vectors import Form

__all__ = ["Float", "Program", "assemble"]

Float = NDArray[np.float64]
Shift: TypeAlias = "tuple[int, Mapping[int, Real]]"


@dataclass(frozen=True, eq=False)
class Program:
    """`statement` over the kept vectors: place i of a Gram matrix is vector `kept[i]`.

    `shifts`: (vector put at 0, direction): adding a vector along the direction changes no form.

    Floats of the forms, measures first, then conditions: `gram` (n_forms, n, n) symmetric, `linear` (n_forms,
    n_values), `constant` (n_forms,). `equality` marks conditions that are equations, shape (n_conditions,).
    """

    statement: Statement
    kept: tuple[int, ...]
    shifts: tuple[Shift, ...]
    gram: Float
    linear: Float
    constant: Float
    equality: NDArray[np.bool_]

    @property
    def n_measures(self) -> int:
        """How many measures the statement has."""
        return len(self.statement.measures)

    @property
    def forms(self) -> tuple[Form, ...]:
        """The quadratic forms of the measures, then of the conditions."""
        return (*self.statement.measures, *(c.form for c in self.statement.conditions))


def assemble(statement: Statement) -> Program:
    """The program of a statement; nothing is solved."""
    forms = (*statement.measures, *(c.form for c in statement.conditions))
    used = {i for form in forms for pair in form.quad for i in pair}
    kept = tuple(sorted(used))
    shifts: tuple[Shift, ...] = ()
    gram = _grams(forms, kept)
    if gram.size:
        shifts = _shifts(forms, kept, gram)
        if shifts:
            kept = tuple(v for v in kept if v not in [dropped for dropped, _ in shifts])
            gram = _grams(forms, kept)
    linear = np.zeros((len(forms), len(statement.values)))
    for k, form in enumerate(forms):
        for v, a in form.values.items():
            linear[k, v] = value(a)
    constant = np.array([value(form.constant) for form in forms])
    equality = np.array([c.equality for c in statement.conditions], dtype=bool)
    return Program(statement, kept, shifts, gram, linear, constant, equality)


def _grams(forms: Sequence[Form], kept: Sequence[int]) -> Float:
    place = {v: i for i, v in enumerate(kept)}
    gram = np.zeros((len(forms), len(kept), len(kept)))
    for k, form in enumerate(forms):
        for (i, j), a in form.quad.items():
            if i in place and j in place:
                half = value(a) / 2
                gram[k, place[i], place[j]] += half
                gram[k, place[j], place[i]] += half
    return gram


def _shifts(forms: Sequence[Form], kept: Sequence[int], gram: Float) -> tuple[Shift, ...]:
    """Directions that change no form, as exact sums confirm, each with a vector of its own that they may put at 0."""
    _, powers, null = np.linalg.svd(np.linalg.qr(gram.reshape(-1, len(kept)), mode="r"))
    rank = int(np.sum(powers > 1e-9 * np.abs(gram).max()))
    basis, dropped = null[rank:], []
    for row in range(len(basis)):
        pivot = int(np.argmax(np.abs(basis[row])))
        basis[row] /= basis[row][pivot]
        others = [i for i in range(len(basis)) if i != row]
        basis[others] -= np.outer(basis[others, pivot], basis[row])
        dropped.append(pivot)
    confirmed = []
    for row, pivot in zip(basis, dropped, strict=True):
        direction = {kept[i]: fmpq(round(x)) for i, x in enumerate(row) if round(x) != 0}
        if np.abs(row - np.round(row)).max() < 1e-6 and all(_leaves(form, direction) for form in forms):
            confirmed.append((kept[pivot], direction))
    return tuple(confirmed)


def _leaves(form: Form, direction: Mapping[int, Real]) -> bool:
    """Whether A·direction = 0 for the form's matrix A; a sum that does not cancel as written counts as not."""
    rows: dict[int, Real] = {}
    for (i, j), a in form.quad.items():
        for p, q in ((i, j), (j, i)):
            if q in direction:
                rows[p] = rows.get(p, fmpq(0)) + a * direction[q]
    return not any(isinstance(a, Surd) or a != 0 for a in rows.values())
