"""What a search tried, in words: the sizes of its families, and the cases that no exact look decides anything of."""

from __future__ import annotations

import math
from collections.abc import Mapping

from validation.judge.exact.audit import Audit
from validation.judge.exact.certify import Certification, Said
from validation.search.seen import Search

__all__ = ["not_looked_at", "sizes_tried"]

_NAMED = 3  # cases that are named, of more their number is told


def sizes_tried(found: Search) -> str:
    """«N of 2, 3, 5, 8 and T of 1, 10», of each family where several have other sizes; empty without a family.

    >>> sizes_tried(Search(sizes={"runs": {"N": (2.0, 3.0), "T": (1.0, math.inf)}}))
    'N of 2, 3 and T of 1, ∞'
    """
    told: dict[str, list[str]] = {}
    for family, sizes in found.sizes.items():
        told.setdefault(_words(sizes), []).append(family)
    if len(told) == 1:
        return next(iter(told))
    return "; ".join(f"{words} («{'», «'.join(families)}»)" for words, families in told.items())


def _words(sizes: Mapping[str, tuple[float, ...]]) -> str:
    return " and ".join(f"{name} of {', '.join(map(_number, values))}" for name, values in sizes.items())


def _number(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:,.0f}"


def not_looked_at(found: Search, certification: Certification, audit: Audit) -> str:
    """The cases that draws met the hypotheses of and exact arithmetic decided nothing of; empty where there are none.

    Nothing is said of a statement without any exact side, which is told to be searched in floats only.
    """
    if all(head.case.exact is None for head in found.heads):
        return ""
    told = {case for of in (certification.of, audit.of) for case, said in of.items() if set(said) - {Said.UNDECIDED}}
    names = [name for name in dict.fromkeys(head.case.name for head in found.heads) if name not in told]
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(f"«{name}»" for name in names[:_NAMED]) + more
