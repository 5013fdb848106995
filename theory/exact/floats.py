"""Whether floats entered exact arithmetic on plain fractions: a `Fraction` made of a float that is not what it says.

`Fraction(0.1)` is no tenth, and `Fraction(0.1 * c + 0.2 * c)` holds a rounding error that looks exact from there on.
Within `watching`, where `theory.exact.quick` serves all fractions, both raise `InexactError` with line and cure.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction

from theory.exact.errors import InexactError, calling_line
from theory.exact.number import refusal

__all__ = ["Watch", "became_fraction", "rounded", "watching"]

_CURE = "compute it with Fractions, and write 1/10 as Fraction(1, 10)"


@dataclass
class Watch:
    """Where a fraction was first rounded to a float, as `calling_line` says it; None where none was."""

    line: str | None = None

    def refuse(self, name: str) -> None:
        """Raise the error of a side that is a float, where one was rounded on the way to it."""
        if self.line is not None:
            raise InexactError(f"{name!r} of the exact side is a float that was rounded{self.line}; {_CURE}")


_WATCH: ContextVar[Watch | None] = ContextVar("watch over floats", default=None)


@contextmanager
def watching(on: bool = True) -> Iterator[Watch]:
    """Refuse inexact floats that become fractions inside, where `on`."""
    watch = Watch()
    token = _WATCH.set(watch if on else None)
    try:
        yield watch
    finally:
        _WATCH.reset(token)


@contextmanager
def _unwatched() -> Iterator[Watch | None]:
    """The watch, which the fractions made inside to look into a float are none of."""
    watch, token = _WATCH.get(), _WATCH.set(None)
    try:
        yield watch
    finally:
        _WATCH.reset(token)


def rounded(exact: Fraction, given: float) -> None:
    """Note a float that stands for `exact` from here on."""
    with _unwatched() as watch:
        if watch is not None and watch.line is None and given - given == 0 and Fraction(given) != exact:
            watch.line = calling_line()


def became_fraction(value: float) -> None:
    """A float that becomes a fraction: it has to be its own shortest decimal, and no result of rounded numbers."""
    with _unwatched() as watch:
        if watch is None:
            return
        wrong = refusal(value)
        if wrong is not None:
            raise InexactError(f"{wrong.what}{calling_line()}; {wrong.cure}, or {_CURE}")
        if watch.line is not None:
            raise InexactError(f"the float {value!r} comes of numbers that were rounded{watch.line}; {_CURE}")
