"""Exact linear recursions of any length: powers, and sums of powers, of a rational matrix, short enough to write down.

Up to 8 steps everything is exact. Longer runs keep 400 bits of the largest entry, and `margin` is what a left side is
then lowered by: 2^-200 of the right side, far more than the rounding, so that a violation seen there is one.
Each function uses only builtins, `Fraction` and its neighbours: the scripts of counterexamples carry copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from theory.exact import dot

__all__ = [
    "LINEAR",
    "after",
    "cohorts",
    "eye_minus",
    "gathered",
    "margin",
    "power",
    "product",
    "shortened",
]

Matrix = list[list[Any]]


def product(a: Matrix, b: Matrix) -> Matrix:
    """A B."""
    return [[dot(row, [line[j] for line in b]) for j in range(len(b[0]))] for row in a]


def eye_minus(eta: Any, a: Matrix) -> Matrix:
    """I − ηA, the map of one gradient step about the minimiser."""
    return [[int(i == j) - eta * x for j, x in enumerate(row)] for i, row in enumerate(a)]


def shortened(a: Matrix) -> Matrix:
    """Entries rounded to 400 bits of the largest, however small that is: a power that counted as 0 would bound nothing."""
    top = max(abs(Fraction(x)) for row in a for x in row)
    if not top:
        return a
    unit = Fraction(2) ** (top.numerator.bit_length() - top.denominator.bit_length() - 400)
    return [[round(x / unit) * unit for x in row] for row in a]


def gathered(step: Matrix, noise: Matrix, n: int) -> tuple[Matrix, Matrix]:
    """Mⁿ and Σ_{t<n} MᵗSMᵗ for symmetric M = `step` and S = `noise`, by doubling."""
    size = range(len(step))
    reach = [[Fraction(int(i == j)) for j in size] for i in size]
    total = [[Fraction(0) for _ in size] for _ in size]
    if n > 8:
        step, noise = shortened(step), shortened(noise)
    for bit in bin(n)[2:]:
        spread = product(product(reach, total), reach)
        total = [[x + y for x, y in zip(u, v, strict=True)] for u, v in zip(total, spread, strict=True)]
        reach = product(reach, reach)
        if bit == "1":
            spread = product(product(step, total), step)
            total = [[x + y for x, y in zip(u, v, strict=True)] for u, v in zip(noise, spread, strict=True)]
            reach = product(reach, step)
        if n > 8:
            reach, total = shortened(reach), shortened(total)
    return reach, total


def after(step: Matrix, n: int) -> Matrix:
    """Mⁿ."""
    size = range(len(step))
    return gathered(step, [[Fraction(0) for _ in size] for _ in size], n)[0]


def power(base: Any, n: int) -> Any:
    """baseⁿ of a number, rounded as the matrices are."""
    return after([[base]], n)[0][0]


def margin(n: int, right: Any) -> Any:
    """What the left side of a run of n steps is lowered by: 0 where all is exact, else 2^-200 of the right side."""
    return Fraction(0) if n <= 8 else right / 2**200


def cohorts(chances: Sequence[Any]) -> list[tuple[Any, list[int]]]:
    """(probability, 0/1 per client) of every cohort, client i present with chance q_i, independently."""
    law: list[tuple[Any, list[int]]] = [(Fraction(1), [])]
    for q in chances:
        law = [(p * k, [*present, bit]) for p, present in law for bit, k in ((0, 1 - q), (1, q))]
    return law


LINEAR = (dot, product, eye_minus, shortened, gathered, after, power, margin)
