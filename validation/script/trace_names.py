"""What a plain function calls its numbers while it runs: the local names, the keys of its tables, the functions' names.

A page of straight arithmetic can then name a line as the function does. The name nearest to the world's own function
counts: what that one calls a number before what a function that it calls does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from types import CodeType, FrameType, FunctionType
from typing import Any

from validation.script.trace import Number, Record

__all__ = ["watching"]

_DEEPEST = 3  # lists in lists in a table


@contextmanager
def watching(record: Record, functions: Sequence[Callable[..., Any]]) -> Iterator[None]:
    """While it lasts, numbers of the record take the names that these functions give them, into `record.words`."""
    whole = [f.func if isinstance(f, partial) else f for f in functions]
    codes = {code for f in whole if isinstance(f, FunctionType) for code in _codes(f.__code__)}
    before = sys.gettrace()
    sys.settrace(lambda frame, *_: _Watch.of(record, frame, codes) if frame.f_code in codes else None)
    try:
        yield
    finally:
        sys.settrace(before)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of those defined in it, not of comprehensions: their letters are too short-lived."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType) and not inner.co_name.startswith("<"):
            yield from _codes(inner)


@dataclass
class _Watch:
    """One call: how deep it is, and what its locals held when they were last looked at."""

    record: Record
    depth: int
    held: dict[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, record: Record, frame: FrameType, codes: set[CodeType]) -> _Watch:
        depth, above = 0, frame.f_back
        while above is not None:
            depth, above = depth + (above.f_code in codes), above.f_back
        watch = cls(record, depth)
        watch.held = {name: _state(value) for name, value in frame.f_locals.items()}
        for name, value in frame.f_locals.items():
            if isinstance(value, list):  # what a call makes and nobody else calls anything
                watch._name(name, value, 2 * depth)
        return watch

    def __call__(self, frame: FrameType, event: str, given: Any) -> _Watch:
        for name, value in frame.f_locals.items() if event in {"line", "return"} else ():
            state = _state(value)
            if self.held.get(name) != state or (event == "return" and isinstance(value, list | dict)):
                self.held[name] = state
                self._name(name, value, 2 * self.depth)
        if event == "return" and self.depth:
            self._name(frame.f_code.co_name.removesuffix("_exact"), given, 2 * self.depth - 1)
        return self

    def _name(self, name: str, value: Any, rank: int, deep: int = _DEEPEST) -> None:
        """Name a number so, those of a list by their places from 1 on, those of a table by its keys."""
        if isinstance(value, Number):
            known = self.record.words.get(id(value.node))
            if value.node.parts and not name.startswith("_") and (known is None or rank < known[0]):
                self.record.words[id(value.node)] = rank, name
        elif isinstance(value, dict) and deep:
            for key, item in value.items():
                plain = isinstance(key, str) and key.isidentifier()
                if plain or isinstance(key, int):
                    self._name(key if plain else f"{name}_{key}", item, rank, deep - 1)
        elif isinstance(value, list | tuple) and deep:
            for i, item in enumerate(value):
                self._name(f"{name}_{i + 1}", item, rank, deep - 1)


def _state(value: Any) -> tuple[int, int]:
    return id(value), len(value) if isinstance(value, list | dict) else 0
