"""The seeds inside clients and servers that follow the seed of a run."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

__all__ = ["with_seed"]

Part = TypeVar("Part")


def with_seed(part: Part, seed: int) -> Part:
    """`part` with every `seed` of −1, its own and those of its parts, replaced by `seed`; others stay.

    >>> from theory.algorithms.text import make_server
    >>> with_seed(make_server("aggregate(by=dp-fed-avg(clip=1, noise=2))"), 7).by
    DPFedAvg(clip=1, noise=2, seed=7)
    """
    if not is_dataclass(part) or isinstance(part, type):
        return part
    found: dict[str, Any] = {}
    for one in fields(part):
        value = getattr(part, one.name)
        new = seed if one.name == "seed" and value == -1 else with_seed(value, seed)
        if new is not value:
            found[one.name] = new
    return cast("Part", replace(part, **found)) if found else part
