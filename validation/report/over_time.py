"""A counterexample over time: its script run again with fewer rounds, both sides and every term at each horizon."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from validation.report.instance import Instance, run_script

__all__ = ["Moment", "over_time"]

_ROUNDS = re.compile(r"""(["'](?:n_)?rounds["']: (?:Fraction\()?)(\d+)""")
_MOST, _LEAST = 9, 3  # horizons that are shown, and that make a picture


@dataclass(frozen=True)
class Moment:
    """Both sides after `rounds` rounds and the terms of the right one, in the order of the whole run's; floats."""

    rounds: int
    left: float
    right: float
    terms: tuple[float, ...]


@lru_cache(maxsize=1024)
def over_time(source: str) -> tuple[Moment, ...]:
    """The sides of a script at growing horizons, the last its own; none where its instance counts no rounds.

    Only horizons with two finite numbers are kept. Of very long runs some are left out: the horizons grow by a factor.
    """
    found = _ROUNDS.search(source)
    if found is None or len(_ROUNDS.findall(source)) != 1:
        return ()
    moments = []
    for t in _horizons(int(found[2])):
        ran = run_script(source[: found.start(2)] + str(t) + source[found.end(2) :])
        moment = None if ran is None else _moment(t, ran)
        if moment is not None:
            moments.append(moment)
    widths = {len(moment.terms) for moment in moments}
    if len(moments) < _LEAST or (moments and moments[-1].rounds != int(found[2])):
        return ()
    return tuple(moments) if len(widths) == 1 else tuple(Moment(m.rounds, m.left, m.right, ()) for m in moments)


def _horizons(last: int) -> Sequence[int]:
    if last <= _MOST:
        return range(1, last + 1)
    grown = [round(last ** (k / (_MOST - 1))) for k in range(_MOST)]
    return [grown[0], *(b for a, b in pairwise(grown) if b > a)]


def _moment(rounds: int, found: Instance) -> Moment | None:
    if found.left is None or found.right is None:
        return None
    try:
        numbers = [float(x) for x in (found.left, found.right, *(v for _, v in found.terms))]
    except OverflowError:
        return None
    return Moment(rounds, numbers[0], numbers[1], tuple(numbers[2:])) if all(map(math.isfinite, numbers)) else None
