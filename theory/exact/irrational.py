"""Irrational numbers as expressions over rationals: enclosed in balls, algebraic signs decided by a separation bound.

An expression is a `Node` over +, ·, /, integer powers, k-th roots, exp, log, π and max. Its ball is recomputed at
doubled precision until it leaves 0. An algebraic expression (no exp, log, π) that is not 0 is at least 2^−b in size for
a b that can be read off the expression, so a ball below that proves 0. With exp, log or π the search for a sign ends at
`TRANSCENDENTAL_BITS`.

Source of the bound: Burnikel, Funke, Mehlhorn, Schirra, Schmitt, "A separation bound for real algebraic expressions",
ESA 2001. Proof: every sub-expression is N/M with algebraic integers N, M in one field of degree at most D, the product
of the orders of all roots; `_separation` carries bounds u, v of all conjugates of N, M. The norm of N is a whole
number, so N = 0 or |N| >= u^−(D−1), and |M| <= v.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, log10
from typing import Any, TypeAlias

from flint import arb, ctx, fmpq

from theory.exact.budget import counted
from theory.exact.errors import UndecidedError

__all__ = [
    "PI",
    "Node",
    "add",
    "as_node",
    "bounds",
    "divide",
    "exponential",
    "logarithm",
    "multiply",
    "power",
    "root",
    "same",
    "sign",
]

TRANSCENDENTAL_BITS = 4096
ALGEBRAIC_BITS = 1 << 20  # beyond it a proof of equality would take minutes
_FACTORED = 64  # bits of a radicand whose factors are still found in no time


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """`op` applied to `args`; `number` is the value of a "rational", the exponent of a "pow", the order of a "root"."""

    op: str
    args: tuple[Node, ...] = ()
    number: Any = None


Value: TypeAlias = "Node | Any"  # an fmpq where the number is known to be rational
Line: TypeAlias = tuple[str, tuple[int, ...], Any]

PI = Node("pi")
_ZERO, _ONE = fmpq(0), fmpq(1)


def as_node(value: Value) -> Node:
    """The number as an expression."""
    return value if isinstance(value, Node) else Node("rational", (), value)


def _plain(node: Node) -> Value:
    return node.number if node.op == "rational" else node


def _monomial(value: Value) -> tuple[Any, Node | None] | None:
    """(c, √r) of c·√r with rational c and r, (c, None) of a rational; None for anything else."""
    if not isinstance(value, Node):
        return value, None
    if value.op == "root" and value.args[0].op == "rational":
        return _ONE, value
    if value.op == "mul" and value.args[0].op == "rational" and value.args[1].op == "root":
        return (value.args[0].number, value.args[1]) if value.args[1].args[0].op == "rational" else None
    return None


def _radical(node: Node) -> tuple[int, Any]:
    return node.number, node.args[0].number


def add(a: Value, b: Value) -> Value:
    """a + b; multiples of one root are collected."""
    if not isinstance(a, Node) and not isinstance(b, Node):
        return a + b
    if not isinstance(a, Node) and a == 0:
        return b
    if not isinstance(b, Node) and b == 0:
        return a
    one, two = _monomial(a), _monomial(b)
    if one and two and one[1] and two[1] and _radical(one[1]) == _radical(two[1]):
        return multiply(one[0] + two[0], one[1])
    return Node("add", (as_node(a), as_node(b)))


def multiply(a: Value, b: Value) -> Value:
    """a·b; rational where the product of two roots of rationals is."""
    if not isinstance(a, Node) and not isinstance(b, Node):
        return a * b
    for factor, other in ((a, b), (b, a)):
        if not isinstance(factor, Node) and factor == 0:
            return _ZERO
        if not isinstance(factor, Node) and factor == 1:
            return other
    if isinstance(a, Node) and isinstance(b, Node) and a.op == b.op == "exp":
        return exponential(add(_plain(a.args[0]), _plain(b.args[0])))
    one, two = _monomial(a), _monomial(b)
    if one and two:
        if one[1] and two[1]:
            (k, r), (m, s) = _radical(one[1]), _radical(two[1])
            whole = root(r * s, k) if k == m else None
            # A root that stays irrational would be one more radical for the separation bound.
            if whole is not None and not isinstance(whole, Node):
                return one[0] * two[0] * whole
        else:
            factor = one[0] * two[0]
            kept = one[1] or two[1]
            return kept if factor == 1 else Node("mul", (as_node(factor), as_node(kept)))
    if not isinstance(b, Node):
        a, b = b, a
    return Node("mul", (as_node(a), as_node(b)))


def divide(a: Value, b: Value) -> Value:
    """a/b for b known not to be 0."""
    if not isinstance(b, Node):
        return multiply(a, 1 / b)
    if not isinstance(a, Node) and a == 0:
        return _ZERO
    if b.op == "exp":
        return multiply(a, power(b, -1))
    below = _monomial(b)
    if below and below[1]:
        k, r = _radical(below[1])
        return multiply(a, multiply(1 / (below[0] * r), root(r ** (k - 1), k)))
    return Node("div", (as_node(a), as_node(b)))


def power(a: Value, n: int) -> Value:
    """aⁿ for a whole n; a is known not to be 0 where n < 0."""
    if not isinstance(a, Node):
        return a**n
    if n in (0, 1):
        return a if n else _ONE
    if a.op == "exp":
        return exponential(multiply(fmpq(n), _plain(a.args[0])))
    flat = _monomial(a)
    if flat and flat[1]:
        k, r = _radical(flat[1])
        return multiply(flat[0] ** n * r ** (n // k), root(r ** (n % k), k))
    return Node("pow", (a,), n)


def root(a: Value, k: int) -> Value:
    """The k-th root of a >= 0; rational where it is, else with the powers of small primes taken out."""
    if isinstance(a, Node):
        return Node("root", (a,), k) if k > 1 else a
    if a == 0 or k == 1:
        return a
    if max(a.p.bit_length(), a.q.bit_length()) > _FACTORED:
        top, bottom = a.p.root(k), a.q.root(k)
        return fmpq(top, bottom) if top**k == a.p and bottom**k == a.q else Node("root", (as_node(a),), k)
    exponents = [(p, e) for p, e in a.p.factor()] + [(p, -e) for p, e in a.q.factor()]
    outside, shared = _ONE, k
    inside = []
    for prime, e in exponents:
        outside *= fmpq(prime) ** (e // k)
        inside.append((prime, e % k))
        shared = gcd(shared, e % k)
    radicand = _ONE
    for prime, e in inside:
        radicand *= fmpq(prime) ** (e // shared)
    return outside if radicand == 1 else multiply(outside, Node("root", (as_node(radicand),), k // shared))


def exponential(a: Value) -> Value:
    """eᵃ."""
    if isinstance(a, Node):
        return a.args[0] if a.op == "log" else Node("exp", (a,))
    return _ONE if a == 0 else Node("exp", (as_node(a),))


def logarithm(a: Value) -> Value:
    """log a for a known to be positive."""
    if isinstance(a, Node) and a.op == "exp":
        return _plain(a.args[0])
    return _ZERO if not isinstance(a, Node) and a == 1 else Node("log", (as_node(a),))


def _lines(top: Node) -> list[Line]:
    """The distinct sub-expressions, operands before what uses them; equal ones are listed once."""
    known: dict[Line, int] = {}
    place: dict[int, int] = {}
    stack = [(top, False)]
    while stack:
        node, ready = stack.pop()
        if id(node) in place:
            continue
        if not ready:
            stack.append((node, True))
            stack += [(arg, False) for arg in node.args]
            continue
        args = tuple(place[id(arg)] for arg in node.args)
        line = (node.op, tuple(sorted(args)) if node.op in ("add", "mul", "max") else args, node.number)
        place[id(node)] = known.setdefault(line, len(known))
    return list(known)


@contextmanager
def _at(precision: int) -> Iterator[None]:
    before = ctx.prec
    ctx.prec = precision
    try:
        yield
    finally:
        ctx.prec = before


def _ball(lines: list[Line], precision: int) -> Any:
    """The ball of the last line; NaN where an operand's ball is too wide for it."""
    counted(precision // 8, len(lines))  # an operation on balls costs about as much as one on shorter fractions
    with _at(precision):
        balls: list[Any] = []
        for op, args, number in lines:
            given = [balls[i] for i in args]
            if op == "rational":
                balls.append(arb(number))
            elif op == "add":
                balls.append(given[0] + given[1])
            elif op == "mul":
                balls.append(given[0] * given[1])
            elif op == "div":
                balls.append(given[0] / given[1])
            elif op == "pow":
                balls.append(given[0] ** number)
            elif op == "root":
                balls.append(given[0].sqrt() if number == 2 else given[0].root(number))
            elif op == "exp":
                balls.append(given[0].exp())
            elif op == "log":
                balls.append(given[0].log())
            elif op == "pi":
                balls.append(arb.pi())
            else:  # max: flint's own is wrong on balls that overlap
                a, b = given
                balls.append(a if a > b else b if b > a else a.union(b))
        return balls[-1]


def _separation(lines: list[Line]) -> int | None:
    """b such that the last line is 0 or at least 2^−b in size; None with exp, log, π or an open max."""
    sizes: list[tuple[int, int]] = []  # log2 of u and v, rounded up
    degree = 1
    for op, args, number in lines:
        (u, v), (s, t) = [*(sizes[i] for i in args), (0, 0), (0, 0)][:2]
        if op == "rational":
            sizes.append((max(0, (abs(int(number.p)) - 1).bit_length()), (int(number.q) - 1).bit_length()))
        elif op == "add":
            sizes.append((max(u + t, v + s) + 1, v + t))
        elif op == "mul":
            sizes.append((u + s, v + t))
        elif op == "div":
            sizes.append((u + t, v + s))
        elif op == "pow":
            sizes.append((number * u, number * v) if number > 0 else (-number * v, -number * u))
        elif op == "root":
            k = number
            degree *= k
            sizes.append((-(-(u + (k - 1) * v) // k), v) if u >= v else (u, -(-(v + (k - 1) * u) // k)))
        else:
            return None
    u, v = sizes[-1]
    return (degree - 1) * u + v


def same(a: Value, b: Value) -> bool:
    """Whether two numbers are written alike, up to the order of summands and factors in pairs."""
    *_, (_, (left, right), _) = _lines(Node("pair", (as_node(a), as_node(b))))
    return left == right


def sign(value: Value) -> int:
    """−1, 0 or 1; `UndecidedError` where a number with exp, log or π cannot be told from 0."""
    if not isinstance(value, Node):
        return int(value > 0) - int(value < 0)
    lines = _lines(value)
    apart = _separation(lines)
    if apart is not None and apart > ALGEBRAIC_BITS:
        apart = None
    limit = TRANSCENDENTAL_BITS if apart is None else 4 * ALGEBRAIC_BITS
    precision = 64
    while True:
        ball = _ball(lines, precision)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
        if apart is not None and ball.is_finite() and ball.abs_upper() < arb(2) ** -apart:
            return 0
        if precision >= limit:
            raise UndecidedError(_digits(lines, ball))
        # Once doubling has not helped, the bound says how far to go.
        precision = precision * 2 if apart is None or precision < 512 else max(2 * precision, apart + 64)


def _digits(lines: list[Line], ball: Any) -> int:
    """To how many digits the two operands of a difference agree; of anything else, how small it is against 1."""
    if not ball.is_finite():
        return 0
    op, args, _ = lines[-1]
    size = _ball(lines[: args[0] + 1], 64).abs_upper() if op == "add" else arb(1)
    if not size.is_finite() or not size > 0:
        return 0
    quotient = ball.abs_upper() / size
    mantissa, exponent = quotient.upper().man_exp()
    return max(0, int(-(log10(abs(int(mantissa)) or 1) + int(exponent) * log10(2))))


def bounds(value: Value, precision: int = 128) -> tuple[Fraction, Fraction]:
    """Rationals below and above a number, about `precision` bits apart; `ArithmeticError` where no ball is finite."""
    if not isinstance(value, Node):
        both = Fraction(int(value.p), int(value.q))
        return both, both
    lines = _lines(value)
    while precision <= 1 << 16:
        ball = _ball(lines, precision)
        if ball.is_finite():
            with _at(precision):
                ends = [end.man_exp() for end in (ball.lower(), ball.upper())]
            low, high = (Fraction(int(m)) * Fraction(2) ** int(e) for m, e in ends)
            return low, high
        precision *= 2
    raise ArithmeticError(f"no finite enclosure at {precision // 2} bits; the number is too large")
