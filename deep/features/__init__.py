"""Algorithms that need a network's outputs, in deep runs alone: losses of the clients' own, and work after aggregation.

One file each; a file that defines `ENTRY` is found. All else is in `theory.algorithms`, for both worlds.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from deep.features.seam import Batch, LocalLoss, LossStep, Refining
from theory.algorithms import AlgorithmEntry, Client, Server, make_client, make_server
from theory.call_text import build_from
from theory.rules.text import read_call

__all__ = ["Batch", "LocalLoss", "LossStep", "Refining", "client_of", "feature_entries", "server_of"]


@cache
def feature_entries() -> tuple[AlgorithmEntry, ...]:
    """The `ENTRY` of every file here, by name."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    found: list[AlgorithmEntry] = [module.ENTRY for module in modules if hasattr(module, "ENTRY")]
    return tuple(sorted(found, key=lambda entry: entry.name))


def client_of(text: str) -> Client:
    """The client algorithm that `text` names, here or in `theory.algorithms`; errors as `make_client`."""
    made: Client | None = _made("client", text)
    return make_client(text) if made is None else made


def server_of(text: str) -> Server:
    """The server that `text` names, here or in `theory.algorithms`; errors as `make_server`."""
    made: Server | None = _made("server", text)
    return make_server(text) if made is None else made


def _made(kind: str, text: str) -> Any:
    name, settings = read_call(text, kind)
    entry = next((entry for entry in feature_entries() if (entry.kind, entry.name) == (kind, name)), None)
    if entry is None:
        return None
    unknown = sorted(set(settings) - set(entry.settings))
    if unknown:
        raise ValueError(f"{kind} {name!r} has no setting {unknown}; its settings are {list(entry.settings)}")
    return build_from(entry.build, settings, f"{kind} {name!r}")
