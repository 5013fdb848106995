"""The checks of a proof and of a counterexample over a class with Python alone; its text is part of every script.

Numbers are polynomials with rational coefficients in named reals (square roots, ratios); each named real knows rational
bounds of itself, so that a sign is decided by bounds and never by floats.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import isqrt
from typing import Any

GENERATORS: list[Any] = []
LEVELS = (64, 256, 1024, 4096)


class Number:
    """Σ q·Π generators, as a map from sorted places of generators to rationals."""

    def __init__(self, terms: Any) -> None:
        self.terms = {k: Fraction(q) for k, q in terms.items() if q != 0}

    def __add__(self, other: Any) -> Number:
        terms = dict(self.terms)
        for k, q in plain(other).terms.items():
            terms[k] = terms.get(k, Fraction(0)) + q
        return Number(terms)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Number:
        total = Number({})
        for a, p in self.terms.items():
            for b, q in plain(other).terms.items():
                squares = [g for g in a if g in b and GENERATORS[g][0] == "sqrt"]
                part = Number({tuple(sorted(g for g in a + b if g not in squares)): p * q})
                for g in squares:
                    part = part * GENERATORS[g][1]
                total = total + part
        return total

    __rmul__ = __mul__

    def __neg__(self) -> Number:
        return self * -1

    def __sub__(self, other: Any) -> Number:
        return self + -plain(other)

    def __rsub__(self, other: Any) -> Number:
        return plain(other) - self

    def __truediv__(self, other: Any) -> Number:
        return self * inverse(plain(other))

    def __rtruediv__(self, other: Any) -> Number:
        return plain(other) * inverse(self)

    def bounds(self, bits: int) -> tuple[Fraction, Fraction]:
        low = high = Fraction(0)
        for places, q in self.terms.items():
            part = (q, q)
            for g in places:
                part = times(part, generator_bounds(g, bits))
            low, high = low + part[0], high + part[1]
        return outward(low, high, bits)

    def sign(self) -> int:
        if not self.terms:
            return 0
        for bits in LEVELS:
            low, high = self.bounds(bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
        raise ArithmeticError("a sign was not decided")


def plain(x: Any) -> Number:
    """A rational as a Number."""
    return x if isinstance(x, Number) else Number({(): Fraction(x)})


def sqrt(x: Any) -> Number:
    """√x as a named real."""
    GENERATORS.append(("sqrt", plain(x)))
    return Number({(len(GENERATORS) - 1,): Fraction(1)})


def ratio(top: Any, bottom: Any) -> Number:
    """top / bottom as a named real."""
    GENERATORS.append(("ratio", plain(top), plain(bottom)))
    return Number({(len(GENERATORS) - 1,): Fraction(1)})


@cache
def generator_bounds(g: int, bits: int) -> tuple[Fraction, Fraction]:
    """Rational bounds of a named real."""
    made, scale = GENERATORS[g], 1 << (2 * bits)
    low, high = made[1].bounds(bits)
    if made[0] == "sqrt":
        down, up = isqrt(int(max(low, 0) * scale)), isqrt(int(high * scale)) + 1
        return outward(Fraction(down, 1 << bits), Fraction(up, 1 << bits), bits)
    under = made[2].bounds(bits)
    if under[0] <= 0 <= under[1]:
        raise ArithmeticError("a divisor's sign was not decided")
    return outward(*times((low, high), (1 / under[1], 1 / under[0])), bits)


def times(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """Bounds of a product."""
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def outward(low: Fraction, high: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """The bounds with denominators of at most 2 to the number of bits, times four."""
    scale = 1 << (2 * bits)
    return Fraction(low * scale // 1, scale), Fraction(-(-high * scale // 1), scale)


def inverse(x: Number) -> Number:
    """1/x, by conjugates; named ratios are not inverted."""
    places = [g for k in x.terms for g in k]
    if not places:
        return Number({(): 1 / x.terms[()]})
    top = max(places)
    if any(GENERATORS[g][0] == "ratio" for g in places):
        return ratio(1, x)
    a = Number({k: q for k, q in x.terms.items() if top not in k})
    b = Number({tuple(g for g in k if g != top): q for k, q in x.terms.items() if top in k})
    return (a - b * Number({(top,): 1})) * inverse(a * a - b * b * GENERATORS[top][1])


def eliminates(rows: list[list[Any]]) -> bool:
    """Whether a symmetric matrix is positive semidefinite: symmetric elimination with exact signs."""
    rows = [[plain(x) for x in row] for row in rows]
    for j in range(len(rows)):
        at = max(range(j, len(rows)), key=lambda i: sum(rows[i][i].bounds(64)))
        rows[j], rows[at] = rows[at], rows[j]
        for row in rows:
            row[j], row[at] = row[at], row[j]
        if rows[j][j].sign() < 0:
            return False
        if rows[j][j].sign() == 0:
            if any(rows[i][j].sign() != 0 for i in range(j + 1, len(rows))):
                return False
            continue
        pivot = inverse(rows[j][j])
        for i in range(j + 1, len(rows)):
            if rows[i][j].terms:
                factor = rows[i][j] * pivot
                for k in range(j + 1, len(rows)):
                    rows[i][k] = rows[i][k] - factor * rows[j][k]
    return True


def positive_semidefinite(rows: list[list[Any]]) -> bool:
    """The same; irrational entries are first rounded by less than ε each, and nε is taken off the diagonal."""
    rational = all(set(plain(x).terms) <= {()} for row in rows for x in row)
    if rational:
        return eliminates(rows)
    unit, n = Fraction(1, 1 << 60), len(rows)
    near = [[Fraction(round(sum(plain(x).bounds(128)) / 2 * (1 << 62)), 1 << 62) for x in row] for row in rows]
    for i in range(n):
        near[i][i] -= n * unit
    return eliminates(near) or eliminates(rows)


def proves(bound: Any, measures: Any, conditions: Any, kept: Any, shifts: Any) -> bool:
    """Whether bound − Σ w·measure + Σ λ·condition is a positive semidefinite form of the vectors, plus s >= 0.

    A measure is (w, products, values, constant); a condition is (λ, is an equation, products, values, constant). The
    form does not change along `shifts`, which is checked; so it need only be semidefinite in the kept vectors.
    """
    quad: Any = {}
    linear: Any = {}
    rest, total = plain(bound), plain(0)
    for w, *form in measures:
        if plain(w).sign() < 0:
            return False
        total = total + w
        rest = gather(quad, linear, rest, -plain(w), form)
    for factor, equation, *form in conditions:
        if not equation and plain(factor).sign() < 0:
            return False
        rest = gather(quad, linear, rest, plain(factor), form)
    if (total - 1).sign() != 0 or rest.sign() < 0 or any(x.sign() != 0 for x in linear.values()):
        return False
    for shift in shifts:
        rows: Any = {}
        for (u, v), a in quad.items():
            for p, q in ((u, v), (v, u)):
                rows[p] = rows.get(p, plain(0)) + a * shift.get(q, 0)
        if any(x.sign() != 0 for x in rows.values()):
            return False
    return positive_semidefinite([[entry(quad, u, v) for v in kept] for u in kept])


def entry(quad: Any, u: str, v: str) -> Any:
    """Coefficient of a symmetric matrix from those of the products."""
    return quad.get((u, u), 0) if u == v else Fraction(1, 2) * plain(quad.get((u, v), quad.get((v, u), 0)))


def gather(quad: Any, linear: Any, rest: Number, factor: Number, form: Any) -> Any:
    """Adds factor·form to the sums; returns the constant."""
    products, values, constant = form
    for pair, a in products.items():
        quad[pair] = quad.get(pair, plain(0)) + factor * a
    for v, a in values.items():
        linear[v] = linear.get(v, plain(0)) + factor * a
    return rest + factor * constant


def at(form: Any, place: Any, value: Any) -> Number:
    """A form's number at the points."""
    products, values, constant = form
    total = plain(constant)
    for (u, v), a in products.items():
        for x, y in zip(place[u], place[v], strict=True):
            total = total + plain(a) * plain(x) * y
    for v, a in values.items():
        total = total + plain(a) * value[v]
    return total


def violates(bound: Any, measures: Any, conditions: Any, place: Any, value: Any) -> bool:
    """Whether the points meet every condition while every measure exceeds the bound."""
    for equation, *form in conditions:
        sign = at(form, place, value).sign()
        if sign > 0 or (equation and sign != 0):
            return False
    return all((at(form, place, value) - bound).sign() > 0 for form in measures)
