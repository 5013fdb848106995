"""Memory that a process keeps once it had it: arrays come and go by the thousand a second, and asking anew is dear."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

__all__ = ["keep_freed_memory"]

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
