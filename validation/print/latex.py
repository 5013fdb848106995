r"""The print's grammar: LaTeX as printed → the formulas of its sides, in a paper's letters.

A print is cut into pieces (at commas, `\quad`, colons, arrows) and each piece at its relations into sides. A side is
sums, products, fractions, powers, roots, maxima, minima, exp, log, and sums over clients; what stands for one quantity
is *spelled*: `spellings` give for its LaTeX a formula in letters, and the longest spelling at a place wins. In a sum
over clients a letter ends in `#`, which becomes each client's number. What is not understood is None, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import sympy as sp

__all__ = ["Chain", "Grammar", "tokens"]

_DROPPED = {r"\left", r"\right", r"\,", r"\;", r"\!", r"\:", "\\ ", "~", r"\textstyle", r"\displaystyle"}
_SAME = {r"\tfrac": r"\frac", r"\dfrac": r"\frac", r"\leq": r"\le", r"\geq": r"\ge"}
_RELATIONS = {r"\le", r"\ge", "<", ">", "="}
_CUTS = {r"\quad", r"\qquad", ",", ";", ":", r"\Rightarrow", r"\forall", r"\text", r"\iff", r"\to"}
_OPENS = {"(": ")", "[": "]", "{": "}", r"\{": r"\}", r"\langle": r"\rangle"}
_CLOSES = set(_OPENS.values())


def tokens(latex: str) -> tuple[str, ...]:
    r"""The tokens of a print: sizes of brackets and spaces dropped, braces around one token, and what underbraces say.

    >>> tokens(r"\tfrac{L}{2}\Big(x_{1}\Big)")
    ('\\frac', 'L', '2', '(', 'x', '_', '1', ')')
    """
    found = []
    for token in re.findall(r"\\[A-Za-z]+|\\.|\S", latex):
        if token in _DROPPED or re.fullmatch(r"\\[Bb]igg?[lrm]?", token):
            continue
        found.append(_SAME.get(token, token))
    plain: list[str] = []
    at = 0
    while at < len(found):
        if found[at] == r"\underbrace":
            inner = found[at + 2 : _end(found, at + 1)]
            after = _end(found, at + 1) + 1
            if found[after : after + 2] == ["_", "{"]:
                after = _end(found, after + 1) + 1
            found[at:after] = inner
        elif found[at] == "{" and found[at + 2 : at + 3] == ["}"]:
            plain.append(found[at + 1])
            at += 3
        else:
            plain.append(found[at])
            at += 1
    return tuple(plain)


def _end(found: list[str], at: int) -> int:
    """Where the group that opens at `at` closes."""
    depth = 0
    for place in range(at, len(found)):
        depth += (found[place] in _OPENS) - (found[place] in _CLOSES)
        if depth == 0:
            return place
    raise ValueError(f"a bracket {found[at]} that never closes")


@dataclass(frozen=True)
class Chain:
    """One piece of a print: its sides, None where one is not understood, and the relations between them.

    `goes_on`: nothing stands before its first relation, since the print goes on there from the line before.
    """

    sides: tuple[Any, ...]
    relations: tuple[str, ...]
    goes_on: bool = False

    def pairs(self) -> Iterator[tuple[Any, str, Any]]:
        """(smaller or left side, relation, larger or right side) of every two sides that the chain relates."""
        for i, j in combinations(range(len(self.sides)), 2):
            between = set(self.relations[i:j]) - {"="}
            if between <= {"<", r"\le"}:
                yield self.sides[i], "<=" if between else "=", self.sides[j]
            elif between <= {">", r"\ge"}:
                yield self.sides[j], "<=", self.sides[i]


class _NotReadError(ValueError):
    """A side that this grammar does not understand."""


@dataclass(frozen=True, eq=False)
class Grammar:
    """How a print is read: LaTeX of a quantity → formula in letters; `clients`: how many a sum over clients has."""

    spellings: Mapping[str, str]
    clients: int = 2

    @cached_property
    def _spelled(self) -> list[tuple[tuple[str, ...], Any]]:
        found = [(tokens(latex), _formula(value)) for latex, value in self.spellings.items()]
        return sorted(found, key=lambda pair: -len(pair[0]))

    def read(self, latex: str) -> tuple[Chain, ...]:
        """The pieces of a print, in order."""
        pieces: list[list[list[str]]] = [[[]]]
        relations: list[list[str]] = [[]]
        depth, found, at = 0, list(tokens(latex)), 0
        while at < len(found):
            token = found[at]
            spelled = self._at(found, at) if depth == 0 else None
            if spelled is not None:
                pieces[-1][-1] += found[at : at + len(spelled[0])]
                at += len(spelled[0])
                continue
            depth += (token in _OPENS) - (token in _CLOSES)
            if depth == 0 and token in _CUTS:
                pieces.append([[]])
                relations.append([])
            elif depth == 0 and token in _RELATIONS:
                relations[-1].append(token)
                pieces[-1].append([])
            else:
                pieces[-1][-1].append(token)
            at += 1
        return tuple(
            Chain(tuple(self._side(side) for side in sides), tuple(related), not sides[0])
            for sides, related in zip(pieces, relations, strict=True)
            if related
        )

    def _side(self, side: list[str]) -> Any:
        try:
            parser = _Parser(self, side)
            value = parser.sum()
            return value if parser.at == len(side) and not _open(value) else None
        except _NotReadError:
            return None

    def _at(self, found: list[str], at: int) -> tuple[tuple[str, ...], Any] | None:
        """The longest spelling at a place."""
        return next(((key, v) for key, v in self._spelled if tuple(found[at : at + len(key)]) == key), None)


def _open(value: Any) -> bool:
    """Whether a client's letter stands outside of a sum over clients."""
    return any(s.name.endswith("#") for s in value.free_symbols)


def _formula(text: str) -> Any:
    names = set(re.findall(r"[A-Za-z_]\w*#?", text)) - {"Max", "Min", "exp", "log", "sqrt"}
    local: dict[str, Any] = {n.replace("#", "_each_"): sp.Symbol(n) for n in names}
    return sp.sympify(text.replace("#", "_each_"), locals=local)


class _Parser:
    """One side, token by token."""

    def __init__(self, grammar: Grammar, side: list[str]) -> None:
        self.grammar, self.side, self.at, self.in_norm = grammar, side, 0, False

    def peek(self) -> str:
        return self.side[self.at] if self.at < len(self.side) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise _NotReadError(f"{token or 'the end'} where {wanted or 'more'} is expected")
        self.at += 1
        return token

    def sum(self) -> Any:
        terms: list[Any] = []
        while not terms or self.peek() in {"+", "-"}:
            sign = self.take() if self.peek() in {"+", "-"} else "+"
            term = self.product()
            terms.append(-term if sign == "-" else term)
        return sp.Add(*terms)

    def product(self) -> Any:
        value = self.factor()
        while self.peek() not in {"", "+", "-", ",", *_CLOSES} and not (self.in_norm and self.peek() == r"\|"):
            if self.peek() in {r"\cdot", r"\times"}:
                self.take()
            elif self.peek() == "/":
                self.take()
                value = value / self.factor()
                continue
            value = value * self.factor()
        return value

    def factor(self) -> Any:
        value = self.atom()
        if self.peek() == "^":
            self.take()
            value = value ** self.argument()
        if self.peek() == "_":
            raise _NotReadError("an index that no spelling has")
        return value

    def argument(self) -> Any:
        """What stands behind a power, a fraction or a root: a group, or a single token."""
        if self.peek() == "{":
            return self.group()
        if self.peek().isdigit():
            return sp.Integer(self.take())
        return self.atom()

    def group(self) -> Any:
        closing = _OPENS[self.take()]
        value = self.sum()
        self.take(closing)
        return value

    def several(self) -> list[Any]:
        closing = _OPENS.get(self.take())
        if closing is None:
            raise _NotReadError("a list without a bracket")
        values = [self.sum()]
        while self.peek() == ",":
            self.take()
            values.append(self.sum())
        self.take(closing)
        return values

    def norm(self) -> Any:
        """Of vectors that are written as numbers, which a quadratic identity of vectors allows."""
        if self.in_norm:
            raise _NotReadError("a norm in a norm")
        self.in_norm = True
        value = self.sum()
        self.take(r"\|")
        self.in_norm = False
        return sp.sqrt(value**2)

    def atom(self) -> Any:
        spelled = self.grammar._at(self.side, self.at)
        if spelled is not None:
            self.at += len(spelled[0])
            return spelled[1]
        token = self.peek()
        if token.isdigit():
            digits = ""
            while self.peek().isdigit() or (self.peek() == "." and digits):
                digits += self.take()
            return sp.Rational(digits)
        if token in {"(", "[", "{", r"\{"}:
            return self.group()
        if token == r"\langle":
            return sp.Mul(*self.several())
        self.take()
        if token == r"\|":
            return self.norm()
        if token == r"\frac":
            over = self.argument()
            return over / self.argument()
        if token == r"\sqrt":
            return sp.sqrt(self.argument())
        if token in {r"\max", r"\min"}:
            return (sp.Max if token == r"\max" else sp.Min)(*self.several())
        if token == "e" and self.peek() == "^":
            self.take()
            return sp.exp(self.argument())
        if token in {r"\exp", r"\log"}:
            return (sp.exp if token == r"\exp" else sp.log)(self.factor())
        if token == r"\sum":
            return self.over_clients()
        raise _NotReadError(f"{token} is not spelled")

    def over_clients(self) -> Any:
        for mark in ("_", "^"):
            if self.peek() == mark:
                self.take()
                self.at = _end(self.side, self.at) + 1 if self.peek() == "{" else self.at + 1
        term = self.product()
        if not _open(term):
            raise _NotReadError("a sum over what no client has")
        each = [s for s in term.free_symbols if s.name.endswith("#")]
        numbers = range(1, self.grammar.clients + 1)
        return sp.Add(*(term.subs({s: sp.Symbol(f"{s.name[:-1]}{i}") for s in each}) for i in numbers))
