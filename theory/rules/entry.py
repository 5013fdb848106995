"""One row of the registry of rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import Any, Literal

__all__ = ["RuleEntry"]


@dataclass(frozen=True)
class RuleEntry:
    """One row of the registry.

    `build` makes the rule from its settings; `example`: sensible values of the settings that have no default, rules
    written as text. `parts`: settings that are rules themselves. `either`: settings of which one is given. `total`:
    what the weights sum to, "1" or the declared sum. `kind`: a "rule", a "combinator", or a "preset" made of others.
    `also`: further names that people know it by.
    """

    name: str
    build: Callable[..., Any]
    paper: str
    source: str
    formula: str
    example: Mapping[str, object] = field(default_factory=dict)
    total: str = "1"
    parts: tuple[str, ...] = ()
    either: tuple[str, ...] = ()
    kind: Literal["rule", "combinator", "preset"] = "rule"
    also: tuple[str, ...] = ()

    @property
    def settings(self) -> dict[str, object]:
        """Every setting with its default; those without one have the value of the example."""
        found = signature(self.build).parameters
        return {n: self.example.get(n) if p.default is Parameter.empty else p.default for n, p in found.items()}
