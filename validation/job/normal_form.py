"""Python source in a normal form that keeps its meaning: no comments, docstrings, annotations or places of imports.

The form is our own, so that it does not change with the Python that reads it, as that of `ast.dump` does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType
from typing import TypeAlias

__all__ = ["code_node", "file_digest", "node_digest", "nodes", "uses_names_at_run_time"]

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_ANNOTATED = {"annotation", "returns", "type_comment", "type_params", "ctx", "kind", "simple"}
_MARKS = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop)
_DYNAMIC = {"eval", "exec", "globals", "locals", "vars", "__import__", "import_module", "dir"}


def _write(node: object, put: Callable[[str], None]) -> None:
    """Put the tokens of the normal form, in order."""
    if isinstance(node, ast.AST):
        kind = type(node)
        if kind is ast.Import or kind is ast.ImportFrom:
            # What is imported is followed by value; where it stands may change.
            put("import")
            for alias in node.names:  # type: ignore[attr-defined]
                put(f"{alias.name if kind is ast.ImportFrom else ''} as {alias.asname}")
            return
        put(f"({kind.__name__}")
        for name in node._fields:
            value = getattr(node, name, None)
            if value is None or name in _ANNOTATED or value == []:
                continue
            if name == "body" and isinstance(value, list):
                value = _without_docstring(value)
            put(f".{name}")
            _write(value, put)
        put(")")
    elif isinstance(node, list):
        put("[")
        for item in node:
            _write(item, put)
        put("]")
    else:
        put(f"{type(node).__name__}:{node!r}")


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements but for strings that stand alone: they do nothing."""
    return [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) and _text(s.value))]


def _text(node: ast.Constant) -> bool:
    return isinstance(node.value, str)


def nodes(node: ast.AST) -> list[ast.AST]:
    """A node and all below it but for contexts and operators, each before what it holds; faster than `ast.walk`."""
    found: list[ast.AST] = []
    _gather(node, found)
    return found


def _gather(node: ast.AST, found: list[ast.AST]) -> None:
    found.append(node)
    if isinstance(node, ast.Constant | ast.Name):
        return
    for value in vars(node).values():
        if isinstance(value, list):
            for item in value:
                if isinstance(item, ast.AST):
                    _gather(item, found)
        elif isinstance(value, ast.AST) and not isinstance(value, _MARKS):
            _gather(value, found)


def node_digest(node: ast.AST) -> str:
    """SHA-256 of the normal form of a node."""
    tokens: list[str] = []
    _write(node, tokens.append)
    return sha256("\0".join([*tokens, ""]).encode()).hexdigest()


@cache
def _tree(file: str) -> ast.Module:
    return ast.parse(Path(file).read_text(encoding="utf-8"), file)


@cache
def file_digest(file: str) -> str:
    """SHA-256 of the normal form of a whole module; the order of its imports does not count, which names decide."""
    body = _tree(file).body
    imports = [s for s in body if isinstance(s, ast.Import | ast.ImportFrom)]
    rest = ast.Module([s for s in body if not isinstance(s, ast.Import | ast.ImportFrom)], [])
    named = sorted(f"{a.name if isinstance(s, ast.ImportFrom) else ''} as {a.asname}" for s in imports for a in s.names)
    return sha256("\0".join([*named, node_digest(rest)]).encode()).hexdigest()


@cache
def _functions(file: str) -> dict[int, list[Function]]:
    """The functions of a module by the line that code objects give as their first; looked for in statements alone."""
    found: dict[int, list[Function]] = {}
    blocks: list[ast.AST] = [_tree(file)]
    for node in blocks:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found.setdefault(first, []).append(node)
        for value in vars(node).values():
            if isinstance(value, list):
                blocks += [v for v in value if isinstance(v, ast.stmt | ast.ExceptHandler | ast.match_case)]
    return found


@cache
def _lambdas(file: str) -> dict[int, list[Function]]:
    """The lambdas of a module by their line."""
    found: dict[int, list[Function]] = {}
    for node in nodes(_tree(file)):
        if isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
    return found


def code_node(function: FunctionType) -> Function | None:
    """The node of a function's or lambda's source; None where there is no source or it cannot be told apart."""
    code = function.__code__
    if not Path(code.co_filename).is_file():
        return None
    known = _lambdas if code.co_name == "<lambda>" else _functions
    there = known(code.co_filename).get(code.co_firstlineno, [])
    if len(there) > 1:
        there = [n for n in there if _signature(n) == _names(code) and _holds(n, code)]
        # Of nested lambdas the innermost that holds the code is the one.
        there = sorted(there, key=lambda n: len(nodes(n)))[:1]
    return there[0] if there else None


def _signature(node: Function) -> tuple[str, ...]:
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    return (name, *(a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)))


def _names(code: CodeType) -> tuple[str, ...]:
    return (code.co_name, *code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _holds(node: Function, code: CodeType) -> bool:
    """Whether every place of the code lies within the node."""
    low = (node.lineno, node.col_offset)
    high = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
    for line, _, column, _ in code.co_positions():
        if line is not None and column and not low <= (line, column) <= high:
            return False
    return True


def uses_names_at_run_time(parts: Iterable[ast.AST]) -> bool:
    """Whether nodes look names up by text: eval, exec, globals, or getattr with a name that is not written out."""
    for part in parts:
        if isinstance(part, ast.Name) and part.id in _DYNAMIC:
            return True
        asked = isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "getattr"
        if asked and isinstance(part, ast.Call) and not isinstance(part.args[1], ast.Constant):
            return True
    return False
