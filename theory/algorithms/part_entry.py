"""One row of the registries of what stands inside clients and servers: aggregators and attacks, by name or as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import Any

from theory.base.call_text import build_from
from theory.base.names import known_name, unknown_name
from theory.rules.text import read_call

__all__ = ["PartEntry", "part_of_text"]


@dataclass(frozen=True)
class PartEntry:
    """A part by name; `build` makes it, `example`: sensible values of settings without a default, `formula`: it on one
    line.
    """

    name: str
    build: Callable[..., Any]
    source: str
    formula: str
    example: Mapping[str, object] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, object]:
        """Every setting with its default; those without one have the value of the example."""
        found = signature(self.build).parameters
        return {n: self.example.get(n) if p.default is Parameter.empty else p.default for n, p in found.items()}


def part_of_text(kind: str, text: str, settings: Mapping[str, object], entries: Iterable[PartEntry]) -> Any:
    """The part that `text` names among `entries`, with its settings and those beside it.

    Raises `ValueError` naming the nearest names, the settings there are, or what is lacking or out of range.
    """
    name, said = read_call(text, kind)
    known = {entry.name: entry for entry in entries}
    name = known_name(name, known)
    if name not in known:
        raise unknown_name(kind, name, known)
    given, entry = {**said, **settings}, known[name]
    unknown = sorted(set(given) - set(entry.settings))
    if unknown:
        raise ValueError(f"{kind} {name!r} has no setting {unknown}; its settings are {list(entry.settings) or 'none'}")
    lacking = [n for n in entry.example if n not in given]
    if lacking:
        example = ", ".join(f"{n}={entry.example[n]}" for n in lacking)
        raise ValueError(f"{kind} {name!r}: lacks {lacking}; give them as in {name}({example})")
    return build_from(entry.build, given, f"{kind} {name!r}")
