"""A package whose names are imported when they are first used, so that a command pays for what it needs alone."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

__all__ = ["lazily"]


def lazily(package: str, file: str) -> Callable[[str], object]:
    """The `__getattr__` of a package: it imports what the file imports under ``if TYPE_CHECKING:``, name by name.

    A name that is also that of the module it comes from stays what it is when that module is imported first.
    """
    places = {
        alias.asname or alias.name: (node.module or "", alias.name)
        for block in ast.parse(Path(file).read_text(encoding="utf-8")).body
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    class Package(ModuleType):
        def __setattr__(self, name: str, value: object) -> None:
            if isinstance(value, ModuleType) and places.get(name) == (value.__name__, name):
                value = getattr(value, name)  # importing a module sets it in its package
            super().__setattr__(name, value)

        def __reduce__(self) -> tuple[Callable[[str], ModuleType], tuple[str]]:
            return import_module, (package,)  # pickled by name, as Ray and Dask do with plain modules

    sys.modules[package].__class__ = Package

    def found(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, of = places[name]
        value = import_module(f"{package}.{of}") if module == package else _member(module, of)
        setattr(sys.modules[package], name, value)
        return value

    return found


def _member(module: str, name: str) -> object:
    """What ``from module import name`` gives: an attribute of the module, or else its submodule of that name."""
    owner = import_module(module)
    return getattr(owner, name) if hasattr(owner, name) else import_module(f"{module}.{name}")
