"""The compiled operations of `Quick`, where a C compiler was there at installation."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["compiled"]

_VERSION = 1  # of the source beside this module


@cache
def compiled() -> Any:
    """The module built of quick.c; None without one that fits, or with FEDVERDICT_KERNELS=0 in the environment."""
    if os.environ.get("FEDVERDICT_KERNELS") == "0":
        return None
    try:
        found = import_module("theory.exact._quick")
    except ImportError:
        return None
    return found if found.VERSION == _VERSION else None
