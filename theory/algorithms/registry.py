"""Every client algorithm and server optimiser that can be built by name: found, not listed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Literal

from theory.algorithms import clients, servers
from theory.algorithms.entry import AlgorithmEntry
from theory.base.parts import usable_parts

__all__ = ["client_entries", "own_entries", "server_entries"]


@cache
def client_entries() -> tuple[AlgorithmEntry, ...]:
    """The `ENTRY` of every file in `theory.algorithms.clients`, by name."""
    return _found(clients.__name__, list(clients.__path__))


@cache
def server_entries() -> tuple[AlgorithmEntry, ...]:
    """The `ENTRY` of every file in `theory.algorithms.servers`, by name."""
    return _found(servers.__name__, list(servers.__path__))


def own_entries() -> tuple[list[AlgorithmEntry], list[str]]:
    """(clients and servers that entry points bring and that can be made from their defaults, the others' faults)."""
    kinds: tuple[Literal["client", "server"], ...] = ("client", "server")
    both = {kind: usable_parts(kind) for kind in kinds}
    entries = [
        AlgorithmEntry(own.name, kind, own.value if own.makes else lambda own=own: own.value, own.place, own.says)
        for kind in kinds
        for own in both[kind][0]
    ]
    return entries, [fault for _, faults in both.values() for fault in faults]


def _found(package: str, path: list[str]) -> tuple[AlgorithmEntry, ...]:
    modules = [import_module(f"{package}.{module.name}") for module in iter_modules(path)]
    entries: list[AlgorithmEntry] = [module.ENTRY for module in modules if hasattr(module, "ENTRY")]
    return tuple(sorted(entries, key=lambda entry: entry.name))
