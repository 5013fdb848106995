"""Ctrl-C, SIGTERM and SIGHUP end a command even where Python drops what their handlers raise.

What a handler raises inside of a `__del__`, a callback of the garbage collector or a hook of a fork is printed and
ignored. So a signal is noted as well, and loops that may wait for long call `heed`, which raises again what came.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

__all__ = ["EndedBySignal", "heed", "listening"]

__judges__ = "no"

_came: list[int] = []  # signals that asked this process to end since `listening` began


class EndedBySignal(BaseException):
    """A signal asked the process to end; no `except Exception` on the way keeps it."""

    def __init__(self, by: signal.Signals) -> None:
        super().__init__(by.name)
        self.by = by


@contextmanager
def listening() -> Iterator[None]:
    """Within it SIGINT raises `KeyboardInterrupt`, SIGTERM and SIGHUP raise `EndedBySignal`, and `heed` does so again.

    Where a signal is ignored (`nohup`) or somebody else's it stays so; outside the main thread nothing changes.
    """
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, _note)
    _came.clear()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _came.clear()


def heed() -> None:
    """Raise what the first signal that came raised, if one came; wherever that was lost, it is not lost here."""
    if _came:
        _raise(_came[0])


def _note(number: int, _frame: FrameType | None) -> None:
    _came.append(number)
    _raise(number)


def _raise(number: int) -> NoReturn:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise EndedBySignal(signal.Signals(number))
