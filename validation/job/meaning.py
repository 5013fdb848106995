"""What a Python object means, as a digest: the code it reaches and the values it holds, wherever they stand.

A walk starts at an object and follows it into containers, dataclasses, closures, defaults, and every global name that
a function's code loads, into classes with all their methods. Project code counts in the normal form of its source, so
comments, docstrings and the places of modules do not matter; libraries count by name. What cannot be resolved (eval,
getattr with a computed name) counts with its whole module.
"""

from __future__ import annotations

import ast
import builtins
import dis
import enum
import functools
import inspect
import linecache
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path, PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, TypeVar

import numpy as np

from validation.job import normal_form
from validation.job.kept import Kept
from validation.job.normal_form import code_node, file_digest, node_digest, nodes, uses_names_at_run_time

__all__ = ["Walk", "is_project", "meaning"]

_ROOT = str(Path(__file__).parents[2])  # where this is installed, which means nothing
_OURS = ("theory", "deep", "validation", "paper_checks")

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented))
_CLASS_NOISE = {
    "__annotations__", "__dataclass_fields__", "__dataclass_params__", "__dict__", "__doc__", "__firstlineno__",
    "__match_args__", "__module__", "__orig_bases__", "__parameters__", "__protocol_attrs__", "__qualname__",
    "__replace__", "__slots__", "__slotnames__", "__static_attributes__", "__subclasshook__", "__weakref__",
    "__abstractmethods__", "_abc_impl", "_is_protocol", "_is_runtime_protocol", "__non_callable_proto_members__",
    "__annotate_func__", "__annotations_cache__",
}  # fmt: skip


@cache
def _outside_papers() -> frozenset[str]:
    """The top-level packages that bring papers of their own."""
    return frozenset(
        point.value.partition(":")[0].partition(".")[0] for point in entry_points(group="fedverdict.papers")
    )


@cache
def is_project(module: str) -> bool:
    """Whether a module's code counts: ours, that of a paper's package, and what is not installed as a library."""
    top = module.partition(".")[0]
    if top in _OURS or top in _outside_papers():
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or top in sys.stdlib_module_names:
        return False
    return not {"site-packages", "dist-packages"} & set(Path(file).parts)


def meaning(*roots: Any) -> str:
    """SHA-256 of what the roots mean, nothing left out."""
    return Walk().digest(*roots)


class Walk:
    """One walk from roots; functions and classes met again count as the place where they were met first.

    `skip`: fields of a class that mean nothing. `opaque(module)`: code of these modules counts as nothing at all.
    `instead[type](value)`: what stands for a value of that class.
    """

    def __init__(
        self,
        skip: Mapping[type, Set[str]] | None = None,
        opaque: Callable[[str], bool] | None = None,
        instead: Mapping[type, Callable[[Any], Any]] | None = None,
    ) -> None:
        self.skip, self.opaque, self.instead = skip or {}, opaque or (lambda _: False), instead or {}
        self.seen: dict[int, int] = {}
        self.kept: list[Any] = []  # so that no id is used twice
        self.hash = sha256()

    def digest(self, *roots: Any) -> str:
        """The digest of all roots, in order."""
        for root in roots:
            self.value(root)
        return self.hash.hexdigest()

    def put(self, *tokens: str) -> None:
        """Add tokens to the digest."""
        for token in tokens:
            self.hash.update(token.encode("utf-8", "surrogatepass") + b"\0")

    def met(self, item: Any) -> bool:
        """Whether a function or class was reached."""
        return id(item) in self.seen

    def _known(self, item: Any) -> bool:
        if id(item) in self.seen:
            self.put(f"again {self.seen[id(item)]}")
            return True
        self.seen[id(item)] = len(self.seen)
        self.kept.append(item)
        return False

    def value(self, item: Any) -> None:
        """Follow any value."""
        other = self.instead.get(type(item))
        if other is not None:
            self.put(type(item).__name__)
            self.value(other(item))
        elif isinstance(item, enum.Enum):
            self.put(f"enum {type(item).__name__}.{item.name}")
            self.value(item.value)
        elif isinstance(item, _PLAIN):
            shown = repr(item.replace(_ROOT, "") if isinstance(item, str) else item)
            self.put(f"{type(item).__name__} {shown}")
        elif isinstance(item, np.ndarray):
            self.put(f"array {item.dtype} {item.shape}")
            self.value(item.tolist()) if item.dtype.hasobject else self.hash.update(item.tobytes())
        elif isinstance(item, np.generic):
            self.put(f"scalar {item.dtype} {item.tolist()!r}")
        elif isinstance(item, type):
            self.class_(item)
        elif isinstance(item, FunctionType):
            self.function(item)
        elif isinstance(item, ModuleType):
            self.module(item)
        else:
            self.compound(item)

    def compound(self, item: Any) -> None:
        """Containers, dataclasses, wrappers, and instances of other classes."""
        if isinstance(item, Mapping):
            self.put(f"mapping {len(item)}")
            named = all(isinstance(key, str) for key in item)  # often made from sets, whose order changes
            for key, entry in sorted(item.items(), key=lambda pair: pair[0]) if named else item.items():
                self.value(key)
                self.value(entry)
        elif isinstance(item, tuple | list):
            self.put(f"{'tuple' if isinstance(item, tuple) else 'list'} {len(item)}")
            for entry in item:
                self.value(entry)
        elif isinstance(item, Set):
            self.put(f"set {len(item)}", *sorted(self._apart(entry) for entry in item))
        elif isinstance(item, functools.partial):
            self.put("partial")
            self.value((item.func, item.args, item.keywords))
        elif isinstance(item, MethodType):
            self.put("method")
            self.value((item.__self__, item.__func__))
        elif isinstance(item, staticmethod | classmethod):
            self.value(item.__func__)
        elif isinstance(item, property):
            self.value((item.fget, item.fset))
        elif isinstance(item, functools.cached_property):
            self.value(item.func)
        elif hasattr(item, "__wrapped__"):
            self.value(item.__wrapped__)
        elif is_dataclass(item):
            self.class_(type(item))
            left_out = self.skip.get(type(item), frozenset())
            for field in fields(item):
                if field.name not in left_out:
                    self.put(f"field {field.name}")
                    self.value(getattr(item, field.name))
        elif isinstance(item, PurePath):  # the folder it stands in is this machine's
            self.put(f"path {item.name if item.suffix else ''}")
        elif isinstance(item, TypeVar):
            self.put(f"type variable {item.__name__}")
        elif hasattr(item, "__origin__") or hasattr(item, "__args__"):  # types with parameters, and unions of types
            self.put(f"type {type(item).__name__}")
            self.value((getattr(item, "__origin__", None), item.__args__))
        elif isinstance(item, re.Pattern):
            self.put(f"pattern {item.pattern!r} {item.flags}")
        elif _is_sympy(item):
            self.sympy(item)
        else:
            self.instance(item)

    def _apart(self, item: Any) -> str:
        """The digest of one item by itself, for collections without an order."""
        return Walk(self.skip, self.opaque, self.instead).digest(item)

    def sympy(self, item: Any) -> None:
        """An expression by its functions and arguments; the order of what commutes does not count."""
        self.put(_expression(item))

    def instance(self, item: Any) -> None:
        """An object of a class that is no dataclass: a callable or value of a library, or state of our own."""
        kind = type(item)
        if isinstance(item, BuiltinFunctionType) or not is_project(kind.__module__):
            self.put(
                _library(kind.__module__, "" if kind.__name__.startswith("_") else kind.__qualname__), _shown(item)
            )
            return
        self.class_(kind)
        if not self._known(item):
            for name, entry in sorted(getattr(item, "__dict__", {}).items()):
                self.put(f"state {name}")
                self.value(entry)

    def module(self, item: ModuleType) -> None:
        """A module that is used as a value, or names of which are computed: its whole source, or a library's name."""
        if self.opaque(item.__name__) or not is_project(item.__name__) or item.__file__ is None:
            self.put("module" if is_project(item.__name__) else _library(item.__name__))
            return
        self.put("module", file_digest(item.__file__))

    def class_(self, kind: type) -> None:
        """A class with all it defines, and its bases; one made by a library's call, without a module, by its name."""
        if kind.__module__ is None or not is_project(kind.__module__):
            self.put(_library(kind.__module__ or "", kind.__qualname__))
            return
        if self.opaque(kind.__module__):
            self.put("elsewhere")
            return
        self.put("class")
        if self._known(kind):
            return
        self.put(kind.__name__)
        if issubclass(kind, enum.Enum):
            self.put(*(f"{member.name} {member.value!r}" for member in kind))
            for name, entry in sorted(vars(kind).items()):
                if isinstance(entry, FunctionType | property | staticmethod | classmethod) and not _generated(entry):
                    self.put(f"attribute {name}")
                    self.value(entry)
            return
        for base in kind.__bases__:
            self.value(base)
        if is_dataclass(kind):
            params = getattr(kind, "__dataclass_params__", None)
            self.put(*(f"{n}={getattr(params, n, None)}" for n in ("eq", "order", "frozen")))
            left_out = self.skip.get(kind, frozenset())  # a field of words may come and go
            for field in fields(kind):
                if field.name in left_out:
                    continue
                self.put(f"{field.name} {field.init} {field.compare}")
                made = field.default_factory if callable(field.default_factory) else None
                self.value(made)
        for name, entry in sorted(vars(kind).items()):
            if name in _CLASS_NOISE or _generated(entry):
                continue
            self.put(f"attribute {name}")
            self.value(entry)

    def function(self, item: FunctionType) -> None:
        """A function: its source, what it holds, and what the global names in it stand for."""
        code, where = item.__code__, item.__module__
        if _compiled(item):
            self.put("written at run time", _text_digest(code))
            return
        if not is_project(where):
            self.put(_library(where, item.__qualname__))
            return
        if self.opaque(where):
            self.put("elsewhere")
            return
        self.put("function")
        if self._known(item):
            return
        content, names, paths, imports = _content(item)
        self.put(content)
        for name, cell in zip(code.co_freevars, item.__closure__ or (), strict=True):
            self.put(f"holds {name}")
            try:
                self.value(cell.cell_contents)
            except ValueError:  # not filled yet
                self.put("empty")
        self.value((item.__defaults__, item.__kwdefaults__))
        for name in names:
            self.put(f"name {name}")
            if name in item.__globals__:
                self._global(item.__globals__[name], paths.get(name, ()))
            else:
                self.put("builtin" if hasattr(builtins, name) else "missing")
        for module, name in imports:
            if is_project(module) or module.partition(".")[0] == where.partition(".")[0]:
                found = import_module(module)
                self.value(getattr(found, name) if name else found)
            else:
                self.put(_library(module, name))

    def _global(self, item: Any, paths: tuple[tuple[str, ...], ...]) -> None:
        """A global value; of a module, only the attributes that are used."""
        if not isinstance(item, ModuleType) or not is_project(item.__name__) or self.opaque(item.__name__):
            self.value(item)
            return
        for path in paths:
            found: Any = item
            for step in path:
                if not isinstance(found, ModuleType):
                    break
                found = getattr(found, step, None)
            self.value(found)


def _library(module: str, name: str = "") -> str:
    """A library's object by name; in which private module it stands differs between versions."""
    top, *inner = module.split(".")
    return "library " + ".".join(
        [top.lstrip("_"), *(part for part in inner if part[:1] != "_"), *([name] if name else [])]
    )


def _shown(item: Any) -> str:
    """The name of a library's callable, or its value as text; of what holds settings that change, nothing."""
    name = getattr(item, "__qualname__", None) or getattr(item, "__name__", None)
    if isinstance(item, BuiltinFunctionType):
        return f"{item.__module__} {name}"
    shown = name if isinstance(name, str) else re.sub(r" at 0x[0-9a-f]+", "", repr(item))
    return "" if "\n" in shown else shown


def _is_sympy(item: Any) -> bool:
    basic = sys.modules.get("sympy")
    return basic is not None and isinstance(item, basic.Basic)


def _text_digest(code: CodeType) -> str:
    """The digest of code made from text, by that text where it was kept, else by what this Python made of it."""
    text = "".join(linecache.getlines(code.co_filename))
    if text:
        return node_digest(ast.parse(text))
    return sha256(repr((code.co_code, code.co_consts, code.co_names)).encode()).hexdigest()


@cache
def _at_hand(file: str) -> bool:
    return Path(file).is_file()


def _compiled(item: FunctionType) -> bool:
    """Whether a function was made from text at run time, such as sympy's numeric forms."""
    return not _at_hand(item.__code__.co_filename)


def _generated(entry: Any) -> bool:
    """Whether a method was written by `dataclass` or `NamedTuple`, which parameters and fields say already."""
    entry = entry.__func__ if isinstance(entry, staticmethod | classmethod) else entry
    return isinstance(entry, FunctionType) and _compiled(inspect.unwrap(entry))


_GLOBAL = dis.opmap["LOAD_GLOBAL"]
_LOADS = {_GLOBAL, dis.opmap["LOAD_NAME"]}


def _loaded(code: CodeType) -> Iterator[str]:
    """The global names that code loads, those of the functions inside included; `dis` takes ten times as long."""
    steps, high = code.co_code, 0
    for operation, low in zip(steps[::2], steps[1::2], strict=True):
        place = high | low
        high = place << 8 if operation == dis.EXTENDED_ARG else 0
        if operation in _LOADS:
            yield code.co_names[place >> 1 if operation == _GLOBAL else place]  # its last bit says: to be called
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _loaded(constant)


@cache
def _expression(item: Any) -> str:
    """SHA-256 of a sympy expression by its functions and arguments; the order of what commutes does not count."""
    if item.args:
        parts = [_expression(a) for a in item.args]
        words = [type(item).__name__, *(sorted(parts) if item.is_Add or item.is_Mul else parts)]
    else:
        assumed = sorted(k for k, v in item.assumptions0.items() if v) if item.is_Symbol else []
        words = [f"{type(item).__name__} {item}", *assumed]
    return sha256("\0".join(words).encode()).hexdigest()


_Content = tuple[str, tuple[str, ...], dict[str, tuple[tuple[str, ...], ...]], tuple[tuple[str, str], ...]]
_contents: dict[tuple[str, CodeType], _Content] = {}


def _content(item: FunctionType) -> _Content:
    """(digest of the source, global names, attribute paths by name, imports inside); kept by code object."""
    code = item.__code__
    key = (code.co_filename, code)
    if key not in _contents:
        package = item.__globals__.get("__package__") or ""
        kept = _kept.key(code, package) if _at_hand(code.co_filename) else ""
        there = _kept.get(kept) if kept else None
        if there is None:
            _contents[key] = _content_of(item, package)
            _kept.put(kept, _contents[key])
        else:
            content, names, paths, imports = there
            chains = {name: tuple(map(tuple, found)) for name, found in paths.items()}
            _contents[key] = (content, tuple(names), chains, tuple((module, name) for module, name in imports))
    return _contents[key]


_kept = Kept(__file__, normal_form.__file__)


def _content_of(item: FunctionType, package: str) -> _Content:
    code, node = item.__code__, code_node(item)
    if node is None:
        raise ValueError(f"{item.__module__}.{item.__qualname__}: its source is not at hand, so it has no digest")
    content, parts = node_digest(node), nodes(node)
    if uses_names_at_run_time(parts):
        content += file_digest(code.co_filename)
    return content, tuple(sorted(set(_loaded(code)))), _paths(parts), _imports(node, parts, package)


def _paths(parts: Iterable[ast.AST]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """For every name the chains of attributes it is used with; an empty chain where it is used alone."""
    found: dict[str, set[tuple[str, ...]]] = {}
    inner: set[int] = set()
    for part in parts:
        if id(part) in inner or not isinstance(part, ast.Attribute | ast.Name):
            continue
        path: list[str] = []
        base: ast.expr = part
        while isinstance(base, ast.Attribute):
            path.append(base.attr)
            base = base.value
            inner.add(id(base))
        if isinstance(base, ast.Name):
            found.setdefault(base.id, set()).add(tuple(reversed(path)))
    return {name: tuple(sorted(chains)) for name, chains in found.items()}


def _imports(node: ast.AST, parts: Sequence[ast.AST], package: str) -> tuple[tuple[str, str], ...]:
    """(module, name) of every import inside, outer ones first; the name is empty where a module itself is imported."""
    if not any(isinstance(part, ast.Import | ast.ImportFrom) for part in parts):
        return ()
    found: list[tuple[str, str]] = []
    for part in ast.walk(node):
        if isinstance(part, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - part.level + 1] if part.level else []
            module = ".".join([*parents, *([part.module] if part.module else [])])
            found += [(module, alias.name) for alias in part.names]
        elif isinstance(part, ast.Import):
            found += [(alias.name, "") for alias in part.names]
    return tuple(found)
