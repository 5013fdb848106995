"""That no constants will do: exact instances whose terms add up to nothing while what they are to bound does not."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq, fmpq_mat

from theory.exact.budget import at_most_digits, at_most_operations
from theory.exact.errors import DigitsError, InexactError, OperationsError
from validation.statement.bound import Bound
from validation.statement.claim import Case
from validation.statement.instances.draw import Choice, Integer, Signed, Simplex, Uniform
from validation.study.tighten.program import Certificate
from validation.study.tighten.rows import ExactRow, exact_sides
from validation.study.tighten.template import Template

__all__ = ["Descent", "descend", "exact_or_none", "ray"]

__judges__ = "no"

_OPERATIONS, _DIGITS = 60_000, 20_000  # of one exact look
_TRIES = 1_500  # exact looks of a descent
_SECONDS = 2.0  # of processor time for one
_KEPT = 400  # rows of a descent that a program may combine


@dataclass
class Descent:
    """Where a walk to small terms ended: its case and instance, and the rows on the way that ask for constants."""

    case: Case
    instance: Mapping[str, Any]
    rows: list[ExactRow] = field(default_factory=list)


def ray(rows: Sequence[ExactRow], n_terms: int) -> Certificate | None:
    """y >= 0 with Σ y·termⱼ <= 0 for every term and Σ y·lhs > 0: no constants c >= 0 serve these rows. None without.

    Such a certificate has the weights 0. The shortest single row that is one comes first; else a linear program in
    floats chooses rows, and their equations are solved in fractions.
    """
    weights = (Fraction(0),) * n_terms
    alone = [r for r in rows if r.lhs > 0 and all(t <= 0 for t in r.terms)]
    if alone:
        row = min(alone, key=lambda r: len(str(r.instance)))
        return Certificate(weights, (row,), (Fraction(1),), row.lhs)
    chosen = _chosen(rows, n_terms) if any(t < 0 for r in rows for t in r.terms) else None
    if chosen is None:
        return None
    kept, duals = chosen
    found = Certificate(weights, kept, duals, sum((y * r.lhs for y, r in zip(duals, kept, strict=True)), Fraction(0)))
    return found if found.value > 0 and found.holds() else None


def _chosen(rows: Sequence[ExactRow], n_terms: int) -> tuple[tuple[ExactRow, ...], tuple[Fraction, ...]] | None:
    """Rows and duals of a basic solution: those not 0 in floats, by the equations that are tight there."""
    from scipy.optimize import linprog

    scale = [max(*map(abs, r.terms), abs(r.lhs)) for r in rows]
    lhs = np.array([float(r.lhs / s) for r, s in zip(rows, scale, strict=True)])
    terms = np.array([[float(t / s) for t in r.terms] for r, s in zip(rows, scale, strict=True)])
    ones = np.ones((1, len(rows)))
    solved = linprog(-lhs, A_ub=terms.T, b_ub=np.zeros(n_terms), A_eq=ones, b_eq=[1.0], method="highs-ds")
    if solved.x is None or -solved.fun <= 1e-12:
        return None
    places = [i for i in range(len(rows)) if solved.x[i] > 1e-10]
    tight = [j for j in range(n_terms) if abs(float(solved.x @ terms[:, j])) < 1e-9]
    if len(tight) < len(places) - 1:
        return None
    tight = tight[: len(places) - 1]
    system = [[_flint(rows[i].terms[j] / scale[i]) for i in places] for j in tight] + [[fmpq(1)] * len(places)]
    right = fmpq_mat([[fmpq(0)] for _ in tight] + [[fmpq(1)]])
    try:
        found = fmpq_mat(system).solve(right)
    except ZeroDivisionError:
        return None
    duals = tuple(Fraction(int(found[k, 0].p), int(found[k, 0].q)) / scale[i] for k, i in enumerate(places))
    return tuple(rows[i] for i in places), duals


def _flint(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def descend(template: Template, case: Case, start: Mapping[str, Any]) -> Descent | None:
    """Change numbers of an exact instance, within what the case draws, until as many terms as can be are 0.

    A number becomes an end of its range, 0 or 1, or equal to another of its list; what makes fewer terms positive,
    or the sum of all smaller beside the left side less what is kept, stays. None where the start is no violation of
    anything: a hypothesis fails, sides are irrational, or the left side is not above what is kept.
    """
    bounds = tuple(Bound(e) for e in (*template.terms, sp.sympify(template.kept)))
    first = exact_or_none(bounds, case, start)
    if first is None or first.lhs <= 0:
        return None
    found, score, tries = Descent(case, dict(start), [first]), _score(first), 0
    until = time.process_time() + _SECONDS
    moved = True
    while moved and score[0] > 0:
        moved = False
        for instance in _moves(case, found.instance):
            tries += 1
            if tries > _TRIES or time.process_time() > until:
                return found
            row = exact_or_none(bounds, case, instance)
            if row is None or row.lhs <= 0:
                continue
            if len(found.rows) < _KEPT:
                found.rows.append(row)
            if _score(row) < score:
                found.instance, score, moved = instance, _score(row), True
                found.rows.append(row)
                if score[0] == 0:
                    break
    return found


def exact_or_none(bounds: tuple[Bound, ...], case: Case, instance: Mapping[str, Any]) -> ExactRow | None:
    """The row of an instance in fractions; None where a hypothesis fails, or a side is irrational or too long."""
    if case.exact is None:
        return None
    try:
        with at_most_operations(_OPERATIONS), at_most_digits(_DIGITS):
            values = exact_sides(bounds, case.exact, instance)
    except (OperationsError, DigitsError, ArithmeticError, InexactError, LookupError, TypeError, ValueError):
        return None
    if values is None:
        return None
    lhs, *terms, kept = values
    return ExactRow(case.name, instance, lhs - kept, tuple(terms))


def _score(row: ExactRow) -> tuple[int, Fraction]:
    positive = [t for t in row.terms if t > 0]
    return len(positive), sum(positive, Fraction(0)) / row.lhs


def _moves(case: Case, instance: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Neighbours of an instance: one number, or all numbers of a list, at values that its coordinate draws."""
    for c in case.space.coordinates:
        value = instance[c.name]
        if isinstance(c, Simplex):
            rows = [value] if not isinstance(value[0], list) else []
            yield from ({**instance, c.name: new} for new in (_vertices(c.size) if rows and not c.interior else ()))
            continue
        targets = _targets(c)
        yield from ({**instance, c.name: _filled(value, new)} for new in targets)
        if isinstance(value, list):
            held = list(dict.fromkeys(_flat(value)))
            for path, now in _entries(value):
                others = (new for new in dict.fromkeys([*targets, *held]) if new != now)
                yield from ({**instance, c.name: _put(value, path, new)} for new in others)


def _targets(c: Any) -> list[Fraction]:
    """Values of a coordinate at which terms are likely to vanish, all of its range."""
    if isinstance(c, Choice):
        return [Fraction(str(v)) for v in c.values]
    if isinstance(c, Integer):
        return [Fraction(v) for v in dict.fromkeys((c.low, min(c.low + 1, c.high), c.high))]
    if isinstance(c, Signed):
        return [Fraction(0)]
    if isinstance(c, Uniform):
        ends = [Fraction(repr(float(v))) for v in (c.low, c.high, *c.at)]
        return list(dict.fromkeys([*ends, *([Fraction(1)] if c.low <= 1 <= c.high else [])]))
    return []


def _vertices(size: int) -> Iterable[list[Fraction]]:
    return ([Fraction(int(i == k)) for i in range(size)] for k in range(size))


def _entries(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    if isinstance(value, list):
        for i, one in enumerate(value):
            yield from _entries(one, (*path, i))
    else:
        yield path, value


def _flat(value: Any) -> list[Any]:
    return [one for _, one in _entries(value)]


def _put(value: Any, path: tuple[int, ...], new: Any) -> Any:
    if not path:
        return new
    return [_put(one, path[1:], new) if i == path[0] else one for i, one in enumerate(value)]


def _filled(value: Any, new: Any) -> Any:
    return [_filled(one, new) for one in value] if isinstance(value, list) else new
