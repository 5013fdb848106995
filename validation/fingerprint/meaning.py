"""What a Python object computes, as a digest: the code it reaches and the values it holds, wherever they are.

A walk starts at an object and follows it into containers, dataclasses, closures, defaults, and every global name that
a function's code loads, into classes with all their methods. Project code counts in the normal form of its source, so
names of functions, classes and variables, comments, docstrings, texts of errors and the places of modules do not
matter; functions and classes of libraries count by name, their values by content. What cannot be read has no digest.
"""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import MISSING, fields, is_dataclass
from hashlib import sha256
from pathlib import Path, PurePath
from types import FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, TypeVar

import numpy as np

from validation.fingerprint.expressions import expression_digest, functions_inside, is_expression, letters_inside
from validation.fingerprint.functions import attributes, follow_function, is_generated
from validation.fingerprint.library_values import content, is_descriptor, library_name, mapping_items, state
from validation.fingerprint.normal_form import file_digest
from validation.fingerprint.passages import Passages
from validation.fingerprint.project import is_project
from validation.fingerprint.source import UnreadableError
from validation.fingerprint.words import names_that_match, words_of

__all__ = ["Walk", "meaning"]

__judges__ = "no"

_ROOT = str(Path(__file__).parents[2])  # where this is installed, which means nothing
# Settings, caches and files of these leave results as they are, which their own tests check.
_TESTED = ("theory", "deep", "validation")

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented))
_CONTAINERS = (dict, list, tuple, set, frozenset, bytearray, MappingProxyType)
_CLASS_NOISE = {
    "__annotations__", "__dataclass_fields__", "__dataclass_params__", "__dict__", "__doc__", "__firstlineno__",
    "__match_args__", "__module__", "__orig_bases__", "__parameters__", "__protocol_attrs__", "__qualname__",
    "__slots__", "__slotnames__", "__static_attributes__", "__subclasshook__", "__weakref__",
    "__abstractmethods__", "_abc_impl", "_is_protocol", "_is_runtime_protocol", "__non_callable_proto_members__",
    "__annotate_func__", "__annotations_cache__",
}  # fmt: skip
# Methods that `dataclass`, `NamedTuple` and enumerations write: parameters and fields say what they do.
_WRITTEN = {
    "__init__", "__repr__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__setattr__", "__delattr__",
    "__replace__", "__getstate__", "__setstate__", "__new__", "_generate_next_value_", "__getnewargs__",
}  # fmt: skip


def meaning(*roots: Any) -> str:
    """SHA-256 of what the roots mean, nothing left out. Raises `UnreadableError` naming what cannot be read."""
    return Walk().digest(*roots)


class Walk:
    """One walk from roots; functions and classes met again count as the place where they were met first.

    `skip`: fields of a class that mean nothing. `reasons`: fields that may hold a text, which then counts as a text.
    `opaque(module)`: code of these modules counts as nothing at all. `instead[type](value)`: what is followed in place
    of a value of that class. `named[type](value)`: what an instance holds by name; that alone counts of which the name
    is a word that something reached by the walk can use. `unread`: what could not be read, each with who holds it.
    """

    def __init__(
        self,
        skip: Mapping[type, Set[str]] | None = None,
        opaque: Callable[[str], bool] | None = None,
        instead: Mapping[type, Callable[[Any], Any]] | None = None,
        reasons: Mapping[type, Set[str]] | None = None,
        named: Mapping[type, Callable[[Any], Mapping[str, object]]] | None = None,
    ) -> None:
        self.skip, self.opaque, self.instead = skip or {}, opaque or (lambda _: False), instead or {}
        self.reasons, self.named = reasons or {}, named or {}
        self.words: set[str] = set()  # that can be keys, and patterns of such
        self.used: set[str] = set()  # names of theirs that count
        self.held: set[int] = set()
        self.by_name: list[Mapping[str, object]] = []  # what instances of `named` hold
        self.seen: dict[int, int] = {}
        self.kept: list[Any] = []  # so that no id is used twice
        self.text = Passages()
        self.unread: list[str] = []
        self.trail: list[tuple[str, str]] = []  # (module, name) of the functions and classes around
        self.open: list[int] = []  # values of libraries and containers that are being read
        self.arounds = 0  # how often one of them was met inside of itself
        self.errors: list[str] = []
        self.reads_errors = False

    def digest(self, *roots: Any) -> str:
        """The digest of all roots, in order. Raises `UnreadableError` naming what cannot be read."""
        for root in roots:
            self.value(root)
        if self.reads_errors:
            self.put("errors", *self.errors)
        known = {(name, repr(said)) for held in self.by_name for name, said in held.items()}
        self.used = names_that_match({name for name, _ in known}, self.words)
        self.put(*(f"named {name} {said}" for name, said in sorted(known) if name in self.used))
        if self.unread:
            raise UnreadableError("; ".join(dict.fromkeys(self.unread)))
        return self.text.hexdigest()

    def put(self, *tokens: str) -> None:
        """Add tokens to the digest."""
        for token in tokens:
            self.text.write(token.encode("utf-8", "surrogatepass") + b"\0")

    def _booked(self) -> tuple[int, ...]:
        """How much was met for the first time, or written as what lies around it."""
        return len(self.seen), len(self.unread), len(self.errors), self.reads_errors, self.arounds

    def met(self, item: Any) -> bool:
        """Whether a function or class was reached."""
        return id(item) in self.seen

    def known(self, item: Any) -> bool:
        """Whether it was met before, which is then said; from now on it is."""
        if id(item) in self.seen:
            self.put(f"again {self.seen[id(item)]}")
            return True
        self.seen[id(item)] = len(self.seen)
        self.kept.append(item)
        return False

    @contextmanager
    def within(self, module: str, name: str) -> Iterator[None]:
        """Inside of a function or class."""
        self.trail.append((module, name))
        yield
        self.trail.pop()

    def cannot_read(self, what: str) -> None:
        """Book what has no digest, with who holds it."""
        holder = ".".join(self.trail[-1]) if self.trail else ""
        self.unread.append(what + (f", held by {holder}" if holder else ""))

    def tested(self) -> bool:
        """Whether what is being read belongs to code of ours.

        Tests show that its settings and files change nothing, and that it makes no letter's name out of others.
        """
        return bool(self.trail) and self.trail[-1][0].partition(".")[0] in _TESTED

    def value(self, item: Any) -> None:
        """Follow any value."""
        kind = type(item)
        other = self.instead.get(kind)
        if kind in self.named:
            self.put("held by name")
            self._hold(item)
        elif other is not None:
            self.put("instead")
            self.value(other(item))
        elif isinstance(item, enum.Enum):
            self.put(f"enum {item.name}")
            self.value(item.value)
        elif kind in _PLAIN:
            if isinstance(item, str):
                self.words |= words_of(item)
            shown = repr(item.replace(_ROOT, "") if isinstance(item, str) else item)
            self.put(f"{kind.__name__} {shown}")
        elif isinstance(item, np.ndarray):
            self._array(item)
        elif isinstance(item, np.generic):
            self.put(f"scalar {item.dtype} {item.tolist()!r}")
        elif isinstance(item, type):
            self.class_(item)
        elif isinstance(item, FunctionType):
            self.function(item)
        elif isinstance(item, ModuleType):
            self.module(item)
        elif isinstance(item, PurePath):
            self._path(item)
        elif isinstance(item, ContextVar):
            self._variable(item)
        else:
            self.compound(item)

    def _hold(self, item: Any) -> None:
        """Keep what counts by name; how many of them there are does not."""
        if id(item) not in self.held:
            self.held.add(id(item))
            self.kept.append(item)
            self.by_name.append(self.named[type(item)](item))

    def _array(self, item: np.ndarray[Any, Any]) -> None:
        self.put(f"array {item.dtype} {item.shape}")
        if item.dtype.hasobject:
            self.value(np.asarray(item).tolist())
        else:
            self.text.write(np.ascontiguousarray(item).tobytes())
        if type(item) is not np.ndarray:
            self._own_state(item)

    def _path(self, item: PurePath) -> None:
        """A path by its last part, as the folder it is in is this machine's; a file that a paper reads by content."""
        self.put(f"path {item.name if item.suffix else ''}")
        if isinstance(item, Path) and item.suffix and not self.tested() and item.is_file():
            self.content_of_file(item)

    def content_of_file(self, file: Path) -> None:
        """Follow a file by its content."""
        try:
            self.put(f"file {sha256(file.read_bytes()).hexdigest()}")
        except OSError as error:
            self.cannot_read(f"the file {file} ({error.strerror})")

    def _variable(self, item: ContextVar[Any]) -> None:
        self.put("variable of a context")
        if not self.tested():
            self.value(item.get(None))

    def compound(self, item: Any) -> None:
        """Containers, dataclasses, wrappers, and instances of other classes."""
        if isinstance(item, functools.partial):
            self.put("partial")
            self.value((item.func, item.args, item.keywords))
        elif isinstance(item, MethodType):
            self.put("method")
            self.value((item.__self__, item.__func__))
        elif isinstance(item, staticmethod | classmethod):
            self.value(item.__func__)
        elif isinstance(item, property):
            self.value((item.fget, item.fset, item.fdel))
        elif isinstance(item, functools.cached_property):
            self.value(item.func)
        elif isinstance(item, functools._lru_cache_wrapper):
            self.value(item.__wrapped__)
            self.value(attributes(item))
        elif is_dataclass(item):
            self.text.of(item, self.tested(), self._booked, lambda: self._dataclass(item))
        elif isinstance(item, TypeVar):
            self.put(f"type variable {item.__name__}")
        elif hasattr(item, "__origin__") or hasattr(item, "__args__"):  # types with parameters, and unions of types
            self.put(f"type {type(item).__name__}")
            self.value((getattr(item, "__origin__", None), item.__args__))
        elif isinstance(item, re.Pattern):
            self.put(f"pattern {item.pattern!r} {item.flags}")
        elif is_expression(item):
            self.sympy(item)
        elif id(item) in self.open:
            self.arounds += 1
            self.put(f"around {len(self.open) - self.open.index(id(item))}")
        else:
            self.open.append(id(item))
            self._holding(item)
            self.open.pop()

    def _holding(self, item: Any) -> None:
        """What may hold itself: containers, and instances of classes that are no dataclasses."""
        if isinstance(item, (*_CONTAINERS, *_PLAIN, Mapping, Set)) and not _is_library_view(item):
            self._contained(item)
            if type(item) not in _CONTAINERS:
                self._own_state(item)
        elif is_project(type(item).__module__):
            self.instance(item)
        else:
            self._of_library(item)

    def _contained(self, item: Any) -> None:
        """What a container holds, or a number or text that is more than that."""
        if isinstance(item, _PLAIN):
            base: Any = next(b for b in type(item).__mro__ if b in _PLAIN)
            if isinstance(item, str):
                self.words |= words_of(str.__str__(item))
            self.put(f"{base.__name__} {base.__repr__(item)}")
        elif isinstance(item, bytearray):
            self.put(f"bytearray {bytes(item)!r}")
        elif isinstance(item, Mapping):
            self.put(f"mapping {len(item)}")
            for key, entry in mapping_items(item):
                self.value(key)
                self.value(entry)
        elif isinstance(item, tuple | list):
            counted = [entry for entry in item if type(entry) not in self.named]
            self.put(f"{'tuple' if isinstance(item, tuple) else 'list'} {len(counted)}")
            for entry in counted:
                self.value(entry)
            for entry in item:
                if type(entry) in self.named:
                    self._hold(entry)
        else:
            self.put(f"set {len(item)}", *sorted(self.apart(entry) for entry in item))

    def _own_state(self, item: Any) -> None:
        """The class of a container that is more than one, and what such an instance holds beside its entries."""
        self.class_(type(item))
        for name, entry in state(item):
            self.put(f"state {name}")
            self.value(entry)

    def _dataclass(self, item: Any) -> None:
        self.class_(type(item))
        left_out = self.skip.get(type(item), frozenset())
        reasons = self.reasons.get(type(item), frozenset())
        named = {field.name for field in fields(item)}
        self.words |= named
        for field in fields(item):
            if field.name not in left_out:
                held = getattr(item, field.name)
                self.put(f"field {field.name}")
                self.value("a text" if field.name in reasons and isinstance(held, str) else held)
        for name, entry in state(item):
            if name not in named:
                self.put(f"state {name}")
                self.value(entry)

    def apart(self, item: Any) -> str:
        """The digest of one item by itself, for collections without an order."""
        other = Walk(self.skip, self.opaque, self.instead, self.reasons, self.named)
        other.trail, other.open, other.words = self.trail, self.open, self.words
        other.held, other.by_name = self.held, self.by_name
        other.value(item)
        self.unread += other.unread
        self.errors += other.errors
        self.reads_errors |= other.reads_errors
        self.kept.append(other.kept)
        self.arounds += other.arounds
        return other.text.hexdigest()

    def sympy(self, item: Any) -> None:
        """An expression by its functions and arguments; the order of what commutes does not count."""
        self.put(expression_digest(item))
        self.words |= letters_inside(item)
        for kind in functions_inside(item):
            self.class_(kind) if is_project(kind.__module__ or "") else self.value(getattr(kind, "_imp_", None))

    def instance(self, item: Any) -> None:
        """An object of a class of ours that is no dataclass: its class, and what it holds."""
        kind = type(item)
        self.class_(kind)
        if self.known(item):
            return
        for name, entry in state(item):
            self.put(f"state {name}")
            self.value(entry)
        if _holds_more(kind):
            self._read(item)

    def _of_library(self, item: Any) -> None:
        if isinstance(item, functools.singledispatchmethod):
            self.value(item.dispatcher)
        elif hasattr(item, "__wrapped__") and is_project(getattr(item.__wrapped__, "__module__", None) or ""):
            self.value(item.__wrapped__)
            self.value(attributes(item))
        else:
            self._read(item)

    def _read(self, item: Any) -> None:
        found = content(item)
        if found is None:
            kind = type(item)
            self.cannot_read(f"a {kind.__module__}.{kind.__qualname__}")
            return
        sort, parts = found
        self.put(sort)
        for part in parts:
            self.value(part)

    def module(self, item: ModuleType) -> None:
        """A module that is used as a value, or names of which are computed: its whole source, or a library's name."""
        if self.opaque(item.__name__) or not is_project(item.__name__) or item.__file__ is None:
            self.put("module" if is_project(item.__name__) else library_name(item.__name__))
            return
        self.put("module", file_digest(item.__file__))

    def class_(self, kind: type) -> None:
        """A class with all it defines, and its bases; one made by a library's call, without a module, by its name."""
        if kind.__module__ is None or not is_project(kind.__module__):
            self.put(library_name(kind.__module__ or "", kind.__qualname__))
            return
        if self.opaque(kind.__module__):
            self.put("elsewhere")
            return
        self.put("class")
        if self.known(kind):
            return
        with self.within(kind.__module__, kind.__qualname__):
            self._defined(kind)

    def _defined(self, kind: type) -> None:
        if type(kind) is not type and is_project(type(kind).__module__):
            self.class_(type(kind))
        if issubclass(kind, enum.Enum):
            for name, member in kind.__members__.items():
                self.put(f"member {name}")
                self.value(member.value)
        for base in kind.__bases__:
            self.value(base)
        if is_dataclass(kind):
            self._fields(kind)
        for name, entry in sorted(vars(kind).items()):
            if name in _CLASS_NOISE or is_descriptor(entry) or (name in _WRITTEN and is_generated(entry)):
                continue
            if issubclass(kind, enum.Enum) and (name in kind.__members__ or name[:1] == "_"):
                continue
            self.put(f"attribute {name}")
            self.words.add(name)
            self.value(entry)

    def _fields(self, kind: type) -> None:
        params = getattr(kind, "__dataclass_params__", None)
        self.put(*(f"{n}={getattr(params, n, None)}" for n in ("eq", "order", "frozen")))
        left_out = self.skip.get(kind, frozenset())  # a field of words may come and go
        for field in fields(kind):
            if field.name in left_out:
                continue
            self.put(f"{field.name} {field.init} {field.compare} {field.kw_only}")
            for made in (field.default, field.default_factory):
                self.value(None if made is MISSING else made)

    def function(self, item: FunctionType) -> None:
        """A function: its source, what it holds, and what the global names in it stand for."""
        follow_function(self, item)


def _is_library_view(item: Any) -> bool:
    """Whether a mapping or set of a library is none of Python's own containers: its content is read as its state."""
    return not isinstance(item, (*_CONTAINERS, *_PLAIN)) and not is_project(type(item).__module__)


def _holds_more(kind: type) -> bool:
    """Whether instances have a content that neither dictionary nor slots show, as of a base written in C."""
    base = kind
    while base is not object and is_project(base.__module__):
        base = base.__base__ or object
    return base is not object and not issubclass(base, BaseException) and base.__module__ not in {"typing", "abc"}
