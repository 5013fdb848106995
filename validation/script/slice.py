"""A plain function cut to what it does at one instance: the same lines, without those that change nothing there.

Left out are branches that are not taken, functions that are not called, quantities that nobody asks for and types. What
a hypothesis says is left as it stands, and what was cut has to give the same hypotheses and quantities.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import isqrt
from types import FrameType
from typing import Any

from validation.script.coverage import trodden
from validation.script.edit_source import (
    Edit,
    applied,
    entries_without,
    lines_of,
    replaced,
    segment,
    statements_without,
    tidied,
)

__all__ = ["Cut", "cut"]

_PASSES = 60
_SERIES = {
    "2^320 e^x for rational x <= 0": "int(2**320 * Fraction((Decimal(x.numerator) / x.denominator).exp()))",
    "The whole part of the square root of a whole number": "isqrt(n)",
    "The natural logarithm of a rational x > 0": "Fraction((Decimal(x.numerator) / x.denominator).ln())",
}
"""What Python computes itself, to 120 digits, by how the docstring of a plain function begins."""
_MOST_LINES = 300_000  # of a run
_MOST_BITS = 10**10  # lines of a run times bits of its longest result
_CLOSE = Fraction(1, 10**50)  # how near a number stays where Python's own series stands in place of another
_LITERAL = (bool, str, type(None), tuple)


@dataclass(frozen=True)
class Cut:
    """The functions as source, how they are called on `INSTANCE`, and the fields of the instance that they read."""

    source: str
    call: str
    fields: tuple[str, ...]


def cut(
    function: Callable[..., Any],
    uses: Sequence[Callable[..., Any]],
    options: Mapping[str, Any],
    instance: Mapping[str, Any],
    wanted: Collection[str],
    *,
    least: bool = False,
) -> Cut:
    """The function with those it uses, for this instance and these options; `wanted`: the quantities asked for.

    As it stands where cutting would change anything, where `least` is asked for, or where a run takes long: each cut is
    tried, and what is tried is counted in lines and in digits, not in seconds, so that the same is written everywhere.
    """
    texts = [textwrap.dedent(inspect.getsource(f)) for f in (*uses, function)]
    whole = _Program("\n\n".join(texts), function.__name__, dict(options))
    best, fields = (whole, tuple(instance)) if least else _least(whole, instance, frozenset(wanted))
    words = "".join(f", {name}={value!r}" for name, value in best.options.items())
    return Cut(tidied(best.text), f"{function.__name__}(INSTANCE{words})", fields)


def _least(whole: _Program, instance: Mapping[str, Any], wanted: frozenset[str]) -> tuple[_Program, tuple[str, ...]]:
    """The program with all that can go gone, and the fields that it reads; whole where it does not run by itself."""
    fields = tuple(instance)
    try:
        met, seen = whole.run(instance)
        if not whole.is_light(instance, seen):
            return whole, fields
        best: _Program = whole
        here: _Program | None = whole.bare()
    except Exception:
        return whole, fields
    asked = wanted | frozenset(met)
    for _ in range(_PASSES):
        if here is None or not here.agrees(met, seen, instance, asked):
            break
        best = here
        here = next((p for p in best.steps(instance, asked) if p.agrees(met, seen, instance, asked)), None)
    for name in instance:
        fewer = tuple(n for n in fields if n != name)
        if best.agrees(met, seen, {n: instance[n] for n in fewer}, asked):
            fields = fewer
    return best, fields


class _TooLongError(Exception):
    """A run of more lines than will be tried again and again."""


@dataclass(frozen=True)
class _Program:
    """Functions as text, the one that is called and its options; `close`: whether some numbers are only near."""

    text: str
    main: str
    options: Mapping[str, Any]
    close: bool = False

    def run(self, instance: Mapping[str, Any], tree: ast.AST | str = "", **more: Any) -> tuple[Any, Any]:
        space = {"Fraction": Fraction, "Decimal": Decimal, "Context": Context, "localcontext": localcontext}
        space |= {"isqrt": isqrt, **more}
        exec(compile(tree or self.text, "<cut>", "exec"), space)  # type: ignore[arg-type]
        main: Any = space[self.main]
        met, seen = main(instance, **self.options)
        return met, seen

    def is_light(self, instance: Mapping[str, Any], seen: Mapping[str, Any]) -> bool:
        """Whether a run takes few lines, on numbers that are not too long."""
        lines, numbers = 0, [Fraction(v) for v in seen.values() if isinstance(v, int | Fraction)]
        bits = max((max(abs(v.numerator), v.denominator).bit_length() for v in numbers), default=0)
        most = min(_MOST_LINES, _MOST_BITS // (bits + 1))

        def count(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal lines
            lines += event == "line"
            if lines > most:
                raise _TooLongError
            return count if frame.f_code.co_filename == "<cut>" else None

        before = sys.gettrace()
        sys.settrace(count)
        try:
            self.run(instance)
        except _TooLongError:
            return False
        finally:
            sys.settrace(before)
        return True

    def agrees(
        self, met: Mapping[str, bool], seen: Mapping[str, Any], instance: Mapping[str, Any], asked: Collection[str]
    ) -> bool:
        """Whether it names the same hypotheses, each with its answer, and gives the same of what is asked."""
        try:
            mine, found = self.run(instance)
        except Exception:
            return False
        off = _CLOSE if self.close else 0
        same = all(name in found and abs(found[name] - seen[name]) <= off for name in asked if name in seen)
        return same and dict(mine) == dict(met)

    def bare(self) -> _Program:
        """Without types, and with Python's own series."""
        close, lines, edits = self.close, lines_of(self.text), list[Edit]()
        for node in ast.walk(ast.parse(self.text)):
            if isinstance(node, ast.FunctionDef):
                start, body = (node.lineno, node.col_offset), node.body[0]
                words = ast.get_docstring(node) or ""
                own = next((text for begin, text in _SERIES.items() if words.startswith(begin)), None)
                edits.append((start, (body.lineno, body.col_offset), f"{_signature(node)}\n{' ' * body.col_offset}"))
                if own is not None:
                    at, last, inner = node.body[1], node.body[-1], " " * (body.col_offset + 4)
                    digits = "Decimal" in own
                    text = f"with localcontext(Context(prec=120)):\n{inner}return {own}" if digits else f"return {own}"
                    close = close or digits
                    edits.append(((at.lineno, at.col_offset), (last.end_lineno or 0, last.end_col_offset or 0), text))
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                target = node.target
                edits.append(
                    (
                        (target.end_lineno or 0, target.end_col_offset or 0),
                        (node.annotation.end_lineno or 0, node.annotation.end_col_offset or 0),
                        "",
                    )
                )
        return _Program(applied(lines, edits), self.main, self.options, close)

    def steps(self, instance: Mapping[str, Any], asked: frozenset[str]) -> Iterator[_Program]:
        """With one kind of thing less each."""
        tree, lines = ast.parse(self.text), lines_of(self.text)
        ways: tuple[Callable[[], list[Edit]], ...] = (
            lambda: self._settled(tree),
            lambda: list(_folded(tree, lines)),
            lambda: list(trodden(tree, lines, lambda marked, more: self.run(instance, marked, **more))),
            lambda: list(_unasked(tree, lines, asked)),
            lambda: list(_unread(tree, lines, self.main)),
        )
        for way in ways:
            try:
                edits = way()
                text = applied(lines, edits)
                made = _Program(text, self.main, self._kept(text), self.close)
            except Exception:  # what cannot be cut so stays
                continue
            if edits:
                yield made

    def _kept(self, text: str) -> Mapping[str, Any]:
        """The options without those that the function has no more."""
        before, after = (self._parameters(t) for t in (self.text, text))
        return {name: value for name, value in self.options.items() if name in after or name not in before}

    def _parameters(self, text: str) -> set[str]:
        (main,) = [f for f in ast.parse(text).body if isinstance(f, ast.FunctionDef) and f.name == self.main]
        return {a.arg for a in (*main.args.args, *main.args.kwonlyargs)}

    def _settled(self, tree: ast.Module) -> list[Edit]:
        """Options that are words or yes and no, in the place of their names; numbers keep theirs."""
        (main,) = [f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == self.main]
        args = main.args
        given = dict(zip((a.arg for a in args.kwonlyargs), args.kw_defaults, strict=True))
        given |= dict(
            zip((a.arg for a in args.args[len(args.args) - len(args.defaults) :]), args.defaults, strict=True)
        )
        values = {name: ast.literal_eval(d) for name, d in given.items() if d is not None and _is_literal(d)}
        values = {name: v for name, v in {**values, **self.options}.items() if isinstance(v, _LITERAL)}
        stored = Counter(n.id for n in ast.walk(main) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        stored.update(a.arg for f in ast.walk(main) if isinstance(f, ast.arguments) and f is not args for a in f.args)
        values = {name: value for name, value in values.items() if not stored[name] and name in given}
        values |= {name: None for name in given if not _loads(main)[name]}
        if not values:
            return []
        args.kw_defaults = [d for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if a.arg not in values]
        args.kwonlyargs = [a for a in args.kwonlyargs if a.arg not in values]
        free = len(args.args) - len(args.defaults)
        args.defaults = [d for a, d in zip(args.args[free:], args.defaults, strict=True) if a.arg not in values]
        args.args = [a for a in args.args if a.arg not in values]
        body = main.body[0]
        start = main.lineno, main.col_offset
        edits: list[Edit] = [(start, (body.lineno, body.col_offset), f"{_signature(main)}\n{' ' * body.col_offset}")]
        words = ast.get_docstring(main, clean=False)
        if words is not None:
            end = (body.end_lineno or 0), (body.end_col_offset or 0)
            edits.append(((body.lineno, body.col_offset), end, f'"""{_without(words, values)}"""'))
        for node in ast.walk(main):
            if isinstance(node, ast.Name) and node.id in values and isinstance(node.ctx, ast.Load):
                here = node.lineno, node.col_offset
                edits.append((here, (node.lineno, node.end_col_offset or 0), repr(values[node.id])))
        return edits


def _without(words: str, options: Collection[str]) -> str:
    """A docstring without what it says of options that are settled."""
    first, *others = words.rstrip().split("\n\n")
    for name in options:
        first = re.sub(rf"[;,]? `{name}`: [^.]*(?=\.)", "", first)
        others = [part for part in others if f"`{name}`" not in part]
    return "\n\n".join([first, *others]) + (words[len(words.rstrip()) :] if others else "")


def _signature(node: ast.FunctionDef) -> str:
    """The head of a function without types."""
    args = ast.parse(f"def f({ast.unparse(node.args)}): pass").body[0]
    assert isinstance(args, ast.FunctionDef)
    for a in ast.walk(args.args):
        if isinstance(a, ast.arg):
            a.annotation = None
    return f"def {node.name}({ast.unparse(args.args)}):"


def _is_literal(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Tuple) and all(map(_is_literal, node.elts)))


def _folded(tree: ast.Module, lines: list[str]) -> Iterator[Edit]:
    """What is the same at every instance: comparisons of words, «and» and «or» with them, and their choices."""
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp) and _is_literal(node.test):
            yield replaced(node, node.body if ast.literal_eval(node.test) else node.orelse, lines)
            continue
        text = _folding(node, lines)
        if text is not None:
            yield (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset), text  # type: ignore[attr-defined]
        if isinstance(node, ast.Dict):
            empty = [i for i, (k, v) in enumerate(zip(node.keys, node.values, strict=True)) if k and _is(v, True)]
            yield from entries_without(node, [i for i in empty if _says(node.keys[i])], lines)


def _says(key: ast.expr | None) -> bool:
    """Whether a key is words, as those of a hypothesis are."""
    return isinstance(key, ast.Constant) and isinstance(key.value, str) and " " in key.value


def _is(node: ast.AST, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _folding(node: ast.AST, lines: list[str]) -> str | None:
    if isinstance(node, ast.Compare) and all(map(_is_literal, (node.left, *node.comparators))):
        return str(bool(eval(compile(ast.Expression(node), "<folded>", "eval"), {})))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return None if not _is_literal(node.operand) else str(not ast.literal_eval(node.operand))
    if isinstance(node, ast.BoolOp):
        strong = isinstance(node.op, ast.Or)  # what decides it alone
        if any(_is(v, strong) for v in node.values):
            return str(strong)
        kept = [v for v in node.values if not _is(v, not strong)]
        if len(kept) < len(node.values):
            told = [segment(v, lines) for v in kept]
            told = [f"({t})" if isinstance(v, ast.BoolOp | ast.IfExp) else t for t, v in zip(told, kept, strict=True)]
            return (" or " if strong else " and ").join(told) or str(not strong)
    return None


def _unasked(tree: ast.Module, lines: list[str], asked: frozenset[str]) -> Iterator[Edit]:
    """Entries of tables that nobody names, here or outside."""
    words = Counter(n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            free = [
                i
                for i, key in enumerate(node.keys)
                if isinstance(key, ast.Constant)
                and isinstance(key.value, str)
                and not _says(key)
                and key.value not in asked
                and words[key.value] == 1
            ]
            yield from entries_without(node, free, lines)


def _unread(tree: ast.Module, lines: list[str], main: str) -> Iterator[Edit]:
    """Assignments to names that nothing reads but they themselves, and functions that nothing calls."""
    reads = _loads(tree)
    inside = {f: _loads(f) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef)}
    tops = [f for f in tree.body if isinstance(f, ast.FunctionDef)]
    mine = {f: {n.id for n in ast.walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} for f in tops}
    calls = {f: sum(inside[g][f.name] for g in tops if g is not f and f.name not in mine[g]) for f in tops}
    gone: list[ast.stmt] = [f for f in tops if f.name != main and not calls[f]]
    for top in tops:
        inner = [f for f in ast.walk(top) if isinstance(f, ast.FunctionDef) and f is not top]
        gone += [f for f in inner if inside[top][f.name] == inside[f][f.name]]
        makers: dict[str, list[ast.stmt]] = {}
        own = Counter[str]()
        for node in ast.walk(top):
            name = _made(node)
            if name is not None:
                makers.setdefault(name, []).append(node)  # type: ignore[arg-type]
                own[name] += sum(
                    isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in ast.walk(node)
                )
        other = Counter(
            n.id
            for node in ast.walk(top)
            for n in ([*ast.walk(node.target)] if isinstance(node, ast.For | ast.comprehension) else [])
            if isinstance(n, ast.Name)
        )
        given = {a.arg for a in ast.walk(top) if isinstance(a, ast.arg)}
        for name, nodes in makers.items():
            if inside[top][name] == own[name] and not other[name] and name not in given:
                gone += nodes
        gone += [n for n in ast.walk(top) if isinstance(n, ast.Assign) and _is_itself(n)]
    if gone:
        yield from statements_without(tree, gone)
        return
    for node in ast.walk(tree):
        yield from _thinned(node, reads, lines)


def _is_itself(node: ast.Assign) -> bool:
    """Whether it says `x = x`."""
    (target, *more), value = node.targets, node.value
    return not more and isinstance(target, ast.Name) and isinstance(value, ast.Name) and target.id == value.id


def _loads(node: ast.AST) -> Counter[str]:
    """How often each name is read."""
    return Counter(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _made(node: ast.AST) -> str | None:
    """The one name that a statement makes or changes, and does nothing else."""
    target: ast.AST | None = None
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AugAssign):
        target = node.target
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        target = node.value.func.value if node.value.func.attr == "append" else None
    while isinstance(target, ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


def _thinned(node: ast.AST, reads: Counter[str], lines: list[str]) -> Iterator[Edit]:
    """`a, b = f(x), g(x)` and `a = b = x` without what is not read."""
    if not isinstance(node, ast.Assign):
        return

    def idle(target: ast.expr) -> bool:
        return isinstance(target, ast.Name) and not reads[target.id]

    target, value = node.targets[0], node.value
    text = ""
    if len(node.targets) > 1:
        kept = [t for t in node.targets if not idle(t)]
        if 0 < len(kept) < len(node.targets):
            text = " = ".join(segment(part, lines) for part in (*kept, value))
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = [(a, b) for a, b in zip(target.elts, value.elts, strict=True) if not idle(a)]
        if 0 < len(pairs) < len(target.elts):
            left, right = (", ".join(segment(p[i], lines) for p in pairs) for i in (0, 1))
            text = f"{left} = ({right})" if "\n" in right else f"{left} = {right}"
    if text:
        yield (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0), text
