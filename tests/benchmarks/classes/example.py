"""One of PEPit's example theorems as a statement of ours: method, guarantee, and the file it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from theory.classes import Condition, Form, Least, Number, Problem, Statement, number
from theory.classes.numbers import value

__all__ = ["EXAMPLES", "Example", "Posed", "example"]


@dataclass(frozen=True, eq=False)
class Posed:
    """`measure` where `given` holds; `rate` is the guarantee stated, None where none is; `tight`: it is attained."""

    problem: Problem
    measure: Form | Least
    given: Sequence[Condition]
    rate: Number | None
    tight: bool = True

    def statement(self, bound: Number) -> Statement:
        return self.problem.statement(self.measure, bound, given=self.given)


@dataclass(frozen=True, eq=False)
class Example:
    """`pose(**arguments)` against PEPit's file `path`, called with the same arguments as floats."""

    path: str
    pose: Callable[..., Posed]
    arguments: dict[str, Any]

    def posed(self) -> Posed:
        return self.pose(**{k: _exact(v) for k, v in self.arguments.items()})

    def theirs(self) -> tuple[Callable[..., Any], dict[str, Any]]:
        """PEPit's function and the arguments to call it with."""
        from importlib import import_module

        module = import_module(f"PEPit.examples.{self.path}")
        name = "wc_information_theoretic" if self.path.endswith("exact_method") else f"wc_{self.path.split('.')[-1]}"
        for shorter in ("_naive_", "_simplified_"):
            name = name if hasattr(module, name) else name.replace(shorter, "_")
        return getattr(module, name), {k: _float(v) for k, v in self.arguments.items()}


EXAMPLES: list[Example] = []


def example(*paths: str, **arguments: Any) -> Callable[[Callable[..., Posed]], Callable[..., Posed]]:
    """Registers a method under the files it is posed in; texts are exact numbers, ints are counts."""

    def register(pose: Callable[..., Posed]) -> Callable[..., Posed]:
        EXAMPLES.extend(Example(path, pose, arguments) for path in paths)
        return pose

    return register


def _exact(v: Any) -> Any:
    if isinstance(v, list):
        return [_exact(x) for x in v]
    return number(v) if isinstance(v, str) else v


def _float(v: Any) -> Any:
    if isinstance(v, list):
        return [_float(x) for x in v]
    return v if v is None or isinstance(v, int | float) else value(number(v))
