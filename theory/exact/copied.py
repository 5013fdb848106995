"""A copy of a Python function that computes exactly: its float constants, numpy and math replaced by exact ones.

The function's own text is not touched; a copy of its code runs with other constants, globals and closure values. 0.5
becomes 1/2; 0.1, which as a float is another number than the one written, raises `InexactError` where it is used. `np`
becomes `exact_numpy`, whose arrays are exact from the start, so that integer powers cannot wrap around. Functions of
the user's that it calls are copied with it; those of installed libraries run as they are.
"""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from theory.base.arrays import namespace
from theory.exact.arrays import ExactArray, exact_array, exact_functions, exact_ufuncs
from theory.exact.errors import InexactError, Refused
from theory.exact.number import PI, Exact, exact, refusal

__all__ = ["exact_copy", "exact_numpy"]


def _literal(value: float) -> Any:
    wrong = refusal(value)
    return exact(value) if wrong is None else wrong


def _no_math(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `math` whose float results are refused: they are rounded."""

    def checked(*args: Any, **kwargs: Any) -> Any:
        args = tuple(_whole(a) for a in args)
        found = function(*args, **kwargs)
        if isinstance(found, float):
            cure = f"np.{function.__name__}" if hasattr(np, function.__name__) else "fractions"
            return Refused(f"math.{function.__name__} rounds", f"use {cure}")
        return found

    return checked


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, Exact) and value.is_rational and value.fraction().denominator == 1 else value


class _Library:
    """A module of numpy or math whose functions give exact numbers."""

    def __init__(self, module: ModuleType, own: dict[str, Any]) -> None:
        self._module, self._own = module, own

    def __getattr__(self, name: str) -> Any:
        return self._own[name] if name in self._own else _exact_value(getattr(self._module, name))


def _exactly(function: Any) -> Callable[..., Any]:
    """A function of numpy that takes numbers exactly and whose numeric results are exact."""
    takes_numbers = function in exact_ufuncs or function in exact_functions or function in _OF_NUMBERS

    def called(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("dtype", None) if takes_numbers else None
        if takes_numbers and args:
            n = function.nin if isinstance(function, np.ufunc) else 2 if function in _OF_TWO else 1
            args = (*(exact_array(a) for a in args[:n]), *args[n:])
        return _exact_result(function(*args, **kwargs))

    called.__name__ = getattr(function, "__name__", "numpy")
    if isinstance(function, np.ufunc):
        for method in ("reduce", "accumulate", "outer"):
            setattr(called, method, _through(getattr(function, method)))
    return called


def _through(method: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *args, **kwargs: _exact_result(method(exact_array(x), *args, **kwargs))


def _exact_result(found: Any) -> Any:
    if isinstance(found, tuple):
        return tuple(_exact_result(x) for x in found)
    if isinstance(found, ExactArray) or not isinstance(found, (np.ndarray, np.floating, np.integer, float)):
        return found
    if isinstance(found, np.ndarray) and found.dtype.kind in "iuf":
        return exact_array(found)
    return exact(found) if not isinstance(found, np.ndarray) else found


def _constructed(value: Any, *args: Any, dtype: Any = None, **_: Any) -> Any:
    """np.array and its relatives: the numbers exactly, in the type that was asked for."""
    array = exact_array(np.array(value, dtype=object) if isinstance(value, (list, tuple)) else value)
    kind = args[0] if args else dtype
    found = array.copy() if kind is None else array.astype(kind)
    return found.view(np.ndarray).astype(bool) if found.size and all(type(x) is bool for x in found.flat) else found


def _linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, **_: Any) -> Any:
    steps = exact_array(np.arange(num)) / max(1, num - 1 if endpoint else num)
    return exact(start) + steps * (exact(stop) - exact(start))


def _arange(*args: Any, **_: Any) -> Any:
    start, stop, step = [*map(exact, args), exact(1)] if len(args) == 2 else [exact(0), exact(args[0]), exact(1)]
    step = exact(args[2]) if len(args) == 3 else step
    stop = exact(args[1]) if len(args) == 3 else stop
    start = exact(args[0]) if len(args) == 3 else start
    return start + exact_array(np.arange(max(0, math.ceil((stop - start) / step)))) * step


def _full(shape: Any, fill_value: Any, *_: Any, **__: Any) -> Any:
    return exact_array(np.broadcast_to(exact_array(fill_value), shape)).copy()


_OF_NUMBERS = {np.sum, np.prod, np.cumsum, np.cumprod, np.max, np.min, np.amax, np.amin, np.dot, np.inner, np.outer}
_OF_NUMBERS |= {np.diff, np.trace, np.vdot, np.sort, np.argmax, np.argmin, np.linalg.norm, np.round, np.median}
_OF_TWO = {np.dot, np.inner, np.outer, np.vdot, np.linalg.solve}
exact_numpy: Any = _Library(
    np,
    {
        "array": _constructed,
        "asarray": _constructed,
        "arange": _arange,
        "linspace": _linspace,
        "full": _full,
        "where": exact_functions[np.where],
        "linalg": _Library(np.linalg, {}),
        "pi": PI,
        "e": exact(1).exp(),
    },
)
_exact_math: Any = _Library(math, {"pi": PI, "e": exact(1).exp()})


def _exact_value(value: Any, known: dict[int, Any] | None = None) -> Any:
    """What a name means in exact arithmetic."""
    known = {} if known is None else known
    if isinstance(value, float):
        return _literal(value)
    if value is np:
        return exact_numpy
    if value is np.linalg:
        return exact_numpy.linalg
    if value is math:
        return _exact_math
    if value is Fraction:
        return _fraction
    if value is namespace or value is array_namespace:
        return lambda *_: exact_numpy
    if isinstance(value, Fraction):
        return exact(value)
    if isinstance(value, BuiltinFunctionType) and value.__module__ == "math":
        return _no_math(value)
    if isinstance(value, np.ufunc):
        return _exactly(value)
    if isinstance(value, tuple) and type(value) is tuple and any(isinstance(v, (float, tuple)) for v in value):
        return tuple(_exact_value(v, known) for v in value)
    if isinstance(value, list) and any(isinstance(v, float) for v in value):
        return [_exact_value(v, known) for v in value]
    if type(value) is dict and any(isinstance(v, float) for v in value.values()):
        return {k: _exact_value(v, known) for k, v in value.items()}
    if type(value) is np.ndarray and value.dtype.kind in "iuf":
        return value if value.dtype.kind in "iu" else _array_or_itself(value)
    if isinstance(value, FunctionType):
        if (value.__module__ or "").split(".")[0] == "numpy":
            return _exactly(value)
        return exact_copy(value, known) if _is_users(value) else value
    if callable(value) and getattr(value, "__module__", "") == "numpy" and not isinstance(value, type):
        return _exactly(value)  # functions dispatched in C, such as np.where
    return value


def _array_or_itself(value: Any) -> Any:
    try:
        return exact_array(value)
    except InexactError:
        return value  # refused where it meets an exact number, which names the line


def _fraction(top: Any = 0, bottom: Any = 1) -> Exact:
    found: Exact = exact(top) / exact(bottom)
    return found


_LIBRARIES = {"theory", "deep", "validation", "array_api_compat", "scipy", "sympy", "torch", "flint", "mpmath"}


def _is_users(function: FunctionType) -> bool:
    room = (function.__module__ or "").split(".")[0]
    installed = "site-packages" in function.__code__.co_filename
    return room not in _LIBRARIES and room not in sys.stdlib_module_names - {"__main__"} and not installed


def _imported(name: str, *args: Any, **kwargs: Any) -> Any:
    """What `import` inside the function gives."""
    return _exact_value(builtins.__import__(name, *args, **kwargs))


def _names(code: CodeType) -> set[str]:
    inner = [_names(c) for c in code.co_consts if isinstance(c, CodeType)]
    return set(code.co_names).union(*inner)


def _code(code: CodeType, known: dict[int, Any]) -> CodeType:
    constants = tuple(_code(c, known) if isinstance(c, CodeType) else _exact_value(c, known) for c in code.co_consts)
    return code.replace(co_consts=constants)


def exact_copy(function: Callable[..., Any], known: dict[int, Any] | None = None) -> Callable[..., Any]:
    """The function with exact constants and exact numpy; anything but a Python function is returned as it is."""
    known = {} if known is None else known
    if isinstance(function, partial):
        inner = exact_copy(function.func, known)
        named = {k: _exact_value(v, known) for k, v in function.keywords.items()}
        return partial(inner, *(_exact_value(a, known) for a in function.args), **named)
    if isinstance(function, MethodType):
        return MethodType(exact_copy(function.__func__, known), function.__self__)
    if not isinstance(function, FunctionType):
        call = vars(type(function)).get("__call__")
        return MethodType(exact_copy(call, known), function) if isinstance(call, FunctionType) else function
    if id(function) in known:
        return known[id(function)]  # type: ignore[no-any-return]
    scope: dict[str, Any] = {}
    cells = tuple(CellType() for _ in function.__closure__ or ())
    copy = FunctionType(_code(function.__code__, known), scope, function.__name__, None, cells or None)
    known[id(function)] = copy
    # Filled after the copy exists, so that functions which call each other or themselves end.
    scope.update(function.__globals__, __builtins__={**vars(builtins), "__import__": _imported})
    for name in _names(function.__code__) & function.__globals__.keys():
        scope[name] = _exact_value(function.__globals__[name], known)
    for cell, old in zip(cells, function.__closure__ or (), strict=True):
        try:
            cell.cell_contents = _exact_value(old.cell_contents, known)
        except ValueError:
            continue  # a name not yet bound
    if function.__defaults__ is not None:
        copy.__defaults__ = tuple(_exact_value(v, known) for v in function.__defaults__)
    if function.__kwdefaults__ is not None:
        copy.__kwdefaults__ = {k: _exact_value(v, known) for k, v in function.__kwdefaults__.items()}
    return copy
