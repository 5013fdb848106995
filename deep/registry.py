"""Things chosen by name: an unknown name answers with the nearest ones."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeVar

__all__ = ["pick"]

T = TypeVar("T")


def pick(registry: Mapping[str, T], name: str, kind: str) -> T:
    """The entry of `registry` called `name`; `ValueError` with the nearest names when there is none.

    >>> pick({"digits": 1}, "digit", "dataset")
    Traceback (most recent call last):
    ...
    ValueError: unknown dataset 'digit'; nearest: digits
    """
    if name not in registry:
        near = get_close_matches(str(name), registry, n=3, cutoff=0.3) or sorted(registry)
        raise ValueError(f"unknown {kind} {name!r}; nearest: {', '.join(near)}")
    return registry[name]
