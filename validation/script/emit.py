"""Numbers that remember how they were made, as lines of Python."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from validation.script.trace import Node
from validation.statement.bound import identifier

__all__ = ["Layout", "Writer", "fraction", "without_words"]

_WEAK = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 3}


def fraction(value: Fraction) -> str:
    """Python source of a rational number."""
    below = f"{value.denominator}"
    if value.denominator >= 10**6 and set(below[1:]) == {"0"} and below[0] == "1":
        below = f"10**{len(below) - 1}"
    return f"Fraction({value.numerator}, {below})" if value.denominator != 1 else f"Fraction({value})"


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


@dataclass(frozen=True)
class Layout:
    """What gets a line of its own, in letters of a formula: a named number from `named` on, another beyond `widest`.

    A number without a name that is used again stands written out each time up to `again`. `apart`: steps that are made
    like a part of theirs have lines of their own, so that loops show.
    """

    widest: int
    named: int = 1
    again: int = 3
    apart: bool = False


class Writer:
    """Nodes as lines of Python, in the order in which they were made, under the names that the plain function has.

    `letters`: the nodes that have names of their own. Every line has another name; `base`: what several may share. What
    the function gives no name is a part of the next that has one.
    """

    def __init__(self, roots: list[Node], letters: Mapping[int, str], layout: Layout) -> None:
        self.lines: list[tuple[str, str]] = []
        self.base = dict[str, str]()
        self.names = dict[int, str]()
        self.made = dict[int, str]()
        self.record = roots[0].record if roots else None
        self.taken = {identifier(n.name) for n in roots[0].record.nodes.values() if n.name} if roots else set()
        used, reached, above = Counter(id(n) for n in roots), dict[int, Node](), dict[int, Node]()
        stack = list(roots)
        while stack:
            node = stack.pop()
            if id(node) not in reached:
                reached[id(node)] = node
                used.update(id(part) for part in node.parts)
                stack.extend(node.parts)
                above |= {id(part): node for part in node.parts if id(part) not in above}
        size = dict[int, int]()
        for node in roots[0].record.nodes.values() if roots else ():
            if id(node) not in reached:
                continue
            size[id(node)] = 1
            if not node.parts:
                continue
            self.made[id(node)] = self._made(node)
            total = sum(size[id(part)] for part in (node.parts[:1] if node.sign == "**" else node.parts))
            word, often = self._word(node), used[id(node)] > 1
            least = (layout.again if often else layout.widest) if not word else 1 if often else layout.named
            if id(node) in letters or total > least or (layout.apart and _repeats(node)):
                self.own(node, letters.get(id(node)), word or self._part_of(node, letters, above))
            else:
                size[id(node)] = total

    def _word(self, node: Node) -> str:
        return node.record.words.get(id(node), (0, ""))[1]

    def _part_of(self, node: Node, letters: Mapping[int, str], above: Mapping[int, Node]) -> str:
        """The name of a part of what the node goes into."""
        whole = above.get(id(node))
        while whole is not None:
            word = letters.get(id(whole)) or self._word(whole)
            if word:
                return f"{word}_part"
            whole = above.get(id(whole))
        return "part"

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

    def own(self, node: Node, letter: str | None, base: str) -> None:
        """The node on a line of its own, under its letter or a name made of `base`."""
        name = letter or f"{identifier(base)}__{len(self.lines)}"
        while name in self.taken:
            name = f"{name}_"
        if not letter:
            self.base[name] = identifier(base)
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
