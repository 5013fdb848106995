"""A counterexample over time: its script run again with fewer rounds, both sides and every term at each horizon."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from validation.report.counterexample.instance import Instance, run_script
from validation.study.courses import LEAST, Course, Moment, horizons

__all__ = ["over_time"]

_ROUNDS = re.compile(r"""(["'](?:n_)?rounds["']: (?:Fraction\()?)(\d+)""")


@lru_cache(maxsize=1024)
def over_time(source: str) -> Course | None:
    """The sides of a script at growing horizons, the last its own; None where its instance counts no rounds.

    Only horizons with two finite numbers are kept. Of very long runs some are left out: the horizons grow by a factor.
    """
    found = _ROUNDS.search(source)
    if found is None or len(_ROUNDS.findall(source)) != 1:
        return None
    moments = []
    for t in horizons(int(found[2])):
        ran = run_script(source[: found.start(2)] + str(t) + source[found.end(2) :])
        moment = None if ran is None else _moment(t, ran)
        if moment is not None:
            moments.append(moment)
    widths = {len(moment.terms) for moment in moments}
    if len(moments) < LEAST or (moments and moments[-1].rounds != int(found[2])):
        return None
    alike = moments if len(widths) == 1 else [Moment(m.rounds, m.left, m.right, ()) for m in moments]
    return Course("rounds", tuple(alike))


def _moment(rounds: int, found: Instance) -> Moment | None:
    if found.left is None or found.right is None:
        return None
    try:
        numbers = [float(x) for x in (found.left, found.right, *(v for _, v in found.terms))]
    except OverflowError:
        return None
    return Moment(rounds, numbers[0], numbers[1], tuple(numbers[2:])) if all(map(math.isfinite, numbers)) else None
