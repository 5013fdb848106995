"""What a program does not do in one run: branches not taken, functions not called, loops not entered."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from validation.script.edit_source import Edit, blocks, entries_without, replaced, segment, statements_without

__all__ = ["trodden"]

Mark = tuple[str, int, int]


class _Marking(ast.NodeTransformer):
    """Every condition tells what it was, every function and loop that it ran."""

    def _seen(self, test: ast.expr, mark: Mark) -> ast.expr:
        return _call("seen__", mark, test)

    def visit_If(self, node: ast.If) -> ast.AST:
        mark = _mark(node)
        self.generic_visit(node)
        node.test = self._seen(node.test, mark)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        mark = _mark(node)
        self.generic_visit(node)
        node.test = self._seen(node.test, mark)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        mark = _mark(node)
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_call("seen__", mark, ast.Constant(True))))
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        mark = _mark(node)
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_call("seen__", mark, ast.Constant(True))))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        mark = _mark(node)
        self.generic_visit(node)
        node.body = _call("ran__", mark, node.body)
        return node


def _mark(node: ast.AST) -> Mark:
    return type(node).__name__, node.lineno, node.col_offset  # type: ignore[attr-defined]


def _call(name: str, mark: Mark, value: ast.expr) -> ast.Call:
    told = ast.Tuple([ast.Constant(part) for part in mark], ast.Load())
    return ast.Call(ast.Name(name, ast.Load()), [told, value], [])


def trodden(
    tree: ast.Module, lines: Sequence[str], run: Callable[[ast.Module, Mapping[str, Any]], Any]
) -> Iterator[Edit]:
    """The program without what one run of it does not do; `run` executes a tree with more names known to it.

    A hypothesis keeps what it says, whatever it was.
    """
    found: dict[Mark, set[bool]] = {}

    def seen(mark: Mark, value: Any) -> Any:
        found.setdefault(mark, set()).add(bool(value))
        return value

    def ran(mark: Mark, value: Any) -> Any:
        found.setdefault(mark, set()).add(True)
        return value

    marked = _Marking().visit(ast.parse("".join(lines)))
    run(ast.fix_missing_locations(marked), {"seen__": seen, "ran__": ran})
    said = {
        inner
        for table in ast.walk(tree)
        if isinstance(table, ast.Dict)
        for key, value in zip(table.keys, table.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and " " in key.value
        for inner in ast.walk(value)
    }
    idle = {
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.FunctionDef | ast.Lambda) and _mark(n) not in found and n not in said
    }
    names = {n.name for n in idle if isinstance(n, ast.FunctionDef)}
    inside = {inner for n in idle for inner in ast.walk(n) if inner is not n}
    edits: list[Edit] = []
    for node in ast.walk(tree):
        if node in inside or node in said:
            continue
        if isinstance(node, ast.Dict):
            free = [
                i
                for i, v in enumerate(node.values)
                if node.keys[i] is not None and (v in idle or (isinstance(v, ast.Name) and v.id in names))
            ]
            edits += entries_without(node, free, lines)
        elif isinstance(node, ast.IfExp) and len(found.get(_mark(node), ())) == 1:
            (taken,) = found[_mark(node)]
            edits.append(replaced(node, node.body if taken else node.orelse, lines))
        elif isinstance(node, ast.If) and not _is_elif(node, lines):
            edits += _chain(tree, node, found, lines)
    dead = [n for n in ast.walk(tree) if isinstance(n, ast.For) and n not in inside and _never(n, found)]
    for _, block in blocks(tree):
        ends = [i for i, s in enumerate(block) if isinstance(s, ast.Return | ast.Break | ast.Continue)]
        if ends and ends[0] + 1 < len(block):
            dead += block[ends[0] + 1 :]  # type: ignore[arg-type]
    yield from edits or statements_without(tree, dead)


def _never(loop: ast.For, found: Mapping[Mark, set[bool]]) -> bool:
    return _mark(loop) not in found and not loop.orelse


def _is_elif(node: ast.If, lines: Sequence[str]) -> bool:
    return lines[node.lineno - 1].encode()[node.col_offset :].startswith(b"elif")


def _chain(tree: ast.Module, node: ast.If, found: Mapping[Mark, set[bool]], lines: Sequence[str]) -> Iterator[Edit]:
    """An `if` with all its `elif`, without what is never taken."""
    parts: list[tuple[ast.If, list[ast.stmt]]] = []
    here, otherwise = node, list[ast.stmt]()
    while True:
        parts.append((here, here.body))
        if len(here.orelse) == 1 and isinstance(here.orelse[0], ast.If) and _is_elif(here.orelse[0], lines):
            here = here.orelse[0]
        else:
            otherwise = here.orelse
            break
    if _mark(node) not in found:
        return
    kept: list[tuple[str, list[ast.stmt]]] = []
    last = otherwise
    for part, body in parts:
        taken = found.get(_mark(part), {False})
        if taken == {True}:
            last = body
            break
        if taken == {False}:
            continue
        kept.append((segment(part.test, lines), body))
    if len(kept) == len(parts):
        return
    margin = " " * node.col_offset
    text = ""
    for i, (test, body) in enumerate(kept):
        test = f"({test})" if "\n" in test else test
        text += f"{margin}{'elif' if i else 'if'} {test}:\n{_body(body, lines)}"
    if last:
        text += f"{margin}else:\n{_body(last, lines)}" if kept else _body(last, lines, node.col_offset)
    if text:
        yield (node.lineno, 0), ((node.end_lineno or 0) + 1, 0), text
    else:
        yield from statements_without(tree, [node])


def _body(body: Sequence[ast.stmt], lines: Sequence[str], column: int | None = None) -> str:
    """The lines of a block as typed, at a column of their own where one is given."""
    first, last = body[0].lineno, body[-1].end_lineno or 0
    while lines[first - 2].strip().startswith("#"):
        first -= 1
    text = lines[first - 1 : last]
    less = 0 if column is None else body[0].col_offset - column
    return "".join(line[less:] if not line[:less].strip() else line for line in text)
