"""Every client algorithm and server optimiser that can be built by name: found, not listed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from theory.algorithms import clients, servers
from theory.algorithms.entry import AlgorithmEntry

__all__ = ["client_entries", "server_entries"]


@cache
def client_entries() -> tuple[AlgorithmEntry, ...]:
    """The `ENTRY` of every file in `theory.algorithms.clients`, by name."""
    return _found(clients.__name__, list(clients.__path__))


@cache
def server_entries() -> tuple[AlgorithmEntry, ...]:
    """The `ENTRY` of every file in `theory.algorithms.servers`, by name."""
    return _found(servers.__name__, list(servers.__path__))


def _found(package: str, path: list[str]) -> tuple[AlgorithmEntry, ...]:
    modules = [import_module(f"{package}.{module.name}") for module in iter_modules(path)]
    entries: list[AlgorithmEntry] = [module.ENTRY for module in modules if hasattr(module, "ENTRY")]
    return tuple(sorted(entries, key=lambda entry: entry.name))
