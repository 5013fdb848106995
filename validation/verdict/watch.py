"""What a check is doing just now, for a person who waits: one line a worker, on memory that forks share.

Nothing here draws, counts or decides: the search tells how many evaluations it made as it always can, and where nobody
watches it is asked for nothing.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from validation.statement.claim import Claim
    from validation.verdict.engine import Unit

__all__ = ["told", "watching"]

_SLOTS = 64  # workers that have a line of their own; more share
_LINE = 256  # bytes of a line, with its two times and its length
_HEAD = struct.Struct("<ddH")  # when the unit of work began, when its line was written, bytes of text
_PAUSE = 0.2  # seconds between two lines of a worker
_QUIET = 2.0  # seconds without a draw, as in exact arithmetic, after which they are told
_LONG_SINCE = 5.0  # seconds after which a line may be of a worker that is gone

_BOARD: ContextVar[mmap.mmap | None] = ContextVar("board", default=None)


@contextmanager
def watching(wanted: bool) -> Iterator[Callable[[], str]]:
    """Have workers that are forked inside write what they do; yields what the longest at work says, '' before any.

    Where it is not wanted, nobody writes.

    >>> with watching(True) as now:
    ...     now()
    ''
    """
    if not wanted:
        yield str
        return
    board = mmap.mmap(-1, _SLOTS * _LINE)
    token = _BOARD.set(board)
    try:
        yield lambda: _read(board)
    finally:
        _BOARD.reset(token)


@contextmanager
def told(claim: Claim, unit: Unit) -> Iterator[Callable[[int], None] | None]:
    """What to call with the evaluations made in a unit of work; None where nobody watches."""
    board = _BOARD.get()
    if board is None:
        yield None
        return
    line = _Line(board, f"{claim.id} {_name(claim, unit)}")
    line.write("")
    try:
        yield line
    finally:
        line.clear()


def _name(claim: Claim, unit: Unit) -> str:
    """«reading 2 of 5», «planted error 1 of 3»."""
    kinds = {
        "reading": ("reading", claim.readings),
        "mutant": ("planted error", claim.mutants),
        "worst case": ("worst case", claim.worst_cases),
        "study": ("study", claim.studies),
    }
    words, every = kinds[unit.kind]
    return f"{words} {unit.index + 1} of {len(every)}"


class _Line:
    """One worker's line: what it works at, the stage of its search, evaluations of how many, and the best ratio."""

    def __init__(self, board: mmap.mmap, name: str) -> None:
        self.board, self.name = board, name
        self.place = os.getpid() % _SLOTS * _LINE
        self.began, self.written = time.monotonic(), 0.0

    def __call__(self, n: int) -> None:
        """After `n` more evaluations, which the search that calls has booked."""
        if time.monotonic() - self.written >= _PAUSE:
            self.write(_doing(sys._getframe(1).f_locals.get("self")))

    def write(self, words: str) -> None:
        """Put the name and these words on the board."""
        self.written = time.monotonic()
        text = f"{self.name}{words}".encode()[: _LINE - _HEAD.size]
        held = _HEAD.pack(self.began, self.written, len(text)) + text
        self.board[self.place : self.place + len(held)] = held

    def clear(self) -> None:
        """Nothing is done here any more."""
        self.board[self.place : self.place + _HEAD.size] = bytes(_HEAD.size)


def _doing(search: object) -> str:
    """« · climb · 12,000 of 40,000 · largest left ÷ right 0.93», of the search that has just booked evaluations."""
    found, budget = getattr(search, "found", search), getattr(search, "budget", None)
    stages = getattr(found, "stages", None)  # of a search, or of the purse that pays for replicas
    if not isinstance(stages, dict) or not stages:
        return ""
    of = f" of {budget:,.0f}" if isinstance(budget, int | float) else " replicas"
    ratio = getattr(found, "worst_ratio", 0.0)
    worst = f" · largest left ÷ right {ratio:.4g}".replace("inf", "∞") if ratio else ""
    return f" · {list(stages)[-1]} · {sum(stages.values()):,}{of}{worst}"


def _read(board: mmap.mmap) -> str:
    lines = []
    for place in range(0, _SLOTS * _LINE, _LINE):
        began, written, size = _HEAD.unpack(board[place : place + _HEAD.size])
        if size:
            text = board[place + _HEAD.size : place + _HEAD.size + size].decode(errors="ignore")
            lines.append((began, written, text))
    if not lines:
        return ""
    now = time.monotonic()
    lively = [line for line in lines if now - line[1] < _LONG_SINCE]
    _, written, text = min(lively) if lively else max(lines, key=lambda line: line[1])
    quiet = f" · no draw for {now - written:.0f} s" if now - written >= _QUIET else ""
    return text + quiet
