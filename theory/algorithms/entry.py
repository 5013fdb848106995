"""One row of the registry of algorithms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import Any, Literal

__all__ = ["AlgorithmEntry"]


@dataclass(frozen=True)
class AlgorithmEntry:
    """A client algorithm or server optimiser by name.

    `build` makes it from its settings; `example`: sensible values of those without a default. `parts`: settings that
    are themselves a "client", a "server" or a "rule", written as text. `formula`: its step on one line.
    """

    name: str
    kind: Literal["client", "server"]
    build: Callable[..., Any]
    source: str
    formula: str
    example: Mapping[str, object] = field(default_factory=dict)
    parts: Mapping[str, Literal["client", "server", "rule"]] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, object]:
        """Every setting with its default; those without one have the value of the example."""
        found = signature(self.build).parameters
        return {n: self.example.get(n) if p.default is Parameter.empty else p.default for n, p in found.items()}
