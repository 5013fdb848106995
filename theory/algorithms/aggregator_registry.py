"""Every aggregator that can be built by name: found, not listed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from theory.algorithms import aggregators
from theory.algorithms.aggregator import Aggregator
from theory.algorithms.part_entry import PartEntry, part_of_text

__all__ = ["aggregator_entries", "make_aggregator"]


@cache
def aggregator_entries() -> tuple[PartEntry, ...]:
    """The `ENTRY` of every file in `theory.algorithms.aggregators`, one or several each, by name."""
    found: list[PartEntry] = []
    for module in iter_modules(list(aggregators.__path__)):
        entry = getattr(import_module(f"{aggregators.__name__}.{module.name}"), "ENTRY", ())
        found += [entry] if isinstance(entry, PartEntry) else entry
    return tuple(sorted(found, key=lambda entry: entry.name))


def make_aggregator(text: str, **settings: object) -> Aggregator:
    """The aggregator called `text`, with `settings`, which `text` may hold: ``krum(f=2)``. Read as rules are.

    Raises `ValueError` naming the nearest names, the settings there are, or what is lacking or out of range.

    >>> make_aggregator("trimmed-mean(f=2)")
    TrimmedMean(f=2)
    """
    made: Aggregator = part_of_text("aggregator", text, settings, aggregator_entries())
    return made
