"""Directions along which instances may grow without end: every proof's S vanishes there, so they are taken out exactly.

A minimiser that no hypothesis holds near may move away orthogonally to all else; then no multipliers make S positive
definite, and rounding has no room. Such directions are the recession cone of the program, found in floats as the range
of its largest element; their span is recognised exactly, and S·N = 0 becomes equations on the multipliers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from flint import fmpq

from theory.classes import Program, solve
from theory.classes.numbers import Real, Surd
from theory.classes.program import Float
from theory.worst_case.status import UnsolvedError
from validation.proof.rounding.linear import Row
from validation.proof.rounding.recognise import COARSE, field_of, null_spaces

__all__ = ["Face", "faces", "recession", "vanishing"]

_MOVES = 1e-5  # relative: a condition that falls faster along the direction has multiplier 0


@dataclass(frozen=True, eq=False)
class Face:
    """`null`: vectors N over the kept places on which S vanishes; `closed`: places of forms whose multiplier is 0."""

    null: list[list[Real]]
    closed: frozenset[int]


def faces(program: Program, reach: Float, bound: Real) -> Iterator[Face]:
    """Guesses of the face on which a proof has room: none taken out first, then the recession directions found."""
    yield Face([], frozenset())
    found = recession(program, reach)
    if found is None:
        return
    gram, moved = found
    closed = frozenset(int(i) for i in np.flatnonzero(moved))
    for null in null_spaces(gram, np.sqrt(reach), field_of(program, bound), tolerances=COARSE):
        yield Face(null, closed)


def recession(program: Program, reach: Float) -> tuple[Float, np.ndarray[tuple[int], np.dtype[np.bool_]]] | None:
    """(R of the largest rank, which forms move strictly along it), or None where instances are bounded."""
    k = program.n_measures
    trace = np.diag(1 / reach)[None]
    no_values = np.zeros((1, program.linear.shape[1]))
    cone = replace(
        program,
        statement=replace(program.statement, measures=program.statement.measures[:1]),
        gram=np.concatenate([trace, program.gram[k:], -program.gram[:k], trace]),
        linear=np.concatenate([no_values, program.linear[k:], -program.linear[:k], no_values]),
        constant=np.concatenate([np.zeros(1 + len(program.constant)), [-1.0]]),
        equality=np.concatenate([program.equality, np.zeros(k + 1, dtype=bool)]),
    )
    try:
        solution = solve(cone)
    except UnsolvedError:
        return None
    if not 0.5 < solution.value < 2:
        return None
    change = np.einsum("kij,ij->k", program.gram, solution.gram) + program.linear @ solution.values
    size = np.einsum("kij,ij->k", np.abs(program.gram), np.abs(solution.gram)) + 1e-3
    moved = np.abs(change) > _MOVES * size
    moved[k:] &= ~program.equality
    return solution.gram, moved


def vanishing(program: Program, active: Sequence[int], null: Sequence[Sequence[Real]]) -> Iterator[tuple[Row, Real]]:
    """S·N = 0, one equation per row of S and vector of N; unknown i is the multiplier of form active[i]."""
    place = {v: i for i, v in enumerate(program.kept)}
    forms, k = program.forms, program.n_measures
    entries = [
        (unknown, place[i], place[j], fmpq(-1 if form_place < k else 1, 2) * a)
        for unknown, form_place in enumerate(active)
        for (i, j), a in forms[form_place].quad.items()
        if i in place and j in place
    ]
    for vector in null:
        rows: list[dict[int, Real]] = [{} for _ in program.kept]
        absent = [not isinstance(x, Surd) and x == 0 for x in vector]
        for unknown, p, q, half in entries:
            for s, t in ((p, q), (q, p)):
                if not absent[t]:
                    rows[s][unknown] = rows[s].get(unknown, fmpq(0)) + half * vector[t]
        for row in rows:
            yield row, fmpq(0)
