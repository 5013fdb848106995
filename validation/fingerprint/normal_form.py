"""Python source in a normal form that keeps what it computes and forgives how it is written.

No comments, docstrings, annotations, places of imports, texts of raised errors or of assertions. Names that a function
gives to its own variables, and those under which it finds functions, classes and values of its module, count by the
order of their first use. Parameters, attributes and keywords keep their names: callers write them.

The form is our own, so that it does not change with the Python that reads it, as that of `ast.dump` does.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType
from typing import TypeAlias

__all__ = ["Form", "code_node", "file_digest", "normal_form", "text_digest"]

__judges__ = "no"

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Scope: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef

_ANNOTATED = {"annotation", "returns", "type_comment", "type_params", "ctx", "kind", "simple"}
_NAMED = {"name", "rest"}  # of a function or class inside, a caught exception, a captured pattern
_DYNAMIC = {"eval", "exec", "globals", "locals", "__import__", "import_module"}
_OF_OBJECTS = {"vars", "dir"}  # with an argument they read that object, which is followed by value


@dataclass
class Form:
    """The normal form of a node: its tokens, the names written in order of first use, and the nodes it is made of.

    `keeps(name)`: whether a name counts as it is. The others are written by their number.
    """

    keeps: Callable[[str], bool] = lambda _: True
    tokens: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    nodes: list[ast.AST] = field(default_factory=list)

    @property
    def digest(self) -> str:
        """SHA-256 of the tokens."""
        return sha256("\0".join([*self.tokens, ""]).encode("utf-8", "surrogatepass")).hexdigest()

    def named(self, name: str) -> str:
        """What a name is written as."""
        if name not in self.names:
            self.names[name] = name if self.keeps(name) else f"#{len(self.names)}"
        return self.names[name]

    def write(self, node: object) -> None:
        """Add the tokens of a node, a list of nodes or a constant, in order."""
        put = self.tokens.append
        if isinstance(node, ast.AST):
            self._node(node)
        elif isinstance(node, list):
            put("[")
            for item in node:
                self.write(item)
            put("]")
        else:
            put(f"{type(node).__name__}:{node!r}")

    def _node(self, node: ast.AST) -> None:
        put = self.tokens.append
        self.nodes.append(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            return  # what is imported is followed by value where it is used
        put(f"({type(node).__name__}")
        if isinstance(node, ast.Name):
            put(self.named(node.id))
        elif isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                put(self.named(name))
        elif isinstance(node, ast.Raise):
            self._raised(node)
        elif isinstance(node, ast.Assert):
            self.write(node.test)
        else:
            self._fields(node)
        put(")")

    def _fields(self, node: ast.AST) -> None:
        for name in node._fields:
            value = getattr(node, name, None)
            if value is None or name in _ANNOTATED or value == []:
                continue
            if name == "body" and isinstance(value, list):
                value = _without_docstring(value)
            self.tokens.append(f".{name}")
            if name in _NAMED and isinstance(value, str):
                self.tokens.append(self.named(value))
            else:
                self.write(value)

    def _raised(self, node: ast.Raise) -> None:
        """What is raised, without the words it is raised with."""
        if not isinstance(node.exc, ast.Call):
            self.write(node.exc)
            return
        self.write(node.exc.func)
        for argument in (*node.exc.args, *node.exc.keywords):
            if not _worded(argument.value if isinstance(argument, ast.keyword) else argument):
                self.write(argument)


def _worded(node: ast.AST) -> bool:
    """Whether an argument is text: a constant, an f-string, or one of these with something added or put in."""
    if isinstance(node, ast.BinOp):
        return _worded(node.left) or _worded(node.right)
    if isinstance(node, ast.IfExp):
        return _worded(node.body) and _worded(node.orelse)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return isinstance(node.func.value, ast.Constant) and isinstance(node.func.value.value, str)  # ", ".join(…)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements but for strings that stand alone: they do nothing."""
    return [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) and _text(s.value))]


def _text(node: ast.Constant) -> bool:
    return isinstance(node.value, str)


def normal_form(node: Function, local: bool = False) -> Form:
    """The form of a function, without its own name.

    `local`: only the names of its own variables are forgiven, as where code looks names of its module up by text.
    What looks names up by text itself keeps all of them.
    """
    parts = list(ast.walk(node))
    if looks_names_up(parts):
        form = Form()
    else:
        kept = _as_parameters(parts) | _of_classes(parts) | _of_python()
        bound = _bound(parts)
        form = Form(lambda name: name in kept or name[:2] == "__" or (local and name not in bound))
    for name in node._fields:
        value = getattr(node, name)
        if name == "name" or name in _ANNOTATED or value is None or value == []:
            continue
        form.tokens.append(f".{name}")
        form.write(_without_docstring(value) if name == "body" and isinstance(value, list) else value)
    return form


def looks_names_up(parts: Iterable[ast.AST]) -> bool:
    """Whether nodes look names up by text: eval, exec, globals, vars() of what is around them, a module by its name."""
    for part in parts:
        if isinstance(part, ast.Name) and part.id in _DYNAMIC:
            return True
        if isinstance(part, ast.Attribute) and part.attr in {"import_module", "modules"}:
            return True
        called = isinstance(part, ast.Call) and isinstance(part.func, ast.Name)
        if called and part.func.id in _OF_OBJECTS and not part.args:  # type: ignore[attr-defined]
            return True
    return False


def _as_parameters(parts: Iterable[ast.AST]) -> set[str]:
    return {part.arg for part in parts if isinstance(part, ast.arg)}


def _of_classes(parts: Iterable[ast.AST]) -> set[str]:
    """Names that bodies of classes bind: attributes, which others read by name."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, ast.ClassDef):
            found |= _bound(_own(part))
    return found


def _of_python() -> set[str]:
    """Python's own names; not what somebody put there, such as the `_` of a doctest or of an interactive session."""
    there = vars(builtins).items()
    made = {name for name, item in there if getattr(item, "__module__", "") in {"builtins", "io", "_io"}}
    made |= {name for name, item in there if type(item).__module__ == "_sitebuiltins"}
    return made | {"Ellipsis", "NotImplemented", "None", "True", "False"}


def _own(node: ast.ClassDef) -> list[ast.AST]:
    """The nodes of a body without the insides of the functions and classes in it."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        part = waiting.pop()
        found.append(part)
        if not isinstance(part, Scope):
            waiting += ast.iter_child_nodes(part)
    return found


def _bound(parts: Iterable[ast.AST]) -> set[str]:
    """The names that nodes bind, parameters apart."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            found.add(part.id)
        elif isinstance(part, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in part.names}
        elif not isinstance(part, ast.alias):
            found |= {name for name in (getattr(part, key, None) for key in _NAMED) if isinstance(name, str)}
    return found


@cache
def _tree(file: str) -> ast.Module:
    return ast.parse(Path(file).read_text(encoding="utf-8"), file)


def text_digest(text: str) -> str:
    """SHA-256 of the normal form of code that was written at run time; its names count."""
    form = Form()
    form.write(ast.parse(text))
    return form.digest


@cache
def file_digest(file: str) -> str:
    """SHA-256 of the normal form of a whole module; the order of its imports does not count, which names decide.

    Names of the module count, as somebody looks them up; variables of its functions do not.
    """
    body = _tree(file).body
    imports = [s for s in body if isinstance(s, ast.Import | ast.ImportFrom)]
    named = sorted(f"{a.name if isinstance(s, ast.ImportFrom) else ''} as {a.asname}" for s in imports for a in s.names)
    rest = []
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            rest += [statement.name, normal_form(statement, local=True).digest]
        elif not isinstance(statement, ast.Import | ast.ImportFrom):
            form = Form()
            form.write(_without_docstring([statement]))
            rest.append(form.digest)
    return sha256("\0".join([*named, *rest]).encode()).hexdigest()


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
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
    return found


def code_node(function: FunctionType) -> Function | None:
    """The node of a function's or lambda's source; None where there is no source or several could be it."""
    code = function.__code__
    if not Path(code.co_filename).is_file():
        return None
    known = _lambdas if code.co_name == "<lambda>" else _functions
    there = known(code.co_filename).get(code.co_firstlineno, [])
    if len(there) > 1:
        there = [n for n in there if _signature(n) == _names(code) and _holds(n, code)]
        # Of nested lambdas the innermost that holds the code is the one.
        there = sorted(there, key=lambda n: len(list(ast.walk(n))))[:1]
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
