"""A quotient of nonnegative numbers that names its limits: x/0 is infinite, 0/0 is NaN, without a warning."""

from __future__ import annotations

from typing import Any

from theory.base.arrays import Array, namespace

__all__ = ["quotient"]


def quotient(above: Array, below: Array) -> Any:
    """above / below for above, below >= 0 that broadcast; infinite where only `below` is 0, NaN where both are."""
    xp = namespace(above, below)
    limit = xp.where(above > 0, xp.full_like(above, xp.inf), xp.full_like(above, xp.nan))
    return xp.where(below > 0, above / xp.where(below > 0, below, xp.ones_like(below)), limit)
