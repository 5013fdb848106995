"""Clients and servers from names and settings, or from a line of text: ``aware(server=fed-adam(lr=0.01))``."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, signature
from typing import Any, Literal

from theory.algorithms.client import Client
from theory.algorithms.registry import client_entries, server_entries
from theory.algorithms.server import Server
from theory.base.call_text import build_from
from theory.base.names import known_name, unknown_name
from theory.base.parts import built, own_names, own_part
from theory.rules.text import make_rule, read_call

__all__ = ["make_client", "make_server"]


def make_client(text: str, **settings: object) -> Client:
    """The client algorithm called `text` in the registry, with `settings`; `text` may hold them: ``fed-prox(mu=0.1)``.

    Read as rules are (`theory.rules.make_rule`): a name as people type it, parsed, never evaluated; settings without a
    default have the example's value. Raises `ValueError` naming the nearest names, the settings there are, or what is
    out of range.
    """
    made: Client = _made("client", text, settings)
    return made


def make_server(text: str, **settings: object) -> Server:
    """The server optimiser called `text` in the registry, with `settings`; read as `make_client`.

    >>> make_server("fed-avg-m(beta=0.5)")
    FedAvgM(beta=0.5, lr=1.0, nesterov=False)
    """
    made: Server = _made("server", text, settings)
    return made


def _made(kind: Literal["client", "server"], text: str, settings: Mapping[str, object]) -> Any:
    name, said = read_call(text, kind)
    twice = sorted(set(said) & set(settings))
    if twice:
        raise ValueError(f"{kind} {text!r}: {twice} are set in the text and again beside it")
    entries = {entry.name: entry for entry in (client_entries if kind == "client" else server_entries)()}
    if name in entries or name not in own_names(kind):
        name = known_name(name, entries)
    if name not in entries:
        own = own_part(kind, name)
        if own is None:
            raise unknown_name(kind, name, entries)
        return _checked(kind, built(own, {**said, **settings}), name)
    entry, given = entries[name], {**said, **settings}
    parameters = signature(entry.build).parameters
    unknown = sorted(set(given) - set(parameters))
    if unknown:
        raise ValueError(f"{kind} {name!r} has no setting {unknown}; its settings are {list(parameters) or 'none'}")
    required = {n for n, p in parameters.items() if p.default is Parameter.empty}
    complete = {**{n: v for n, v in entry.example.items() if n in required}, **given}
    ready = {n: _part(entry.parts[n], v, f"{name}({n}=…)") if n in entry.parts else v for n, v in complete.items()}
    return build_from(entry.build, ready, f"{kind} {name!r}")


def _checked(kind: str, made: Any, name: str) -> Any:
    """An own client or server, which must be one."""
    wanted = ("steps", "message", "carry", "keeps") if kind == "client" else ("step", "lr", "needs", "refuses")
    lacking = [word for word in wanted if not hasattr(made, word)]
    if lacking or isinstance(made, type):
        raise ValueError(
            f"{kind} {name!r} is a {type(made).__name__} without {', '.join(lacking)}; derive it from"
            f" theory.algorithms.{kind.capitalize()}"
        )
    return made


def _part(kind: str, value: object, where: str) -> object:
    """A setting that is a client, server or rule: already one, or its text."""
    if not isinstance(value, str):
        return value
    try:
        return make_rule(value) if kind == "rule" else make_client(value) if kind == "client" else make_server(value)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
