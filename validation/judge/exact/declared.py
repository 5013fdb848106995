"""Whether a search met values that break what is declared of their letters: named in floats, decided exactly.

A value that is within rounding of what is declared breaks nothing by itself.
"""

from __future__ import annotations

from dataclasses import replace

from validation.cost.limits import current, rechecking, within
from validation.judge.exact.certify import LIMITS, Said, UndefinedError, decide
from validation.search.sample import effort
from validation.search.scores import TOLERANCE, Broken
from validation.search.seen import Search
from validation.statement.bound import Bound

__all__ = ["clearly", "undeclared"]

_MOST = 6  # draws that are decided exactly
_SECONDS, _DIGITS = 2.0, 2000  # of one recheck here


def undeclared(bound: Bound, found: Search) -> str:
    """The letter whose declaration a draw of a search breaks, and how to declare it; empty where none does.

    A draw of which exact arithmetic says nothing counts where floats know the value to more than rounding.
    """
    rows = [(letter, *row) for letter, rows in sorted(found.broken.items()) for row in rows]
    if not rows:
        return ""
    rows.sort(key=lambda row: (not clearly(row[3]), effort(row[1])))
    given = current()
    limits = replace(given, digits=min(given.digits, _DIGITS), recheck_seconds=min(given.recheck_seconds, _SECONDS))
    passes = (UndefinedError, ArithmeticError, ValueError, IndexError, TypeError)
    with within(limits), rechecking(*passes, anew=True):
        for letter, case, cube, how in rows[:_MOST]:
            decision = decide(bound, case, cube, LIMITS[-1:])
            if decision.said is Said.UNDECLARED:
                return decision.reason
            if decision.said is Said.UNDECIDED and clearly(how):
                return letter.words(how.value)
    return ""


def clearly(how: Broken) -> bool:
    """Whether a value in floats breaks a declaration by more than rounding."""
    return how.depth > TOLERANCE
