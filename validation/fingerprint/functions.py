"""What a function computes: its source, what it holds, and what the global names in it stand for.

A walk meets functions and hands them over; whatever they lead to goes back to it.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path, PurePath
from types import CodeType, FunctionType, ModuleType
from typing import Any, Protocol

from validation.fingerprint.library_values import library_name
from validation.fingerprint.normal_form import text_digest
from validation.fingerprint.project import is_project
from validation.fingerprint.source import Source, UnreadableError, has_file, source_of
from validation.fingerprint.words import ANY, words_in_code

__all__ = ["attributes", "follow_function", "is_generated"]

__judges__ = "no"

_ABOUT_MODULES = {"__file__", "__name__", "__package__", "__spec__", "__loader__", "__path__", "__doc__"}


class Walked(Protocol):
    """What a walk offers to those who follow a part of it."""

    opaque: Callable[[str], bool]
    unread: list[str]
    errors: list[str]
    reads_errors: bool
    words: set[str]

    def put(self, *tokens: str) -> None:
        """Add tokens to the digest."""

    def value(self, item: Any) -> None:
        """Follow any value."""

    def met(self, item: Any) -> bool:
        """Whether a function or class was reached."""

    def known(self, item: Any) -> bool:
        """Whether it was met before, which is then said; from now on it is."""

    def within(self, module: str, name: str) -> AbstractContextManager[None]:
        """Inside of a function or class."""

    def tested(self) -> bool:
        """Whether settings and files of the code that is being read are known to change nothing, nor keys it makes."""

    def apart(self, item: Any) -> str:
        """The digest of one item by itself."""

    def cannot_read(self, what: str) -> None:
        """Book what has no digest."""

    def content_of_file(self, file: Path) -> None:
        """Follow a file."""


def follow_function(walk: Walked, item: FunctionType) -> None:
    """A function: its source, what it holds, and what the global names in it stand for."""
    where = str(item.__globals__.get("__name__") or item.__module__)
    if not has_file(item.__code__.co_filename):
        with walk.within(where, item.__qualname__):
            _written_at_run_time(walk, item)
        return
    if not is_project(where):
        with walk.within(where, item.__qualname__):
            _library_function(walk, item, where)
        return
    if walk.opaque(where):
        walk.put("elsewhere")
        return
    walk.put("function")
    if walk.known(item):
        return
    with walk.within(where, item.__qualname__):
        try:
            source = source_of(item)
        except UnreadableError as error:
            walk.unread.append(str(error))
            return
        _project_function(walk, item, source)


def _project_function(walk: Walked, item: FunctionType, source: Source) -> None:
    walk.put(source.digest)
    walk.words.update(word for word in source.words if word != ANY or not walk.tested())
    held = dict(zip(item.__code__.co_freevars, item.__closure__ or (), strict=True))
    shown = source.variables
    for name in sorted(held, key=lambda n: (n in shown, int(shown[n][1:]) if shown.get(n, "")[:1] == "#" else 0, n)):
        walk.put(f"holds {shown.get(name, name)}")
        _cell(walk, held[name])
    walk.value((item.__defaults__, item.__kwdefaults__))
    walk.value(attributes(item))
    for name, written in source.names:
        _global(walk, item.__globals__, name, written, source.chains.get(name, ()))
    for module, name, written in source.imports:
        walk.put(f"import {written}")
        _imported(walk, item, module, name)
    if not walk.tested():
        _surroundings(walk, item, source)


def _cell(walk: Walked, cell: Any) -> None:
    try:
        held = cell.cell_contents
    except ValueError:  # not filled yet
        walk.put("empty")
        return
    walk.value(held)


def _global(
    walk: Walked, space: Mapping[str, Any], name: str, written: str, chains: tuple[tuple[str, ...], ...]
) -> None:
    """What a global name stands for: of a module, only the attributes that are used."""
    walk.put(f"name {written}")
    if name in _ABOUT_MODULES:
        return
    if name not in space:
        made = getattr(builtins, name, None)
        walk.put("builtin" if hasattr(builtins, name) else "missing")
        if isinstance(made, FunctionType) and is_project(made.__module__):
            walk.value(made)  # put there by somebody
        return
    item = space[name]
    if not isinstance(item, ModuleType) or walk.opaque(item.__name__):
        walk.value(item)
        return
    ours = is_project(item.__name__)
    if not ours:
        walk.put(library_name(item.__name__))
    for path in chains:
        found: Any = item
        for step in path:
            if not isinstance(found, ModuleType):
                break
            found = getattr(found, step, None)
        if ours or _put_there(found):
            walk.value(found)


def _imported(walk: Walked, item: FunctionType, module: str, name: str) -> None:
    where = str(item.__globals__.get("__name__") or "")
    if not is_project(module) and module.partition(".")[0] != where.partition(".")[0]:
        walk.put(library_name(module, name))
        return
    found = import_module(module)
    if not name:
        walk.value(found)
    else:
        walk.value(getattr(found, name) if hasattr(found, name) else import_module(f"{module}.{name}"))


def _surroundings(walk: Walked, item: FunctionType, source: Source) -> None:
    """What a paper's function reads outside of the program, and the words of errors that others may look into."""
    walk.errors.append(source.raises)
    walk.reads_errors |= source.reads_errors
    for key in source.environment:
        if key is None:
            walk.cannot_read("keys of the environment that only a run knows")
        else:
            walk.put(f"environment {key}")
            walk.value(os.environ.get(key))
    if source.files is None:
        return
    held = [item.__globals__.get(name) for name, _ in source.names if name not in _ABOUT_MODULES]
    names = [*source.files, *(h for h in held if isinstance(h, str | PurePath))]
    folder = Path(item.__code__.co_filename).parent
    found = {p for name in names for base in (folder, Path.cwd()) if name and _is_file(p := base / name)}
    if not found and not walk.met(_table_reader()):
        walk.cannot_read("a file whose name only a run knows")
    for file in sorted(found):
        walk.content_of_file(file)


def _library_function(walk: Walked, item: FunctionType, where: str) -> None:
    """A function of a library by name; one that was made around something, with that."""
    walk.put(library_name(where, item.__code__.co_qualname))
    registered = getattr(item, "registry", None)
    if isinstance(registered, Mapping) and hasattr(item, "dispatch"):
        walk.put("by type", *sorted(walk.apart(pair) for pair in registered.items()))
    elif item.__closure__:
        for cell in item.__closure__:
            _cell(walk, cell)


def _written_at_run_time(walk: Walked, item: FunctionType) -> None:
    """A function made from text: that text where it was kept, else its code; and what it loads."""
    code = item.__code__
    walk.put("written at run time", _text_of(code))
    walk.words.update(_words_of(code))
    walk.value((item.__defaults__, item.__kwdefaults__))
    for cell in item.__closure__ or ():
        _cell(walk, cell)
    for name in sorted(set(_all_names(code))):
        held = item.__globals__.get(name)
        if held is None or held is item or isinstance(held, ModuleType):
            continue
        if _put_there(held) or not callable(held):
            walk.put(f"name {name}")
            walk.value(held)


def _put_there(item: Any) -> bool:
    """Whether a value found in a library's place is none of a library: somebody put it there."""
    if isinstance(item, ModuleType):
        return False
    if isinstance(item, FunctionType):
        return is_project(str(item.__globals__.get("__name__") or "")) and not is_generated(item)
    return is_project(type(item).__module__)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a text that is no path
        return False


@cache
def _table_reader() -> Callable[..., Any]:
    """The function by which papers read their published tables, which count whole wherever it is reached."""
    from validation.published.tables import load_table

    return load_table


def _text_of(code: CodeType) -> str:
    text = "".join(linecache.getlines(code.co_filename))
    if text:
        return text_digest(text)
    return sha256(repr((code.co_code, code.co_consts, code.co_names)).encode()).hexdigest()


def _words_of(code: CodeType) -> Iterable[str]:
    """The words of code that was made from text; all there can be where that text was not kept."""
    text = "".join(linecache.getlines(code.co_filename))
    return words_in_code(list(ast.walk(ast.parse(text))), whole=False) if text else (ANY,)


def _all_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_names(constant)


def is_generated(entry: Any) -> bool:
    """Whether a method was written from text, as by `dataclass` or `NamedTuple`."""
    entry = entry.__func__ if isinstance(entry, staticmethod | classmethod) else entry
    return isinstance(entry, FunctionType) and not has_file(inspect.unwrap(entry).__code__.co_filename)


def attributes(item: Any) -> dict[str, Any]:
    """What was hung on a function."""
    return {k: v for k, v in vars(item).items() if k != "__wrapped__" and k[:2] != "__" and k != "pytestmark"}
