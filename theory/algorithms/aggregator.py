"""What an aggregator is: it combines the clients' updates in another way than by a weighted sum, such as by medians."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from inspect import Parameter, signature
from pkgutil import iter_modules
from typing import Any, Protocol

from theory.algorithms import aggregators
from theory.base.arrays import Array
from theory.base.call_text import build_from
from theory.base.names import known_name, unknown_name
from theory.rules.text import read_call

__all__ = ["Aggregator", "AggregatorEntry", "Sent", "aggregator_entries", "make_aggregator"]


@dataclass(frozen=True, eq=False)
class Sent:
    """What the clients sent in round `round`, a row per client.

    `updates` (*batch, n_clients, dim), finite for clients present and 0 for absent ones; `present` booleans and
    `weights` aₖ of the rule, 0 for absent clients, (*batch, n_clients) each.
    """

    updates: Array
    present: Array
    weights: Array
    round: int = 0


class Aggregator(Protocol):
    """(state, v) = combine(state, sent), v (*batch, dim); a frozen dataclass of settings.

    The state is None before the first round. Rows of absent clients never matter, and a permutation of clients changes
    nothing but ties. `weighs`: whether it reads the rule's weights; otherwise it counts every client present once.
    """

    @property
    def weighs(self) -> bool:
        """Whether it reads the rule's weights."""
        return False

    @property
    def fewest(self) -> int:
        """How many clients have to be present."""
        return 1

    def combine(self, state: Any, sent: Sent) -> tuple[Any, Any]:
        """(the next state, what stands for Σ aₖvₖ, (*batch, dim))."""
        ...


@dataclass(frozen=True)
class AggregatorEntry:
    """An aggregator by name; `example`: sensible values of settings without a default, `formula`: it on one line."""

    name: str
    build: Callable[..., Any]
    source: str
    formula: str
    example: Mapping[str, object] = field(default_factory=dict)


@cache
def aggregator_entries() -> tuple[AggregatorEntry, ...]:
    """The `ENTRY` of every file in `theory.algorithms.aggregators`, one or several each, by name."""
    found: list[AggregatorEntry] = []
    for module in iter_modules(list(aggregators.__path__)):
        entry = getattr(import_module(f"{aggregators.__name__}.{module.name}"), "ENTRY", ())
        found += [entry] if isinstance(entry, AggregatorEntry) else entry
    return tuple(sorted(found, key=lambda entry: entry.name))


def make_aggregator(text: str, **settings: object) -> Aggregator:
    """The aggregator called `text`, with `settings`, which `text` may hold: ``krum(f=2)``. Read as rules are.

    Raises `ValueError` naming the nearest names, the settings there are, or what is lacking or out of range.

    >>> make_aggregator("trimmed-mean(f=2)")
    TrimmedMean(f=2)
    """
    name, said = read_call(text, "aggregator")
    entries = {entry.name: entry for entry in aggregator_entries()}
    name = known_name(name, entries)
    if name not in entries:
        raise unknown_name("aggregator", name, entries)
    given, parameters = {**said, **settings}, signature(entries[name].build).parameters
    unknown = sorted(set(given) - set(parameters))
    if unknown:
        raise ValueError(f"aggregator {name!r} has no setting {unknown}; its settings are {list(parameters) or 'none'}")
    lacking = [n for n, p in parameters.items() if p.default is Parameter.empty and n not in given]
    if lacking:
        example = ", ".join(f"{n}={entries[name].example[n]}" for n in lacking)
        raise ValueError(f"aggregator {name!r}: lacks {lacking}; give them as in {name}({example})")
    made: Aggregator = build_from(entries[name].build, given, f"aggregator {name!r}")
    return made
