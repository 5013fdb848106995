"""A refined worst instance to sixty digits: residuals in fixed point, steps by floats, as in iterative refinement.

A rate such as (1 − ημ)^(2E) makes a worst instance of long fractions, of which floats hold too few digits: the fraction
of smallest denominator near sixteen digits is another one. Near sixty digits it is the right one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq_mat

from theory.classes import Form, Program, Solution
from theory.classes.numbers import Real, scaled, value
from theory.classes.program import Float
from validation.proof.rounding.refine import jacobian

__all__ = ["BITS", "sharp_range"]

BITS = 256
_SMALL = BITS - 40  # residuals below 2 to minus this are rounding
_STEPS = 40
_WORK = 3 * 10**6  # products of one residual beyond which it is not tried


@dataclass(frozen=True)
class _Fixed:
    """A form in fixed point, times 2^BITS: inner products of kept places, values, constant."""

    quad: tuple[tuple[int, int, int], ...]
    values: tuple[tuple[int, int], ...]
    constant: int


def sharp_range(
    program: Program, solution: Solution, bound: Real, rank: int, active: Sequence[int]
) -> tuple[list[int], list[list[Fraction]]] | None:
    """(pivots, reduced basis of the range of G, to about 60 digits), or None where the steps do not converge.

    `solution` is a refined one of this rank: its factor is found again from its Gram matrix.
    """
    k, n = program.n_measures, len(program.kept)
    if (rank + 2) * rank * n * n * len(active) > 100 * _WORK:
        return None
    place = {v: i for i, v in enumerate(program.kept)}
    forms = [_fixed(program.forms[i], place, bound if i < k else None) for i in active]
    powers, basis = np.linalg.eigh(solution.gram)
    start: Float = (basis[:, -rank:] * np.sqrt(np.maximum(powers[-rank:], 0.0))).T
    multipliers = np.concatenate([solution.weights, solution.multipliers])[list(active)]
    inverse = np.linalg.pinv(jacobian(program, start, multipliers, value(bound), active), rcond=1e-9)
    factor = [[_of_float(float(x)) for x in row] for row in start]
    values = [_of_float(float(x)) for x in solution.values]
    lams = [_of_float(float(x)) for x in multipliers]
    best = math.inf
    for _ in range(_STEPS):
        residual = _residual(forms, factor, values, lams, k, active)
        size = max(map(abs, residual), default=0)
        if size < 1 << (BITS - _SMALL):
            return _reduced(factor)
        if size > best / 4:
            return None
        best = size
        step = inverse @ np.array([-_float(r) for r in residual])
        flat = [_of_float(float(x)) for x in step]
        factor = [[x + flat[r * n + i] for i, x in enumerate(row)] for r, row in enumerate(factor)]
        done = rank * n
        values = [x + d for x, d in zip(values, flat[done : done + len(values)], strict=True)]
        lams = [x + d for x, d in zip(lams, flat[done + len(values) :], strict=True)]
    return None


def _fixed(form: Form, place: dict[int, int], bound: Real | None) -> _Fixed:
    quad = tuple(
        (place[i], place[j], scaled(a, BITS)) for (i, j), a in form.quad.items() if i in place and j in place
    )  # vectors that are not kept are 0
    constant = form.constant if bound is None else form.constant - bound
    return _Fixed(quad, tuple((v, scaled(a, BITS)) for v, a in form.values.items()), scaled(constant, BITS))


def _of_float(x: float) -> int:
    top, power = math.frexp(x)
    whole, shift = int(top * (1 << 53)), BITS + power - 53
    return whole << shift if shift >= 0 else whole >> -shift


def _float(x: int) -> float:
    return float(Fraction(x, 1 << BITS))


def _residual(
    forms: Sequence[_Fixed],
    factor: Sequence[Sequence[int]],
    values: Sequence[int],
    lams: Sequence[int],
    k: int,
    active: Sequence[int],
) -> list[int]:
    """Active forms, P·S, what is left on the values, Σw − 1, constants: in the order of `jacobian`."""
    n, one = len(factor[0]), 1 << BITS
    pulled = [[0] * n for _ in factor]
    slack: dict[tuple[int, int], int] = {}
    linear = [0] * len(values)
    total = rest = 0
    met = []
    inner: dict[tuple[int, int], int] = {}
    for form, lam, which in zip(forms, lams, active, strict=True):
        signed = -lam if which < k else lam
        found = form.constant
        for i, j, a in form.quad:
            if (i, j) not in inner:
                inner[i, j] = sum(row[i] * row[j] for row in factor) >> BITS
            found += a * inner[i, j] >> BITS
            slack[i, j] = slack.get((i, j), 0) + (signed * a >> BITS)
        for v, a in form.values:
            found += a * values[v] >> BITS
            linear[v] += signed * a >> BITS
        met.append(found)
        total += lam if which < k else 0
        rest += signed * form.constant >> BITS
    for (i, j), a in slack.items():
        for r, row in enumerate(factor):  # S holds half of a product's coefficient on either side
            pulled[r][i] += a * row[j] >> (BITS + 1)
            pulled[r][j] += a * row[i] >> (BITS + 1)
    return [*met, *(x for row in pulled for x in row), *linear, total - one, rest]


def _reduced(factor: Sequence[Sequence[int]]) -> tuple[list[int], list[list[Fraction]]] | None:
    """The basis of the rows' span that is the identity on its pivots."""
    rows = np.array([[_float(x) for x in row] for row in factor])
    pivots: list[int] = []
    left = rows.copy()
    for _ in range(len(rows)):
        sizes = np.linalg.norm(left, axis=0)
        pivot = int(np.argmax(sizes))
        if sizes[pivot] == 0:
            return None
        pivots.append(pivot)
        unit = left[:, pivot] / sizes[pivot]
        left = left - np.outer(unit, unit @ left)
    exact = fmpq_mat(len(factor), len(factor[0]), [x for row in factor for x in row])
    square = fmpq_mat(len(factor), len(factor), [row[p] for row in factor for p in pivots])
    try:
        solved = square.solve(exact)
    except ZeroDivisionError:
        return None
    return pivots, [
        [Fraction(int(solved[i, j].p), int(solved[i, j].q)) for j in range(len(factor[0]))] for i in range(len(factor))
    ]
