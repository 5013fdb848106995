"""Real numbers built from rationals by + − × ÷ and square roots: exact arithmetic, exact signs, enclosures.

A rational is a `flint.fmpq`; anything else is a `Surd`, a polynomial with rational coefficients in square roots (whose
radicands may hold earlier ones: θ = (1 + √(1 + 4θ²))/2 of an accelerated method is one) and in long ratios, which are
named and not multiplied out. Signs come from enclosures, never from floats; a number whose enclosures do not leave 0 at
`MAX_BITS` raises `UndecidedError`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any, TypeAlias

from flint import arb, ctx, fmpq

from theory.exact import UndecidedError

__all__ = [
    "MAX_BITS",
    "Number",
    "Real",
    "Surd",
    "definitions",
    "enclosure",
    "fraction",
    "is_zero",
    "named",
    "number",
    "radicals",
    "scaled",
    "sign",
    "sqrt",
    "text",
    "value",
]

MAX_BITS = 4096
_FEW, _MANY = 4, 8  # terms beyond which a reciprocal, a product is kept as a number of its own
_SMALL_PRIMES = [p for p in range(2, 2000) if all(p % q for q in range(2, isqrt(p) + 1))]

Real: TypeAlias = Any  # a Surd or an fmpq; flint is untyped, so a union would say no more
Number: TypeAlias = "int | Fraction | str | Surd | Any"  # what a user may write


class Surd:
    """Σ qₛ·Π_{i ∈ s} rᵢ, as a map from sorted tuples of generators' places to rationals; immutable."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: dict[tuple[int, ...], Any]) -> None:
        self.terms = terms
        self._hash: int | None = None

    def __add__(self, other: Number) -> Real:
        if not _is_number(other):
            return NotImplemented
        out = dict(self.terms)
        for key, q in _terms(other).items():
            before = out.get(key)
            total = q if before is None else before + q
            if total != 0:
                out[key] = total
            elif before is not None:
                del out[key]
        return _real(out)

    __radd__ = __add__

    def __neg__(self) -> Real:
        return Surd({key: -q for key, q in self.terms.items()})

    def __sub__(self, other: Number) -> Real:
        if not _is_number(other):
            return NotImplemented
        return self + -number(other)

    def __rsub__(self, other: Number) -> Real:
        return -self + other

    def __mul__(self, other: Number) -> Real:
        if not _is_number(other):
            return NotImplemented
        if not isinstance(other, Surd):
            by = number(other)
            if not isinstance(by, Surd):  # the most frequent product keeps its keys
                return Surd({key: q * by for key, q in self.terms.items()}) if by != 0 else fmpq(0)
        return _product(self.terms, _terms(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> Real:
        if not _is_number(other):
            return NotImplemented
        return self * _inverse(number(other))

    def __rtruediv__(self, other: Number) -> Real:
        return _inverse(self) * other

    def __pow__(self, exponent: int) -> Real:
        if exponent < 0:
            return _inverse(self) ** -exponent
        out: Real = fmpq(1)
        for _ in range(exponent):
            out = out * self
        return out

    def __abs__(self) -> Real:
        return -self if sign(self) < 0 else self

    def __lt__(self, other: Number) -> bool:
        return sign(self - other) < 0

    def __gt__(self, other: Number) -> bool:
        return sign(self - other) > 0

    def __le__(self, other: Number) -> bool:
        return sign(self - other) <= 0

    def __ge__(self, other: Number) -> bool:
        return sign(self - other) >= 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int | Fraction | Surd | fmpq):
            return NotImplemented
        return is_zero(self - other)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __float__(self) -> float:
        return value(self)

    def __repr__(self) -> str:
        return text(self)


def _is_number(x: object) -> bool:
    return isinstance(x, int | Fraction | Surd | fmpq)


@dataclass(frozen=True)
class _Root:
    """√inside."""

    inside: Real


@dataclass(frozen=True)
class _Ratio:
    """top / bottom, kept as one number of its own where multiplying out would grow without end."""

    top: Real
    bottom: Real


class _Generators:
    """Numbers that have a name of their own; one may hold earlier ones, never the other way round."""

    def __init__(self) -> None:
        self.list: list[_Root | _Ratio] = []
        self.place: dict[_Root | _Ratio, int] = {}

    def of(self, definition: _Root | _Ratio) -> Surd:
        place = self.place.setdefault(definition, len(self.list))
        if place == len(self.list):
            self.list.append(definition)
        return Surd({(place,): fmpq(1)})


_KNOWN = _Generators()  # names only: the same definition is the same number, in every problem


def number(written: Number) -> Real:
    """The real number a user wrote: an int, a Fraction, a decimal or fraction as text, or a number of this module.

    >>> number("0.1"), number(2) / 3
    (1/10, 2/3)
    """
    if isinstance(written, Surd | fmpq):
        return written
    if isinstance(written, int) and not isinstance(written, bool):
        return fmpq(written)
    if isinstance(written, str | Fraction):
        parsed = Fraction(written)
        return fmpq(parsed.numerator, parsed.denominator)
    raise TypeError(f"number({written!r}): exact numbers are ints, Fractions, texts such as '0.1', or sqrt(…) of them")


def sqrt(written: Number) -> Real:
    """√x for x >= 0, rational where x is a square of a rational.

    >>> sqrt(12) - 2 * sqrt(3), sqrt("2.25")
    (0, 3/2)
    """
    x = number(written)
    if sign(x) < 0:
        raise ValueError(f"sqrt({written}): must be >= 0")
    if isinstance(x, Surd):
        return _KNOWN.of(_Root(x))
    outside, inside = _square_part(int(x.p * x.q))
    out: Real = fmpq(outside) / x.q
    for factor in inside:
        out = out * _KNOWN.of(_Root(fmpq(factor)))
    return out


def sign(x: Real) -> int:
    """−1, 0 or 1. Raises `UndecidedError` where no enclosure tells."""
    if not isinstance(x, Surd):
        return int(x > 0) - int(x < 0)
    bits = 64
    while bits <= MAX_BITS:
        ball = enclosure(x, bits)
        if ball > 0 or ball < 0:
            return 1 if ball > 0 else -1
        bits *= 2
    raise UndecidedError(int(MAX_BITS * 0.30103))


def is_zero(x: Real) -> bool:
    """Whether x = 0; what is written without radicals that cancel is decided at once."""
    return False if isinstance(x, Surd) and len(x.terms) == 1 else sign(x) == 0


def enclosure(x: Real, bits: int) -> Any:
    """A ball (`flint.arb`) around x, computed at this many bits."""
    before = ctx.prec
    ctx.prec = bits
    try:
        if not isinstance(x, Surd):
            return arb(x)
        out = arb(0)
        for key, q in x.terms.items():
            term = arb(q)
            for place in key:
                term = term * _generator(place, bits)
            out = out + term
        return out
    finally:
        ctx.prec = before


def scaled(x: Real, bits: int) -> int:
    """An integer within 1 of x times 2 to the power `bits`.

    >>> scaled(number("1/3"), 4), scaled(sqrt(2), 60)
    (5, 1630477228166597776)
    """
    if not isinstance(x, Surd):
        return int((x.p << bits) // x.q)
    room = bits + 64
    while True:
        ball = enclosure(x, room)
        if ball.rad() < arb(2) ** (-bits - 2):
            # Digits as they are: arithmetic on the ball would round it to the precision in force.
            mantissa, exponent = map(int, ball.mid().man_exp())
            shift = exponent + bits
            return mantissa << shift if shift >= 0 else mantissa >> -shift
        room *= 2


def value(x: Real) -> float:
    """The nearest float, up to the last bit."""
    return float(enclosure(x, 128).mid()) if isinstance(x, Surd) else int(x.p) / int(x.q)


def fraction(x: Real) -> Fraction:
    """A rational as Python's own. Raises `TypeError` on an irrational number."""
    if isinstance(x, Surd):
        raise TypeError(f"fraction({x}): not rational")
    return Fraction(int(x.p), int(x.q))


def text(x: Real) -> str:
    """The number as Python text over `Fraction` and the names r0, r1, … that `definitions` defines."""
    if not isinstance(x, Surd):
        return str(x) if x.q == 1 else f"Fraction({x.p}, {x.q})"
    parts = []
    for key, q in sorted(x.terms.items()):
        names = [f"r{place}" for place in key]
        parts.append("*".join(names if q == 1 and names else [text(q), *names]))
    return " + ".join(parts)


def named(x: Real) -> Real:
    """The number itself where it is short, else under a name of its own, which is not multiplied out."""
    return _KNOWN.of(_Ratio(x, fmpq(1))) if isinstance(x, Surd) and len(x.terms) > _FEW else x


def definitions(numbers: Iterable[Real]) -> list[tuple[str, str]]:
    """(name, defining text) of the generators that these numbers hold, each after what it is made of."""
    out = []
    for place in _held(numbers):
        made = _KNOWN.list[place]
        out.append(
            (f"r{place}", f"sqrt({text(made.inside)})")
            if isinstance(made, _Root)
            else (f"r{place}", f"ratio({text(made.top)}, {text(made.bottom)})")
        )
    return out


def radicals(numbers: Iterable[Real]) -> list[Real] | None:
    """The radicands that these numbers hold, inner ones included; None where a ratio is kept as a number of its own."""
    found = [_KNOWN.list[place] for place in _held(numbers)]
    return None if any(isinstance(f, _Ratio) for f in found) else [f.inside for f in found if isinstance(f, _Root)]


def _held(numbers: Iterable[Real]) -> list[int]:
    found: set[int] = set()

    def visit(x: Real) -> None:
        for key in x.terms if isinstance(x, Surd) else ():
            for place in set(key) - found:
                found.add(place)
                made = _KNOWN.list[place]
                for part in (made.inside,) if isinstance(made, _Root) else (made.top, made.bottom):
                    visit(part)

    for x in numbers:
        visit(x)
    return sorted(found)


@lru_cache(maxsize=1 << 16)
def _generator(place: int, bits: int) -> Any:
    made = _KNOWN.list[place]
    if isinstance(made, _Root):
        return enclosure(made.inside, bits).sqrt()
    return enclosure(made.top, bits) / enclosure(made.bottom, bits)


def _terms(x: Number) -> dict[tuple[int, ...], Any]:
    x = number(x)
    return x.terms if isinstance(x, Surd) else {(): x}


def _plain(terms: dict[tuple[int, ...], Any]) -> Real:
    return _real({key: q for key, q in terms.items() if q != 0})


def _real(kept: dict[tuple[int, ...], Any]) -> Real:
    """The number with these terms, none of which is 0."""
    if not kept:
        return fmpq(0)
    return kept[()] if len(kept) == 1 and () in kept else Surd(kept)


@lru_cache(maxsize=1 << 16)
def _merged(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(places of the product of two terms, places of the roots that are squared in it)."""
    squares = tuple(place for place in set(a) & set(b) if isinstance(_KNOWN.list[place], _Root))
    return tuple(sorted(place for place in (*a, *b) if place not in squares)), squares


def _product(left: dict[tuple[int, ...], Any], right: dict[tuple[int, ...], Any]) -> Real:
    out: dict[tuple[int, ...], Any] = {}
    reduced: Real = fmpq(0)
    for a, p in left.items():
        for b, q in right.items():
            key, squares = _merged(a, b)
            if not squares:
                out[key] = out.get(key, fmpq(0)) + p * q
                continue
            term: Real = _plain({key: p * q})
            for place in squares:
                made = _KNOWN.list[place]
                term = (made.inside if isinstance(made, _Root) else fmpq(1)) * term
            reduced = term + reduced
    total = reduced + _plain(out)
    return _KNOWN.of(_Ratio(total, fmpq(1))) if isinstance(total, Surd) and len(total.terms) > _MANY else total


def _inverse(x: Real) -> Real:
    if not isinstance(x, Surd):
        return 1 / x
    if len(x.terms) > _FEW or any(isinstance(_KNOWN.list[place], _Ratio) for key in x.terms for place in key):
        return _KNOWN.of(_Ratio(fmpq(1), x))
    top = max(place for key in x.terms for place in key)
    a = _plain({key: q for key, q in x.terms.items() if top not in key})
    b = _plain({tuple(p for p in key if p != top): q for key, q in x.terms.items() if top in key})
    root = _KNOWN.list[top]
    conjugate = a - b * Surd({(top,): fmpq(1)})
    if not _apart_from_zero(conjugate):  # a root that is a sum of others, under another name
        return _KNOWN.of(_Ratio(fmpq(1), x))
    return conjugate * _inverse(a * a - b * b * (root.inside if isinstance(root, _Root) else fmpq(0)))


def _apart_from_zero(x: Real) -> bool:
    try:
        return sign(x) != 0
    except UndecidedError:
        return False


def _square_part(n: int) -> tuple[int, list[int]]:
    """(s, [factors]) with n = s²·Π factors: small primes apart, so that √6 = √2·√3, and one rest that is no square."""
    outside, inside = 1, []
    for p in _SMALL_PRIMES:
        if p * p > n and n < p:
            break
        power = 0
        while n % p == 0:
            n //= p
            power += 1
        outside *= p ** (power // 2)
        if power % 2:
            inside.append(p)
    root = isqrt(n)
    if root * root == n:
        return outside * root, inside
    return outside, [*inside, n]
