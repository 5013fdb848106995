"""What every round asks of settings that stay the same is worked out once, where they can be keys of a dictionary."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar, cast

__all__ = ["once"]

_MOST = 64
P = ParamSpec("P")
T = TypeVar("T")


def once(function: Callable[P, T]) -> Callable[P, T]:
    """`function`, a pure one of values that do not change, with its last 64 answers remembered.

    Equal arguments get one answer; those that have no hash, such as a rule that holds arrays, are asked anew. Objects
    that were asked about before are known by being the same, without the hash of a configuration's forty fields.
    """
    remembered = cast("Callable[P, T]", lru_cache(maxsize=_MOST)(function))
    same: dict[tuple[int, ...], tuple[tuple[object, ...], T]] = {}  # by identity, which holds as they are kept

    @wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        place = tuple(map(id, args))
        if not kwargs and place in same:
            return same[place][1]
        try:
            hash((args, *kwargs.values()))
        except TypeError:
            return function(*args, **kwargs)
        found = remembered(*args, **kwargs)
        if not kwargs:
            if len(same) >= _MOST:
                same.clear()
            same[place] = args, found
        return found

    return asked
