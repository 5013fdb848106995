"""Numbers that remember how they were made: a plain function runs on them once, and what it did can be written out.

Zeros of the instance and neutral constants are left out; the comparisons that decide a hypothesis are kept with it, as
the entry of a table of hypotheses that the calling function is in. What takes more than `MOST` steps fits no page.
"""

from __future__ import annotations

import ast
import inspect
import operator
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from types import CodeType, FrameType, FunctionType
from typing import Any

from theory.exact.quick import as_quick

__all__ = ["MOST", "Node", "Number", "Record", "calling", "named", "node_of", "remembering"]

MOST = 60_000  # numbers of a record: loops whose rounds look alike are written as loops, so thousands of rounds may fit

_SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
_OPS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=="}
_COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq}


@dataclass(eq=False)
class Node:
    """How a number was made: a name of the instance, a constant, a sign between two of these, or a function of one."""

    record: Record
    value: Fraction
    sign: str = ""
    parts: tuple[Node, ...] = ()
    name: str = ""


@dataclass(eq=False)
class Record:
    """What one run did: every node once, the functions called by name, and the comparisons of every hypothesis.

    `words`: what the function calls a node, by its id, and from how deep in calls the name is: the lowest counts.
    Raises `ValueError` beyond `MOST` nodes.
    """

    names: frozenset[str]
    nodes: dict[Any, Node] = field(default_factory=dict)
    called: dict[str, Callable[..., Any]] = field(default_factory=dict)
    compared: dict[str, list[tuple[Node, str, Node]]] = field(default_factory=dict)
    words: dict[int, tuple[int, str]] = field(default_factory=dict)

    def made(self, sign: str, *parts: Node) -> Node:
        """The node of a sign between two others; zeros of the instance and neutral constants are left out."""
        a, b = parts
        if sign in {"+", "-"} and _nothing(b):
            return a
        if sign == "+" and _nothing(a):
            return b
        if sign == "*" and (_nothing(a) or _nothing(b)):
            return self.constant(Fraction(0))
        if sign in {"/", "**"} and _nothing(a) and b.value > 0:
            return self.constant(Fraction(0))
        if sign == "-" and a is b:
            return self.constant(Fraction(0))
        if sign == "-" and _nothing(a):
            return self.made("*", self.constant(Fraction(-1)), b)
        if sign == "-" and a.sign == "+" and b in a.parts:
            return a.parts[0] if b is a.parts[1] else a.parts[1]
        if sign == "+" and b.sign == "-" and b.parts[1] is a:
            return b.parts[0]
        if sign == "+" and a.sign == "+" and _plain(b) and _plain(a.parts[1]):
            return self.made("+", a.parts[0], self.constant(a.parts[1].value + b.value))
        if sign == "+" and a.parts and (times := _times(a, b)):
            return self.made("*", self.constant(Fraction(times + 1)), b)
        if sign == "+" and a.sign == "+" and (times := _times(a.parts[1], b)):
            return self.made("+", a.parts[0], self.made("*", self.constant(Fraction(times + 1)), b))
        if sign == "*" and _is(a, 1):
            return b
        if sign == "*" and a.sign == "/" and _is(a.parts[0], 1):
            return self.made("/", b, a.parts[1])
        if sign == "*" and _plain(a) and not _plain(b) and a.value.numerator == 1 < a.value.denominator < 100:
            return self.made("/", b, self.constant(Fraction(a.value.denominator)))
        if (sign in {"*", "/", "**"}) and _is(b, 1):
            return a
        known = self.nodes.get((sign, id(a), id(b)))
        if known is not None:
            return known
        value = _SIGNS[sign](a.value, int(b.value) if sign == "**" else b.value)
        if _plain(a) and _plain(b):
            return self.constant(value)
        return self._kept(sign, value, parts)

    def call(self, function: Callable[[Fraction], Fraction], argument: Node) -> Node:
        """The node of a function's value, which stands there as a call."""
        known = self.nodes.get((function.__name__, id(argument)))
        if known is not None:
            return known
        value = function(Fraction(argument.value))
        if _nothing(argument) and value.denominator == 1:  # e^0
            return self.constant(value)
        self.called[function.__name__] = function
        return self._kept(function.__name__, as_quick(value), (argument,))

    def _kept(self, sign: str, value: Fraction, parts: tuple[Node, ...]) -> Node:
        if len(self.nodes) > MOST:
            raise ValueError(f"Record: more than {MOST:,} numbers; expected a computation that fits a page")
        made = self.nodes[sign, *map(id, parts)] = Node(self, value, sign, parts)
        return made

    def constant(self, value: Fraction) -> Node:
        """The node of a number that the instance has no part in."""
        return self.nodes.setdefault(value, Node(self, value))


def _plain(node: Node) -> bool:
    """Whether it is a number that the instance has no part in."""
    return not node.name and not node.parts


def _is(node: Node, value: int) -> bool:
    return _plain(node) and node.value == value


def _times(node: Node, other: Node) -> int:
    """How many times the other one a node is: 1, or the whole number above 1 that it was multiplied by; else 0."""
    if node is other:
        return 1 if other.parts or other.name else 0
    first, *rest = node.parts or (node,)
    whole = node.sign == "*" and rest[0] is other and _plain(first)
    return int(first.value) if whole and first.value.denominator == 1 and first.value > 1 else 0


def _nothing(node: Node) -> bool:
    return not node.parts and node.value == 0


class Number(Fraction):
    """A Fraction that remembers how it was made."""

    __slots__ = ("node",)
    node: Node

    # What the standard library's text reads in place of its own two slots: few numbers are ever asked.
    _numerator = property(lambda self: self.node.value.numerator)
    _denominator = property(lambda self: self.node.value.denominator)

    @classmethod
    def of(cls, node: Node) -> Number:
        made: Number = object.__new__(cls)
        made.node = node
        return made

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.node.value)


def node_of(value: Any, record: Record) -> Node | None:
    """The node of a number, a constant's where it remembers nothing; None of what is no rational number."""
    if isinstance(value, Number):
        return value.node
    return record.constant(Fraction(value)) if isinstance(value, int | Fraction) else None


def _between(sign: str, turned: bool) -> Callable[[Any, Any], Any]:
    def made(self: Number, other: Any) -> Any:
        there = node_of(other, self.node.record)
        if there is None or (sign == "**" and (turned or there.value.denominator != 1)):
            return NotImplemented
        parts = (there, self.node) if turned else (self.node, there)
        return Number.of(self.node.record.made(sign, *parts))

    return made


def _comparing(sign: str) -> Callable[[Any, Any], Any]:
    def made(self: Number, other: Any) -> Any:
        there = node_of(other, self.node.record)
        if there is None:
            return NotImplemented
        met = _COMPARED[sign](self.node.value, there.value)
        found = _hypothesis(sys._getframe(1), self.node.record.names) if met else None
        # Least and largest compare, too, with a sign that the hypothesis does not have; a number first turns the sign.
        if found is not None and (sign in found[1] or (not isinstance(other, Number) and _TURNED[sign] in found[1])):
            self.node.record.compared.setdefault(found[0], []).append((self.node, sign, there))
        return met

    return made


for _sign, _word in (("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "truediv"), ("**", "pow")):
    setattr(Number, f"__{_word}__", _between(_sign, False))
    setattr(Number, f"__r{_word}__", _between(_sign, True))
for _sign, _word in (("<", "lt"), ("<=", "le"), (">", "gt"), (">=", "ge"), ("==", "eq")):
    setattr(Number, f"__{_word}__", _comparing(_sign))
Number.__neg__ = lambda self: -1 * self  # type: ignore
Number.__pos__ = lambda self: self  # type: ignore
Number.__abs__ = lambda self: +self if self.node.value >= 0 else -self  # type: ignore


def _hypothesis(frame: FrameType | None, names: frozenset[str]) -> tuple[str, frozenset[str]] | None:
    """The hypothesis that is being decided, with its signs: the entry of a table that a calling function is in."""
    while frame is not None:
        entries = _entries(frame.f_code)
        if entries:
            at = _positions(frame.f_code)[frame.f_lasti // 2]
            line, column = at[0] or 0, at[2] or 0
            for name, (first, last, signs) in entries.items():
                if name in names and first <= (line, column) <= last:
                    return name, signs
        frame = frame.f_back
    return None


@cache
def _positions(code: CodeType) -> tuple[tuple[int | None, int | None, int | None, int | None], ...]:
    return tuple(code.co_positions())


@cache
def _entries(code: CodeType) -> Mapping[str, tuple[tuple[int, int], tuple[int, int], frozenset[str]]]:
    """Of tables with words for keys: where each entry stands, first and last (line, column), and its signs."""
    try:
        lines, start = inspect.getsourcelines(code)
        text = "".join(lines)
        tree = ast.parse(textwrap.dedent(text))
    except (OSError, SyntaxError, TypeError):
        return {}
    margin = len(text) - len(text.lstrip())
    found = {}
    for table in ast.walk(tree):
        for key, value in zip(table.keys, table.values, strict=True) if isinstance(table, ast.Dict) else ():
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and " " in key.value:
                first = (value.lineno + start - 1, value.col_offset + margin)
                last = ((value.end_lineno or 0) + start - 1, (value.end_col_offset or 0) + margin)
                ops = [type(op) for part in ast.walk(value) if isinstance(part, ast.Compare) for op in part.ops]
                found[key.value] = (first, last, frozenset(_OPS[op] for op in ops if op in _OPS))
    return found


def calling(function: Callable[..., Any], uses: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """The function, in whose run each of `uses` from one rational number to one is remembered as a call.

    These are roundings and series, as of e^x: written out they are no arithmetic that anybody reads.
    """
    whole = function.func if isinstance(function, partial) else function
    plain = [f for f in (*uses, whole) if isinstance(f, FunctionType)]
    if not isinstance(whole, FunctionType) or not any(map(_of_one_number, uses)):
        return function
    spaces: list[dict[str, Any]] = [{**f.__globals__} for f in plain]
    pairs = zip(plain, spaces, strict=True)
    made = {id(f): _remembered(f) if _of_one_number(f) else _within(f, space) for f, space in pairs}
    for space in spaces:
        space |= {name: made[id(held)] for name, held in space.items() if id(held) in made}
    again = made[id(whole)]
    return partial(again, *function.args, **function.keywords) if isinstance(function, partial) else again


def _of_one_number(function: Callable[..., Any]) -> bool:
    given = dict(getattr(function, "__annotations__", {}))
    return given.pop("return", None) in _NUMBER and len(given) == 1 and next(iter(given.values())) in _NUMBER


_NUMBER = ("Fraction", Fraction)


def _remembered(function: Callable[[Fraction], Fraction]) -> Callable[[Any], Any]:
    def called(x: Any) -> Any:
        return Number.of(x.node.record.call(function, x.node)) if isinstance(x, Number) else function(x)

    return called


def _within(function: FunctionType, inside: dict[str, Any]) -> FunctionType:
    made = FunctionType(function.__code__, inside, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def named(name: str, value: Any) -> Iterator[tuple[str, Fraction]]:
    """(letter with its numbers, value) of every number of an instance: `optimum_2` is that of the second client."""
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from named(f"{name}_{i + 1}", item)
    else:
        yield name, Fraction(value)


def remembering(record: Record, name: str, value: Any) -> Any:
    """A field of an instance as numbers that remember, in the same lists."""
    if isinstance(value, list):
        return [remembering(record, f"{name}_{i + 1}", item) for i, item in enumerate(value)]
    # Flint's numbers: what a long run makes of the instance is thousands of long fractions.
    return Number.of(record.nodes.setdefault(name, Node(record, as_quick(Fraction(value)), name=name)))
