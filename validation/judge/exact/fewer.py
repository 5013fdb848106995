"""A counterexample in fewer clients, steps or dimensions: smaller cases of the same kind are searched a little."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from validation.judge.exact.certify import certify, telling
from validation.search.sample import effort
from validation.search.search import search
from validation.statement.claim import Case, Family, Inequality
from validation.statement.outcome import Witness

__all__ = ["in_fewer"]

_SIZES = 8  # smaller cases that are tried, the smallest first
_EVALUATIONS = 600  # of each, fewer of long runs
_LEAST = 40
_SIZE = re.compile(r"([A-Za-z_]\w*)=([0-9]+|inf)")
_SMALLER = 0.75  # of the effort: what is hardly smaller is no easier to follow


def in_fewer(test: Inequality, witness: Witness, seed: int, label: str) -> Witness:
    """A violation of a smaller case of the same kind that shows it as clearly; the given one where none was found.

    Of the same kind are the sizes of one family, or cases whose names differ in numbers alone; no size grows. At most
    `_SIZES` of them with less effort are tried, the least first. A right side above 0 stays above 0. Everything random
    derives from (seed, label).
    """
    clear = telling(witness.lhs, witness.rhs)
    for case in _smaller(test, witness.case):
        one = replace(test, cases=(case,), switches=())
        budget = max(_LEAST, round(_EVALUATIONS / max(1.0, case.cost)))
        found = search(one, budget=budget, seed=seed, label=f"{label}/{case.place}")
        fewer = certify(test.bound, found, seed, label).witness if found.witnesses else None
        if fewer is not None and (telling(fewer.lhs, fewer.rhs) or not clear) and (fewer.rhs > 0 or witness.rhs <= 0):
            return replace(fewer, case=replace(fewer.case, place=case.place))
    return witness


def _smaller(test: Inequality, case: Case) -> list[Case]:
    """Cases of the same kind with less effort, the least first, at most `_SIZES` of them, evenly chosen."""
    limit = _SMALLER * effort(case)
    ranked = sorted((c for c in _alike(test, case) if effort(c) <= limit), key=effort)
    if len(ranked) <= _SIZES:
        return ranked
    return [ranked[round(i * (len(ranked) - 1) / (_SIZES - 1))] for i in range(_SIZES)]


def _alike(test: Inequality, case: Case) -> Iterator[Case]:
    given = re.match(r"#([0-9]+)", case.place)
    position = int(given[1]) - 1 if given else -1
    family = test.cases[position] if 0 <= position < len(test.cases) else None
    if not isinstance(family, Family):
        for place, other in enumerate(test.cases):
            if isinstance(other, Case) and _no_larger(other.name, case.name):
                yield replace(other, place=f"#{place + 1}")
        return
    own = {name: math.inf if value == "inf" else int(value) for name, value in _SIZE.findall(case.place)}
    steps = [
        sorted(v for v in {s.low, s.low + 1, 2, 3, 5, own[s.name]} if s.low <= v <= own[s.name]) for s in family.sizes
    ]
    for values in product(*steps):
        sizes = {s.name: v for s, v in zip(family.sizes, values, strict=True)}
        shown = ", ".join(f"{name}={value}" for name, value in sizes.items())
        yield replace(family.at(**sizes), place=f"#{position + 1} {shown}")


def _no_larger(name: str, than: str) -> bool:
    """Whether two names of cases differ in numbers alone, and no number of the first is larger than the second's."""
    kinds = [re.sub(r"\b([a-z]{3,})s\b", r"\1", re.sub(r"[0-9]+", "#", n)) for n in (name, than)]
    numbers = [[int(number) for number in re.findall(r"[0-9]+", n)] for n in (name, than)]
    return kinds[0] == kinds[1] and all(a <= b for a, b in zip(*numbers, strict=True))
