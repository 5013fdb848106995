"""The compiled library: found beside this module, opened once, and refused where it does not fit these sources."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Float", "Library", "address", "library", "opened"]

Float = NDArray[np.float64]

_VERSION = 7  # of the sources beside this module
# Name, doubles of a vector, lanes of a block, rows of a tile.
_LEVELS = (("plain", 2, 6, 4), ("avx2", 4, 12, 4), ("avx512", 8, 16, 4))
_N, _X, _P = ctypes.c_long, ctypes.c_double, ctypes.c_void_p
_KERNELS: dict[str, tuple[Any, ...]] = {
    "losses": (_N,) * 3 + (_P,) * 6,
    "pack": (_N,) * 3 + (_P,) * 7,
    "combine": (_N,) * 3 + (_P,) * 3 + (_X,) + (_P,) * 4,
    "softmax": (_N,) * 2 + (_P,) * 3 + (_N, _X, _P),
    "squares": (_N,) * 4 + (_P,) * 11,
    "crowd": (_N,) * 6 + (_P,) * 9 + (_X, _N, _N) + (_P,) * 7,
    "walk": (_N,) * 6 + (_P,) * 10 + (_N,) + (_P,) * 5,
    "front": (_N,) * 4 + (_P,) * 11,
    "back": (_N,) * 3 + (_P,) * 7,
    "alone": (_N,) * 5 + (_P,) * 7 + (_X, _N) + (_P,) * 6,
    "ends": (_N,) * 3 + (_P,) * 11,
    "weighed": (_N,) * 2 + (_P,) * 5,
    "signs": (_N,) * 3 + (_P,) * 5,
    "shortest": (_N,) * 3 + (_P,) * 7,
    "products": (_N,) * 3 + (_P,) * 3,
    "judged": (_N,) * 2 + (_P,) * 5,
    "search": (_N,) * 5 + (_P,) * 12,
}
_RETURNED: dict[str, Any] = {
    "back": ctypes.c_int,
    "weighed": ctypes.c_int,
    "judged": ctypes.c_int,
    "alone": _N,
    "crowd": _N,
}


@dataclass(frozen=True, eq=False)
class Library:
    """The kernels of one processor level: vectors of `width` doubles, replicas in blocks of `lanes`,
    matrices in tiles of `tile` rows.
    """

    level: str
    width: int
    lanes: int
    tile: int
    kernels: dict[str, Callable[..., Any]]


def address(array: Float) -> int:
    """Where a contiguous array starts."""
    start: int = array.__array_interface__["data"][0]
    return start


def opened(path: Path, level: str | None = None) -> Library | None:
    """The library at `path` for this processor, or for a named lower level; None where it is absent or does not fit."""
    try:
        shared = ctypes.CDLL(str(path))
        if shared.version() != _VERSION:
            return None
        best = int(shared.level())
        names = [name for name, *_ in _LEVELS]
        chosen = best if level is None else names.index(level)
        if chosen > best:
            return None
        name, width, lanes, tile = _LEVELS[chosen]
        kernels = {}
        for kernel, types in _KERNELS.items():
            function = getattr(shared, f"{kernel}_{name}")
            function.argtypes, function.restype = types, _RETURNED.get(kernel)
            kernels[kernel] = function
    except (OSError, AttributeError):
        return None
    return Library(name, width, lanes, tile, kernels)


@cache
def library() -> Library | None:
    """The library that was built when the package was installed; None without one, or with FEDVERDICT_KERNELS=0."""
    if os.environ.get("FEDVERDICT_KERNELS") == "0":
        return None
    folder = Path(__file__).parent
    for suffix in EXTENSION_SUFFIXES:
        found = folder / f"_kernels{suffix}"
        if found.exists():
            return opened(found)
    return None
