"""The memory of a process in large pages, where Linux has them, so that to fork it costs little.

A fork copies the table of pages, one entry for 4 KiB, and its end takes it apart. Of a process with 300 MB that is 20
ms, with a gigabyte 65; a check forks a dozen times for its exact arithmetic.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

__all__ = ["in_large_pages"]

__judges__ = "no"

_LARGE = 2**21
_COLLAPSE = 25  # MADV_COLLAPSE, since Linux 6.1
_PLACE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p \S+ \S+ 0 *(?:\[heap\])?\nSize: .*?^Rss: +(\d+) kB", re.M | re.S)


def in_large_pages() -> int:
    """Make large pages of private memory that is in use by a quarter or more; how many bytes that was asked for."""
    try:
        places = Path("/proc/self/smaps").read_text(encoding="utf-8")
        advise = ctypes.CDLL(None).madvise
    except (OSError, AttributeError):
        return 0
    asked = 0
    for first, last, used in _PLACE.findall(places):
        begin, end = -(-int(first, 16) // _LARGE) * _LARGE, int(last, 16) // _LARGE * _LARGE
        if end > begin and 4 * 1024 * int(used) >= int(last, 16) - int(first, 16):
            advise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _COLLAPSE)  # refused, it stays as it was
            asked += end - begin
    return asked
