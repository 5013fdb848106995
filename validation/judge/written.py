"""Numbers that remember how they were made, as lines of Python."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from validation.judge.remembered import Node
from validation.statement.bound import identifier

__all__ = ["Writer", "fraction", "without_words"]

_WEAK = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 3}


def fraction(value: Fraction) -> str:
    """Python source of a rational number."""
    return f"Fraction({value.numerator}, {value.denominator})" if value.denominator != 1 else f"Fraction({value})"


_SERIES = {
    "e^x": """def {name}(x):  # e^x, with a relative error below 10^-115
    with localcontext(Context(prec=120)): return Fraction((Decimal(x.numerator) / x.denominator).exp())"""
}
"""What Python computes itself, by how the docstring of a plain function begins: no page needs a series of its own."""


def without_words(function: Callable[..., Any]) -> str:
    """The source of a function without its docstring, comments and annotations; of a series, what Python has for it."""
    own = next((text for start, text in _SERIES.items() if (function.__doc__ or "").startswith(start)), None)
    if own is not None:
        return own.format(name=function.__name__)
    (made,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(made, ast.FunctionDef)
    made.body = made.body[ast.get_docstring(made) is not None :]
    made.returns = None
    for given in made.args.args:
        given.annotation = None
    name, *body = ast.unparse(made).splitlines()
    return f"{name} {body[0].strip()}" if len(body) == 1 else "\n".join([name, *body])


class Writer:
    """Nodes as lines of Python, in the order in which they were made: what is used twice, or is wide, has its own.

    With `apart` also what is made like a part of it: a step of the same kind as the one before. `letters`: the nodes
    that have names of their own.
    """

    def __init__(self, roots: list[Node], letters: Mapping[int, str], widest: int, apart: bool) -> None:
        self.lines: list[tuple[str, str]] = []
        self.names = dict[int, str]()
        self.made = dict[int, str]()
        self.taken = {identifier(n.name) for n in roots[0].record.nodes.values() if n.name} if roots else set()
        used, reached = Counter(id(n) for n in roots), dict[int, Node]()
        stack = list(roots)
        while stack:
            node = stack.pop()
            if id(node) not in reached:
                reached[id(node)] = node
                used.update(id(part) for part in node.parts)
                stack.extend(node.parts)
        size = dict[int, int]()
        for node in roots[0].record.nodes.values() if roots else ():
            if id(node) not in reached:
                continue
            size[id(node)] = 1
            if not node.parts:
                continue
            self.made[id(node)] = self._made(node)
            total = sum(size[id(part)] for part in (node.parts[:1] if node.sign == "**" else node.parts))
            if used[id(node)] > 1 or total > widest or id(node) in letters or (apart and _repeats(node)):
                self.own(node, letters.get(id(node), ""))
            else:
                size[id(node)] = total

    def _made(self, node: Node) -> str:
        a, *others = node.parts
        if not others:
            argument = self.text(a)
            return f"{node.sign}({f'Fraction({argument})' if argument.isdigit() else argument})"
        left, right = self.text(a, node.sign), self.text(others[0], f"{node.sign}>")
        if node.sign == "*" and a.value == -1 and not (a.parts or a.name):
            return f"-{right}"
        if left.isdigit() and node.sign in {"/", "**"}:  # of two integers Python would make a float
            left = f"Fraction({left})"
        return f"{left}**{others[0].value}" if node.sign == "**" else f"{left} {node.sign} {right}"

    def text(self, node: Node, inside: str = "") -> str:
        """The node as an expression, with brackets where it stands `inside` a sign that binds as strongly."""
        if node.name:
            return identifier(node.name)
        if not node.parts:
            short = node.value.denominator == 1 and node.value >= 0
            return str(node.value) if short else fraction(node.value)
        if id(node) in self.names:
            return self.names[id(node)]
        needed, own = _WEAK.get(inside.rstrip(">"), 0), _WEAK.get(node.sign, 4)
        tight = own < needed or (own == needed and (inside in {"->", "/>", "*>", "**"}))
        return f"({self.made[id(node)]})" if tight else self.made[id(node)]

    def own(self, node: Node, name: str) -> None:
        """The node on a line of its own, under that name or a new one."""
        while not name or name in self.taken:
            name = f"s{len(self.taken) + 1}" if not name else f"{name}_"
        self.taken.add(name)
        self.lines.append((name, self.made[id(node)]))
        self.names[id(node)] = name


def _shape(node: Node, depth: int) -> tuple[Any, ...]:
    return (node.sign, *(_shape(part, depth - 1) for part in node.parts)) if depth and node.parts else ()


def _repeats(node: Node) -> bool:
    """Whether a part of it, or a part of that, is made by the same signs."""
    kind = _shape(node, 2)
    inner = [q for p in node.parts for q in (p, *p.parts)]
    return any(_shape(q, 2) == kind for q in (*inner, *(r for q in inner for r in q.parts)))
