"""How each constant grows with a size: what names the factor that a bound lacks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from validation.statement.claim import Family, Inequality
from validation.study.tighten.tighten import Tightened, tighten

__all__ = ["growth", "powers"]

__judges__ = "no"

_STEPS = (1, 2, 4, 8)  # times the least value above 1


def growth(
    test: Inequality, along: str, *, sizes: Mapping[str, int] | None = None, **words: Any
) -> dict[int, Tightened]:
    """The constants at doubling values of one size, the other sizes as in `sizes` or free; `words` are of `tighten`.

    Raises `ValueError` for a size that no family has, or that is held in `sizes`.
    """
    held = dict(sizes or {})
    if along in held:
        raise ValueError(f"along={along!r}: the size is held at {held[along]}")
    own = [s for item in test.cases if isinstance(item, Family) for s in item.sizes if s.name == along]
    if not own:
        names = sorted({s.name for item in test.cases if isinstance(item, Family) for s in item.sizes})
        raise ValueError(f"along={along!r}: no family has that size; expected one of {', '.join(names) or 'none'}")
    low, high = max(2, min(s.low for s in own)), max(s.high for s in own)
    values = sorted({low * step for step in _STEPS if low * step <= high})
    return {value: tighten(test, sizes={**held, along: value}, **words) for value in values}


def powers(grown: Mapping[int, Tightened]) -> dict[str, float]:
    """By term the exponent p of its constant ∝ size^p between the last two sizes, by exact lower bounds where known."""
    (before, one), (after, two) = sorted(grown.items())[-2:]
    found = {}
    for first, last in zip(one.terms, two.terms, strict=True):
        low, high = (t.at_least if t.at_least is not None else t.alone for t in (first, last))
        if low and high:
            found[first.name] = math.log(float(high) / float(low)) / math.log(after / before)
    return found
