"""Every rule that can be built by name: found, not listed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

from theory.base.parts import Own, usable_parts
from theory.rules.entry import RuleEntry

__all__ = ["found_in", "own_rules", "rules"]

_KINDS = ("rule", "combinator", "preset")


@cache
def rules() -> tuple[RuleEntry, ...]:
    """The `ENTRY` of every file in `theory.rules`: rules, combinators, then presets, each by name."""
    return found_in(__name__.rpartition(".")[0], [str(Path(__file__).parent)])


def found_in(package: str, path: list[str]) -> tuple[RuleEntry, ...]:
    """The entries of the modules of a package; `ENTRY` is one, or a tuple where one file has several rules.

    Raises `ValueError` for two of one name.
    """
    modules = [import_module(module.name) for module in walk_packages(path, f"{package}.")]
    each = [module.ENTRY for module in modules if hasattr(module, "ENTRY")]
    entries: list[RuleEntry] = [one for given in each for one in (given if isinstance(given, tuple) else (given,))]
    names = [entry.name for entry in entries]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"rules of {package}: {', '.join(twice)} more than once; a name stands for one rule")
    return tuple(sorted(entries, key=lambda entry: (_KINDS.index(entry.kind), entry.name)))


def own_rules() -> tuple[list[RuleEntry], list[str]]:
    """(rules that entry points bring and that can be made from their defaults, what is wrong with the others)."""
    usable, faults = usable_parts("rule")
    return [
        RuleEntry(own.name, _maker(own), own.place.partition(":")[0], own.place, own.says) for own in usable
    ], faults


def _maker(own: Own) -> Callable[..., Any]:
    return own.value if own.makes else lambda: own.value
