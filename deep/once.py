"""What every round asks of settings that stay the same is worked out once, where they can be keys of a dictionary."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar, cast

__all__ = ["once"]

P = ParamSpec("P")
T = TypeVar("T")


def once(function: Callable[P, T]) -> Callable[P, T]:
    """`function`, a pure one of values that do not change, with its last 64 answers remembered.

    Equal arguments get one answer; those that have no hash, such as a rule that holds arrays, are asked anew.
    """
    remembered = cast("Callable[P, T]", lru_cache(maxsize=64)(function))

    @wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            hash((args, *kwargs.values()))
        except TypeError:
            return function(*args, **kwargs)
        return remembered(*args, **kwargs)

    return asked
