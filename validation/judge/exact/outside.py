"""Draws that a measure leaves out, decided exactly: do they miss a hypothesis in exact numbers, too?

A measure's `admissible` is written in floats, the hypotheses once more in exact numbers. What the first leaves out and
the second admits would never be tested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from validation.cost.limits import current, rechecking, within
from validation.judge.exact.certify import Decision, Said, UndefinedError, decide, foreseen
from validation.search.sample import Kept, effort
from validation.statement.bound import Bound
from validation.statement.claim import Case
from validation.statement.instances.draw import stack, take

__all__ = ["LeftOut", "left_out"]

_SHARE = 0.05  # of the reading's evaluations, in units of `effort`
_A_CASE = 4
_FINE, _SHORT = 10**9, 1000  # denominators, and those of long runs
_SECONDS, _DIGITS = 1.0, 2000
_FAULTS = (ArithmeticError, ValueError, LookupError, TypeError, AttributeError)  # of code asked outside its range


@dataclass(frozen=True)
class LeftOut:
    """What exact arithmetic said of draws that the measure leaves out: `violated` (case, decision), else by case."""

    violated: tuple[Case, Decision] | None = None
    of: Mapping[str, Mapping[Said, int]] = field(default_factory=dict)

    @property
    def words(self) -> str | None:
        """How many of them meet every exact hypothesis, and the statement; None where none does."""
        total = sum((Counter(said) for said in self.of.values()), Counter[Said]())
        if not total[Said.MET]:
            return None
        left_out = f"{total[Said.MET]} of {total.total()} draws that the measure leaves out"
        return f"{left_out} meet the exact hypotheses and the statement"

    def json(self) -> dict[str, dict[str, int]]:
        """Plain JSON: the answers that occurred; nothing where none was asked for."""
        total = sum((Counter(said) for said in self.of.values()), Counter[Said]())
        return {"left out by the measure": {str(said): n for said, n in total.items()}} if total else {}

    @property
    def doubt(self) -> str | None:
        """Of a case that leaves out what it should not, whether most of that stays undecided; in words."""
        for case, said in self.of.items():
            undecided, looked = said.get(Said.UNDECIDED, 0), sum(said.values())
            if said.get(Said.MET) and 2 * undecided > looked:
                many = f"{undecided} of {looked} draws of {case!r} that the measure leaves out"
                return f"exact arithmetic cannot decide {many}, and {said[Said.MET]} meet every hypothesis"
        return None


def left_out(bound: Bound, rows: Sequence[Kept], evaluations: float, most: int | None = None) -> LeftOut:
    """Decide these draws exactly, at most four of a case, in their order; stops at the first exact violation.

    Each is rounded to rationals first, and counts while the measure leaves these out as well. Until a twentieth of
    `evaluations` is spent; no more than `most` draws of all where that is given.
    """
    given = current()
    limits = replace(given, digits=min(given.digits, _DIGITS), recheck_seconds=min(given.recheck_seconds, _SECONDS))
    with within(limits), rechecking(UndefinedError, *_FAULTS, anew=True):
        return _left_out(bound, rows, _SHARE * evaluations, most)


def _left_out(bound: Bound, rows: Sequence[Kept], purse: float, most: int | None) -> LeftOut:
    of: dict[str, Counter[Said]] = {}
    dear: set[str] = set()
    chosen = [row for row in rows if row.case.exact is not None]
    foreseen(bound, dict.fromkeys(row.case for row in chosen))
    for row in chosen:
        said = of.setdefault(row.case.name, Counter())
        if said.total() >= _A_CASE or row.case.name in dear:
            continue
        if purse < 0 or (most is not None and sum(s.total() for s in of.values()) >= most):
            break
        purse -= effort(row.case)
        decision = _decided(bound, row)
        if decision is None:
            continue
        if decision.said is Said.VIOLATED and decision.instance is not None:
            return LeftOut((row.case, decision), of)
        said[decision.said] += 1
        if decision.said is Said.UNDECIDED:
            dear.add(row.case.name)
    return LeftOut(None, {name: said for name, said in of.items() if said})


def _decided(bound: Bound, row: Kept) -> Decision | None:
    """What exact arithmetic says of a draw, rounded; None where the rounding is no draw that is left out."""
    case, level = row.case, _FINE if row.case.cost <= 1 else _SHORT
    instance = case.space.rationalise(take(case.space.decode(row.cube[None]), 0), level)
    if not case.space.keeps(instance):
        return None
    with np.errstate(all="ignore"):
        admitted = case.measure(stack([instance])).get("admissible", True)
    if np.all(admitted):
        return None
    try:
        return decide(bound, case, row.cube, (level,))
    except _FAULTS as error:
        return Decision(Said.UNDECIDED, reason=str(error) or type(error).__name__)
