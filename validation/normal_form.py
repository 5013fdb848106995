"""Python source in a normal form that keeps its meaning: no comments, docstrings, annotations or places of imports.

The form is our own, so that it does not change with the Python that reads it, as that of `ast.dump` does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType
from typing import TypeAlias

__all__ = ["code_node", "file_digest", "node_digest", "uses_names_at_run_time"]

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_ANNOTATED = {"annotation", "returns", "type_comment", "type_params", "ctx", "kind", "simple"}
_DYNAMIC = {"eval", "exec", "globals", "locals", "vars", "__import__", "import_module", "dir"}


def _written(node: object) -> Iterator[str]:
    """The tokens of the normal form, in order."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        # What is imported is followed by value; where it stands may change.
        yield "import"
        for alias in node.names:
            yield f"{alias.name if isinstance(node, ast.ImportFrom) else ''} as {alias.asname}"
        return
    if isinstance(node, ast.AST):
        yield f"({type(node).__name__}"
        for name in node._fields:
            value = getattr(node, name, None)
            if name in _ANNOTATED or value is None or value == []:
                continue
            if name == "body" and isinstance(value, list):
                value = _without_docstring(value)
            yield f".{name}"
            yield from _written(value)
        yield ")"
    elif isinstance(node, list):
        yield "["
        for item in node:
            yield from _written(item)
        yield "]"
    else:
        yield f"{type(node).__name__}:{node!r}"


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements but for strings that stand alone: they do nothing."""
    return [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) and _text(s.value))]


def _text(node: ast.Constant) -> bool:
    return isinstance(node.value, str)


def node_digest(node: ast.AST) -> str:
    """SHA-256 of the normal form of a node."""
    digest = sha256()
    for token in _written(node):
        digest.update(token.encode() + b"\0")
    return digest.hexdigest()


@cache
def _tree(file: str) -> ast.Module:
    return ast.parse(Path(file).read_text(encoding="utf-8"), file)


@cache
def file_digest(file: str) -> str:
    """SHA-256 of the normal form of a whole module."""
    return node_digest(_tree(file))


@cache
def _definitions(file: str) -> dict[int, list[Function]]:
    """The functions and lambdas of a module by the line that code objects give as their first."""
    found: dict[int, list[Function]] = {}
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found.setdefault(first, []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
    return found


def code_node(function: FunctionType) -> Function | None:
    """The node of a function's or lambda's source; None where there is no source or it cannot be told apart."""
    code = function.__code__
    if not Path(code.co_filename).is_file():
        return None
    wanted = ast.Lambda if code.co_name == "<lambda>" else (ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [n for n in _definitions(code.co_filename).get(code.co_firstlineno, ()) if isinstance(n, wanted)]
    if len(nodes) > 1:
        nodes = [n for n in nodes if _signature(n) == _names(code) and _holds(n, code)]
        # Of nested lambdas the innermost that holds the code is the one.
        nodes = sorted(nodes, key=lambda n: sum(1 for _ in ast.walk(n)))[:1]
    return nodes[0] if nodes else None


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


def uses_names_at_run_time(node: ast.AST) -> bool:
    """Whether source looks names up by text: eval, exec, globals, or getattr with a name that is not written out."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in _DYNAMIC:
            return True
        asked = isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "getattr"
        if asked and isinstance(part, ast.Call) and not isinstance(part.args[1], ast.Constant):
            return True
    return False
