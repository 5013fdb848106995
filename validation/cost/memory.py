"""Memory that a process keeps: freed arrays, which come and go by the thousand a second, and what imports made."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

__all__ = ["keep_freed_memory", "uncollected"]

__judges__ = "no"

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of glibc's malloc.h
_KEPT = 1 << 30  # bytes at the top of the heap that are not given back
_LARGE = 1 << 30  # bytes of one array from which on it is asked for by itself


@cache
def keep_freed_memory() -> bool:
    """Let this process keep freed memory for its next arrays; whether the C library knows how (glibc does).

    Without it each temporary array of more than 128 KiB is mapped anew, page by page: up to a third of a check's time.
    """
    if sys.platform != "linux":
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(_TRIM_THRESHOLD, _KEPT) and mallopt(_MMAP_THRESHOLD, _LARGE))


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for garbage inside: imports make objects by the hundred thousand and throw none away.

    What is there at the end of the first time is spared by every later search, too, the one at Python's end included.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        _spare()
        if before:
            gc.enable()


@cache
def _spare() -> None:
    """Once only: in a process that goes on and on, what is garbage by then would be kept every time."""
    gc.freeze()
