"""Which parts of a run are somebody else's, and what their code is: what a resumed run has to repeat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from deep.base.names import read_call
from deep.data.catalogue import file_digest
from deep.task.setup import Setup
from theory.base.parts import Kind, Own, origin, own_part

__all__ = ["own_origins"]

_OURS = ("theory", "deep")


def own_origins(setup: Setup) -> dict[str, str]:
    """Of each part that is not ours, by what it is: "package.module:name sha256:…" (`theory.base.parts.origin`).

    Rules, clients and servers inside others count, too; a rule is named by its class.
    """
    found: dict[str, str] = {}
    made: dict[str, object] = {"rule": setup.rule, "client": setup.client, "server": setup.server}
    for kind, value in made.items():
        origins = sorted({origin(part) for part in _inside(value) if not _is_ours(part)})
        if origins:
            found[kind] = ", ".join(origins)
    named: tuple[tuple[Kind, str], ...] = (
        ("model", setup.config.model),
        ("dataset", setup.config.dataset),
        ("partition", setup.config.partition),
    )
    for kind, text in named:
        own = _named(kind, text)
        if own is not None:
            found[kind] = origin(own) + _values(own)
    file = file_digest(setup.config.dataset)
    return found if file is None else {**found, "dataset": file}


def _named(kind: Kind, text: str) -> Own | None:
    """What a name of somebody else's stands for, None for one of ours."""
    try:
        own = own_part(kind, read_call(kind, text)[0])
    except ValueError:  # a name of ours that reads otherwise, such as "office-caltech10/amazon"
        return None
    return own


def _values(own: Own) -> str:
    """The digest of a model that is handed over as it is, with values of its own."""
    if own.kind != "model" or own.makes:
        return ""
    from deep.models.networks.own import values_digest

    return f" values {values_digest(own.value)}"


def _is_ours(part: object) -> bool:
    kind = part if isinstance(part, type) or hasattr(part, "__qualname__") else type(part)
    return str(kind.__module__).partition(".")[0] in _OURS


def _inside(value: object) -> Iterator[object]:
    """The part, and those that it is set to."""
    yield value
    if is_dataclass(value) and not isinstance(value, type):
        for f in fields(value):
            inner = getattr(value, f.name)
            if is_dataclass(inner) or (callable(inner) and not isinstance(inner, type)):
                yield from _inside(inner)
