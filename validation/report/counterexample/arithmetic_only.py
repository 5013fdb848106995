"""Python from a file is run only where it is arithmetic: no file is opened, no program started, no object looked into.

A script of a counterexample is kept in a ledger, and a ledger may be anybody's. What scripts of ours are made of is
listed here; whatever contains more is refused before any of it runs. How long arithmetic takes is not bounded.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["NotArithmeticError", "execute", "value_of"]

_STATEMENTS = (
    *(ast.Module, ast.Expression, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.Pass),
    *(ast.FunctionDef, ast.Lambda, ast.Return, ast.arguments, ast.arg, ast.keyword, ast.Yield, ast.YieldFrom),
    *(ast.If, ast.For, ast.While, ast.Break, ast.Continue, ast.With, ast.withitem, ast.Raise, ast.Assert),
    *(ast.Try, ast.ExceptHandler, ast.Import, ast.ImportFrom, ast.alias, ast.Nonlocal, ast.Global),
)
_EXPRESSIONS = (
    *(ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred, ast.expr_context),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
    *(ast.Call, ast.IfExp, ast.JoinedStr, ast.FormattedValue, ast.Tuple, ast.List, ast.Set, ast.Dict),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
)


def _listed(*lines: str) -> frozenset[str]:
    return frozenset(name for line in lines for name in line.split())


_BUILTINS = _listed(
    "abs all any bool complex dict divmod enumerate filter float frozenset int isinstance iter len list map max min",
    "next pow print range repr reversed round set slice sorted str sum tuple zip ArithmeticError AssertionError",
    "Exception IndexError KeyError LookupError NotImplementedError OverflowError RuntimeError StopIteration",
    "SystemExit TypeError ValueError ZeroDivisionError",
)
_OF_PYTHON = frozenset(dir(builtins)) - {"_"}  # that one is what an interactive session or a doctest printed last
# Not `operator`, whose `attrgetter` looks into objects by names in strings, as `str.format` does.
_MODULES: Mapping[str, frozenset[str]] = {
    "__future__": frozenset({"annotations"}),
    "collections.abc": _listed("Callable Iterable Iterator Mapping Sequence"),
    "decimal": _listed("Context Decimal localcontext"),
    "fractions": frozenset({"Fraction"}),
    "functools": _listed("cache lru_cache partial reduce"),
    "itertools": frozenset(n for n in vars(itertools) if not n.startswith("_")),
    "math": frozenset(n for n in vars(math) if not n.startswith("_")),
    "typing": frozenset({"Any"}),
}
_WHOLE = frozenset({"itertools", "math"})
_ATTRIBUTES = _listed(
    "append as_integer_ratio bit_length clear conjugate copy count denominator endswith exp extend fromkeys get imag",
    "index insert is_integer items join keys limit_denominator ln numerator pop real remove replace reverse",
    "setdefault sort split startswith strip update values",
).union(*(_MODULES[name] for name in _WHOLE))


class NotArithmeticError(ValueError):
    """Python that does more than arithmetic, and was not run."""


def execute(source: str | ast.Module, names: dict[str, Any]) -> None:
    """Run a script on `names`, which it adds to; raises `NotArithmeticError`, `SyntaxError`, or what it raises."""
    tree = ast.parse(source) if isinstance(source, str) else source
    _check(tree)
    exec(compile(tree, "counterexample", "exec"), _ready(names))


def value_of(expression: str | ast.expr, names: Mapping[str, Any]) -> Any:
    """The value of an expression in `names`; raises `NotArithmeticError`, `SyntaxError`, or what it raises."""
    tree = ast.parse(expression, mode="eval") if isinstance(expression, str) else ast.Expression(expression)
    _check(tree)
    return eval(compile(tree, "counterexample", "eval"), _ready(dict(names)))


def _ready(names: dict[str, Any]) -> dict[str, Any]:
    names["__builtins__"] = _LIMITED
    return names


def _check(tree: ast.AST) -> None:
    """Raises `NotArithmeticError` where a script contains what is not listed."""
    for node in ast.walk(tree):
        if not isinstance(node, (*_STATEMENTS, *_EXPRESSIONS)):
            raise NotArithmeticError(f"a script of a counterexample contains {type(node).__name__}")
        for name in _refused(node):
            raise NotArithmeticError(f"a script of a counterexample uses {name}")


def _refused(node: ast.AST) -> list[str]:
    """The names in one node that are not listed."""
    match node:
        case ast.Name(id=name):
            known = name in _BUILTINS or name not in _OF_PYTHON
            return [] if (known and not name.startswith("__")) or name == "__name__" else [name]
        case ast.FunctionDef(name=str(name)) | ast.ExceptHandler(name=str(name)) | ast.alias(asname=str(name)):
            return [name] if name.startswith("__") else []
        case ast.Attribute(attr=name):
            return [] if name in _ATTRIBUTES else [name]
        case ast.Import(names=modules):
            return [m.name for m in modules if m.name not in _WHOLE]
        case ast.ImportFrom(module=module, names=parts, level=level):
            listed = _MODULES.get(module or "", frozenset()) if level == 0 else frozenset()
            return [f"{module}.{part.name}" for part in parts if part.name not in listed]
    return []


def _imported(name: str, *given: Any) -> Any:
    if name not in _MODULES:
        raise NotArithmeticError(f"a script of a counterexample imports {name}")
    return builtins.__import__(name, *given)


_LIMITED = {"__import__": _imported, **{name: getattr(builtins, name) for name in sorted(_BUILTINS)}}
