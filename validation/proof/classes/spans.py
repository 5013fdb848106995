"""Moves within a span: x₊ in x + span(d₁, …), of which a statement's conditions say only that gradients are orthogonal.

With fixed multiples x₊ = x + Σ tⱼdⱼ the statement is one of vectors alone again, and its instances are some of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from flint import fmpq

from theory.classes import Condition, Form, Statement, Vector
from theory.classes.families import nontrivial
from theory.classes.numbers import value
from theory.classes.program import Float
from validation.proof.rounding.linear import rounded

__all__ = ["pinned"]

_DIGITS = 6


def pinned(statement: Statement, kept: Sequence[int], gram: Float) -> tuple[Statement, dict[int, Vector]] | None:
    """(the statement with multiples fixed, what each moved vector is there); None where a move has no own vector.

    The multiples are those with which the moves of `gram`, inner products of the vectors `kept`, are nearest to the
    spans, rounded.
    """
    place = {v: i for i, v in enumerate(kept)}
    moved: dict[int, Vector] = {}
    for move, directions in statement.spans:
        own = max(move.parts, default=None)
        if own is None or move.parts[own] != 1 or own in moved or not directions:
            return None
        rows = np.array([_row(v, place) for v in directions])
        inner = rows @ gram @ rows.T
        factors = np.linalg.lstsq(inner, rows @ gram @ _row(move, place), rcond=1e-9)[0]
        after = Vector({own: move.parts[own]}) - move  # where the move begins
        for factor, direction in zip(factors, directions, strict=True):
            after = after + rounded(float(factor), _DIGITS) * direction
        moved[own] = _put(after, moved)
    conditions = [Condition(_form(c.form, moved), c.equality, c.label) for c in statement.conditions]
    return (
        replace(
            statement,
            measures=tuple(_form(m, moved) for m in statement.measures),
            conditions=tuple(c for c in conditions if nontrivial(c)),
            asked=tuple((name, family, ()) for name, family, _ in statement.asked),
            spans=(),
        ),
        moved,
    )


def _row(v: Vector, place: Mapping[int, int]) -> Float:
    out = np.zeros(len(place))
    for i, a in v.parts.items():
        if i in place:
            out[place[i]] = value(a)
    return out


def _put(v: Vector, moved: Mapping[int, Vector]) -> Vector:
    total = Vector({})
    for i, a in v.parts.items():
        total = total + a * moved.get(i, Vector({i: fmpq(1)}))
    return total


def _form(form: Form, moved: Mapping[int, Vector]) -> Form:
    if not any(i in moved for pair in form.quad for i in pair):
        return form
    total = Form({}, form.values, form.constant)
    for (i, j), a in form.quad.items():
        total = total + a * (moved.get(i, Vector({i: fmpq(1)})) * moved.get(j, Vector({j: fmpq(1)})))
    return total
