"""Algorithms that need a network's outputs, in deep runs alone: losses of the clients' own, and work after aggregation.

One file each; a file that defines `ENTRY` is found. All else is in `theory.algorithms`, for both worlds.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal

from deep.features.flower import PREFIX, flower_server
from deep.features.seam import Batch, LocalLoss, LossStep, Refining
from theory.algorithms import (
    AlgorithmEntry,
    Client,
    Server,
    client_entries,
    make_client,
    make_server,
    server_entries,
)
from theory.base.call_text import build_from
from theory.base.names import known_name, unknown_name
from theory.base.parts import own_names, reference
from theory.rules.text import read_call

__all__ = ["Batch", "LocalLoss", "LossStep", "Refining", "client_of", "feature_entries", "server_of", "spelled"]


@cache
def feature_entries() -> tuple[AlgorithmEntry, ...]:
    """The `ENTRY` of every file here, by name."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    found: list[AlgorithmEntry] = [module.ENTRY for module in modules if hasattr(module, "ENTRY")]
    return tuple(sorted(found, key=lambda entry: entry.name))


def client_of(text: str) -> Client:
    """The client algorithm that `text` names, here or in `theory.algorithms`; errors as `make_client`."""
    made: Client | None = _made("client", spelled("client", text))
    return make_client(text) if made is None else made


def server_of(text: str) -> Server:
    """The server that `text` names, here, in `theory.algorithms` or in Flower; errors as `make_server`."""
    flower = flower_server(text)
    if flower is not None:
        return flower
    made: Server | None = _made("server", spelled("server", text))
    return make_server(text) if made is None else made


def spelled(kind: Literal["client", "server"], text: str) -> str:
    """`text` with the name of its client or server as the registries spell it: "FedProx(mu=1)" is "fed-prox(mu=1)".

    Names of other packages stay as they are; `ValueError` with the nearest names for one that is nobody's.
    """
    name, _ = read_call(text, kind)
    if name.startswith(PREFIX) and kind == "server":
        return text
    ours = [entry.name for entry in (client_entries if kind == "client" else server_entries)()]
    known = [*ours, *(entry.name for entry in feature_entries() if entry.kind == kind)]
    if name not in known and (name in own_names(kind) or reference(name)):
        return text
    found = known_name(name, known)
    if found not in known:
        raise unknown_name(kind, name, known)
    return text.replace(name, found, 1)


def _made(kind: str, text: str) -> Any:
    name, settings = read_call(text, kind)
    entry = next((entry for entry in feature_entries() if (entry.kind, entry.name) == (kind, name)), None)
    if entry is None:
        return None
    unknown = sorted(set(settings) - set(entry.settings))
    if unknown:
        raise ValueError(f"{kind} {name!r} has no setting {unknown}; its settings are {list(entry.settings)}")
    return build_from(entry.build, settings, f"{kind} {name!r}")
